# Writes the fenced blocks of a Markdown file to FOLDER/NNN.KIND. KIND is the info string with dots
# in place of blanks ("sh", "sh.gpu", "sql"). Fails if a block "cuda FILE" differs from that file of
# the current folder. Variables: folder.
function differs() {
	print FILENAME ": the block with " shown " differs from that file" > "/dev/stderr"
	failed = 1
	exit 1
}
/^```/ {
	if (inside) {
		inside = 0
		close(file)
		if (shown != "" && (getline line < shown) > 0)
			differs()
		next
	}
	inside = 1
	kind = substr($0, 4)
	gsub(/[ \t]+$/, "", kind)
	shown = kind ~ /^cuda / ? substr(kind, 6) : ""
	if (shown != "")
		kind = "cuda"
	gsub(/[ \t]+/, ".", kind)
	if (kind == "")
		kind = "text"
	file = sprintf("%s/%03d.%s", folder, ++count, kind)
	printf "" > file
	next
}
inside {
	print > file
	if (shown != "" && ((getline line < shown) <= 0 || line != $0))
		differs()
}
END {
	if (inside && !failed) {
		print FILENAME ": a fenced block never ends" > "/dev/stderr"
		exit 1
	}
}
