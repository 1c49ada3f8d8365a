#!/bin/sh
# Holds docs/schema.md against the real schema: every table, column and view with its type and
# no other, and every example runs in the bare sqlite3 shell.
# usage: schema_doc.sh PROGRAM-THAT-MAKES-A-DATABASE docs/schema.md
set -eu
make_database=$1
page=$2

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
# Headings name the object; a column's row has its name in backquotes and four cells.
awk -F '|' '
	/^### `/ { split($0, part, "`"); object = part[2] }
	/^## / { object = "" }
	object && /^\| `/ && NF == 6 {
		split($2, part, "`"); type = $3; gsub(/ /, "", type)
		print object " " part[2] (type ? " " type : "")
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

# Every status that the schema takes is explained as in the file, and no other.
ask "SELECT name || ' ' || meaning FROM trial_status" | sort >"$folder/statuses"
sed -n '/^| status |/,/^$/s/^| `\([a-z_]*\)` | \(.*\) |$/\1 \2/p' "$page" | tr -d '`' |
	sort >"$folder/explained"
diff -u "$folder/explained" "$folder/statuses" || {
	echo "FAILED: the statuses of $page (-) are not those of the schema (+)" >&2
	exit 1
}

awk -v folder="$folder" '
	/^```sql$/ { number++; inside = 1; next }
	/^```$/ { inside = 0 }
	inside { print > sprintf("%s/example%02d.sql", folder, number) }' "$page"
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
