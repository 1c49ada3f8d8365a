# Checks that each link to a section, FILE#SECTION or #SECTION, names a heading of that document.
# Fenced blocks have neither headings nor links. Reads the documents as arguments, with paths
# relative to the current folder.
FNR == 1 {
	fenced = 0
	read[FILENAME] = 1
}
/^```/ {
	fenced = !fenced
	next
}
fenced { next }
/^#+ / {
	section = tolower($0)
	sub(/^#+ +/, "", section)
	gsub(/[!-,.\/:-@[-^`{-~]|−|…|“|”/, "", section)
	gsub(/ /, "-", section)
	repeated = seen[FILENAME, section]++
	heading[FILENAME, repeated ? section "-" repeated : section] = 1
}
{
	rest = $0
	while (match(rest, /\]\([^()]*#[^()]*\)/)) {
		link = substr(rest, RSTART + 2, RLENGTH - 3)
		rest = substr(rest, RSTART + RLENGTH)
		if (link ~ /^[a-z]+:/)
			continue
		++count
		from[count] = FILENAME
		to[count] = link
	}
}
# The path of `link` in the document `file`, without "..".
function resolved(file, link,  path) {
	if (link == "")
		return file
	path = file
	if (!sub(/[^\/]*$/, "", path))
		path = ""
	path = path link
	while (sub(/[^\/]+\/\.\.\//, "", path))
		;
	return path
}
END {
	for (i = 1; i <= count; i++) {
		section = to[i]
		sub(/^[^#]*#/, "", section)
		sub(/#.*/, "", to[i])
		path = resolved(from[i], to[i])
		if (read[path] && !((path, section) in heading)) {
			print from[i] ": " path " has no section #" section > "/dev/stderr"
			failed = 1
		}
	}
	if (!count) {
		print "no link to a section was found" > "/dev/stderr"
		failed = 1
	}
	exit failed
}
