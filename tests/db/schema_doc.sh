#!/bin/sh
# Every column of every table and view is described, as `perflab query --columns` shows it, and
# `.schema` shows the comments. Every example of docs/schema-reference.md must run in the sqlite3
# shell. Every question of docs/schema.md must be one SELECT without a join, and give the answers of
# ten_questions.txt.
# usage: schema_doc.sh PROGRAM-THAT-MAKES-A-DATABASE PERFLAB docs
set -eu
make_database=$1
perflab=$2
page=$3/schema-reference.md
questions=$3/schema.md
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

ask "SELECT object.name || ',' || column.name || ',' || column.type
	FROM sqlite_schema AS object JOIN pragma_table_xinfo(object.name) AS column
	WHERE object.type IN ('table', 'view')" | sort >"$folder/real"
"$perflab" query --columns --db "$folder/example.db" --format csv | sed 1d >"$folder/described"
cut -d, -f1-3 "$folder/described" | sort | diff -u - "$folder/real" || {
	echo "FAILED: perflab query --columns (-) does not show the columns that there are (+)" >&2
	exit 1
}
if grep ',$' "$folder/described"; then
	echo "FAILED: these columns of db/schema/ are described neither there, nor in" >&2
	echo "metrics/fields.h, nor where they come from, nor as a metric" >&2
	exit 1
fi
ask ".schema mark" | grep -q 'why TEXT, -- ' || {
	echo "FAILED: .schema shows no comments" >&2
	exit 1
}

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
echo "$(wc -l <"$folder/real") columns described, $examples examples run"
