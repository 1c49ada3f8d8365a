# Writes the fenced blocks of a Markdown file to FOLDER/NNN.KIND. KIND is the info string with dots
# in place of blanks ("sh", "sh.gpu", "sql"). Variables: folder.
/^```/ {
	if (inside) {
		inside = 0
		close(file)
		next
	}
	inside = 1
	kind = substr($0, 4)
	gsub(/[ \t]+$/, "", kind)
	gsub(/[ \t]+/, ".", kind)
	if (kind == "")
		kind = "text"
	file = sprintf("%s/%03d.%s", folder, ++count, kind)
	printf "" > file
	next
}
inside { print > file }
END {
	if (inside) {
		print FILENAME ": a fenced block never ends" > "/dev/stderr"
		exit 1
	}
}
