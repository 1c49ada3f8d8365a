# Who may include whom. A room sees of another room only its door, and only if
# that room is below it. Vendors' headers stay where the design puts them.

BEGIN {
	below["base"] = ""
	below["metrics"] = "base"
	below["kernels"] = "base"
	below["harness"] = "base metrics kernels"
	below["db"] = "base metrics"
	below["imports"] = "base metrics"
	below["reports"] = "base metrics"
	below["cli"] = "base metrics kernels harness db imports reports"
	# tests may use every door, and look inside the room they are named after
	below["tests"] = below["cli"]

	for (room in below)
		door[room] = room "/" room ".h"
	cupti_door = "metrics/cupti/cupti_session.h"
	ptx_door = "harness/ptx/ptx.h"
	# these tests are named after a way of testing, not after a room
	inside_every_room["tests/fuzz"] = 1
	inside_every_room["tests/gpu"] = 1

	cuda_header = "^(cuda[^/]*|cupti[^/]*|nvperf[^/]*|nvToolsExt[^/]*|nvml\\.h|nvrtc\\.h)$|^nvtx3/"
}

# "a/b/../c.h" -> "a/c.h"
function normalise(path,    parts, count, kept, depth, i, joined) {
	count = split(path, parts, "/")
	depth = 0
	for (i = 1; i <= count; i++) {
		if (parts[i] == "." || parts[i] == "")
			continue
		if (parts[i] == ".." && depth > 0)
			depth--
		else
			kept[++depth] = parts[i]
	}
	joined = kept[1]
	for (i = 2; i <= depth; i++)
		joined = joined "/" kept[i]
	return joined
}

function first_part(path) {
	sub(/\/.*/, "", path)
	return path
}

function folder(path) {
	if (!sub(/\/[^\/]*$/, "", path))
		return "."
	return path
}

# "metrics/cupti/x.c" -> "metrics/cupti"; "metrics/x.c" -> "metrics"
function first_two_parts(path,    parts) {
	path = folder(path)
	split(path, parts, "/")
	return parts[2] == "" ? parts[1] : parts[1] "/" parts[2]
}

function starts(text, start) {
	return index(text, start) == 1
}

function exists(path,    line, status) {
	if (path == "")
		return 0
	status = (getline line < path)
	close(path)
	return status >= 0
}

function complain(what) {
	printf "%s:%d: %s\n", FILENAME, FNR, what
	violations++
}

function check_vendor(header,    name) {
	name = header
	sub(/.*\//, "", name)
	if (header ~ cuda_header || name ~ cuda_header) {
		if (place != "metrics/cupti" && place != "harness/cuda" && place != "tests/gpu" && \
		    !starts(FILENAME, "tests/harness/cuda/") && FILENAME !~ /\.cuh?$/)
			complain("<" header "> belongs in metrics/cupti/, harness/cuda/ and device code only")
	}
	if (name == "sqlite3.h" && room != "db" && place != "tests/db")
		complain("<" header "> belongs in db/ and tests/db/ only: everybody else asks db/db.h")
}

function check_own_room(target,    there) {
	there = first_two_parts(target)
	# harness/cuda and harness/ptx are two programs: they share only what is in harness/
	if (room == "harness" && place != "harness" && there != "harness" && there != place)
		complain(place " may not include " target ": share it in harness/")
}

function check_room(target, other) {
	if (other == room) {
		check_own_room(target)
		return
	}
	if (place in inside_every_room || (room == "tests" && starts(place "/", "tests/" other "/")))
		return
	if (index(" " below[room] " ", " " other " ") == 0) {
		complain(room " may not include " target ": it is built on " \
			 (below[room] == "" ? "libc" : below[room]) " only")
		return
	}
	if (target == cupti_door) {
		if (place != "harness/cuda" && room != "tests")
			complain(target " is for harness/cuda/ and tests only")
		return
	}
	if (target == ptx_door) {
		if (room != "cli" && room != "tests")
			complain(target " is for cli/ and tests only")
		return
	}
	if (target != door[other])
		complain(target " is internal to " other ": include " door[other])
}

FNR == 1 {
	room = first_part(FILENAME)
	place = first_two_parts(FILENAME)
}

/^[ \t]*#[ \t]*(include|include_next|import)[^A-Za-z0-9_]/ {
	header = $0
	sub(/^[ \t]*#[ \t]*[a-z_]+[ \t]*/, "", header)
	quote = substr(header, 1, 1)
	if (quote != "\"" && quote != "<") {
		complain("include a header by its name: what a macro names cannot be checked")
		next
	}
	header = substr(header, 2)
	sub(/[">].*/, "", header)

	if (first_part(header) in below) {
		target = normalise(header)
	} else {
		target = quote == "\"" ? normalise(folder(FILENAME) "/" header) : ""
		if (!exists(target))
			check_vendor(header)
	}
	if (first_part(target) in below)
		check_room(target, first_part(target))
}

END {
	if (violations) {
		printf "%d includes cross a wall between rooms\n", violations
		exit 1
	}
}
