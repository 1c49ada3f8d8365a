#!/bin/sh
# Compares docs/schema-columns.md with the real schema: it must list every table, column and view with
# its type and no others. Every example there must run in the sqlite3 shell. Every question of
# docs/schema.md must be one SELECT without a join, and give the answers of ten_questions.txt.
# usage: schema_doc.sh PROGRAM-THAT-MAKES-A-DATABASE docs
set -eu
make_database=$1
page=$2/schema-columns.md
questions=$2/schema.md
answers=$(dirname "$0")/ten_questions.txt

if ! command -v sqlite3 >/dev/null; then
	echo "skipped: the sqlite3 shell is not installed (package sqlite3)"
	exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$make_database" "$folder/example.db"

ask() {
	sqlite3 -batch -bail "$folder/example.db" "$@" </dev/null
}

ask "SELECT object.name || ' ' || column.name || ' ' || column.type
	FROM sqlite_schema AS object JOIN pragma_table_xinfo(object.name) AS column
	WHERE object.type IN ('table', 'view')" | sed 's/ *$//' | sort >"$folder/real"
# A heading names a table or view. A line of the list below it has one column, or all that are common:
# a name in backquotes, then the type.
awk '
	/^### `/ { split($0, part, "`"); object = part[2] }
	/^## / { object = "" }
	object && (/^- `/ || /^- \[Common\]/) {
		count = split($0, part, "`")
		last = /^- `/ ? 2 : count
		for (i = 2; i <= last; i += 2) {
			type = match(part[i + 1], /^ [A-Z]+/) ? substr(part[i + 1], 1, RLENGTH) : ""
			print object " " part[i] type
		}
	}' "$page" | sort >"$folder/documented"
if ! diff -u "$folder/documented" "$folder/real"; then
	echo "FAILED: $page (-) is not the schema (+)" >&2
	exit 1
fi

version=$(ask "PRAGMA user_version")
application=$(ask "PRAGMA application_id")
grep -q "schema version $version (" "$page" || {
	echo "FAILED: $page does not say that the schema version is $version" >&2
	exit 1
}
grep -q "application_id\` is $application," "$page" || {
	echo "FAILED: $page does not say that the application_id is $application" >&2
	exit 1
}

# The page must explain exactly the statuses that the schema accepts, as the database does.
ask "SELECT name || ' ' || meaning FROM trial_status" | sort >"$folder/statuses"
sed -n '/^| status |/,/^$/s/^| `\([a-z_]*\)` | \(.*\) |$/\1 \2/p' "$page" | tr -d '`' |
	sort >"$folder/explained"
diff -u "$folder/explained" "$folder/statuses" || {
	echo "FAILED: the statuses of $page (-) are not those of the schema (+)" >&2
	exit 1
}

# Writes each example of a page into a file of its own: examples PAGE PREFIX
examples() {
	awk -v prefix="$folder/$2" '
		/^```sql$/ { number++; inside = 1; next }
		/^```$/ { inside = 0 }
		inside { print > sprintf("%s%02d.sql", prefix, number) }' "$1"
}

examples "$questions" question
for question in "$folder"/question*.sql; do
	if [ "$(grep -o SELECT "$question" | wc -l)" -ne 1 ] || grep -q JOIN "$question"; then
		echo "FAILED: this question of $questions is not one SELECT without a join:" >&2
		cat "$question" >&2
		exit 1
	fi
	echo "$(basename "$question" .sql):"
	ask -header "$(cat "$question")"
done >"$folder/answers"
diff -u "$answers" "$folder/answers" || {
	echo "FAILED: $answers (-) are not the answers to the questions of $questions (+)" >&2
	exit 1
}

sqlite3 -batch -bail "$folder/example.db" <"$(dirname "$0")/queries_of_version_14.sql" >"$folder/old" || {
	echo "FAILED: a query that was written for version 14" >&2
	exit 1
}
examples "$page" example
examples=0
for example in "$folder"/example*.sql; do
	rows=$(ask "$(cat "$example")") || {
		echo "FAILED: this example of $page:" >&2
		cat "$example" >&2
		exit 1
	}
	[ -n "$rows" ] || {
		echo "FAILED: this example of $page finds nothing in the example database:" >&2
		cat "$example" >&2
		exit 1
	}
	examples=$((examples + 1))
done
[ "$examples" -ge 5 ] || {
	echo "FAILED: only $examples examples found in $page" >&2
	exit 1
}
echo "$(wc -l <"$folder/real") columns documented, $examples examples run"
