# The rules for includes. A module may include any of its own headers and the public headers of
# the modules below it. Vendor headers are restricted to the modules that wrap them.
# docs/architecture.md has the same table. A new module needs one line here.

# Declares a module: `may` lists the modules from which it may include public headers; `headers`
# lists its own public headers (default: NAME/LAST.h, LAST being the last part of the name). A
# folder belongs to the module with the longest name that contains it.
function module(name, may, headers,    last) {
	last = name
	sub(/.*\//, "", last)
	below[name] = may
	public[name] = headers == "" ? name "/" last ".h" : headers
}

# Declares a part of a module. It may include any of its own headers and those of the listed parts.
function part(name, parts) {
	below_part[name] = parts
}

BEGIN {
	module("base", "", "base/base.h base/file_system.h base/hash.h base/mangled.h base/process.h base/random.h base/tensor_map.h")
	module("emulator", "base", "emulator/emulator.h emulator/counts.h emulator/tensor_map.h emulator/texture.h")
	module("metrics", "base emulator", "metrics/metrics.h metrics/against.h metrics/fields.h metrics/meter.h metrics/profile.h metrics/recording.h metrics/settings.h metrics/shards.h")
	module("metrics/catalogue", "base emulator metrics")
	module("metrics/analysis", "base metrics metrics/catalogue",
		"metrics/analysis/ceilings.h metrics/analysis/change_points.h metrics/analysis/compare.h " \
		"metrics/analysis/fleet.h metrics/analysis/gpu_group.h metrics/analysis/history.h " \
		"metrics/analysis/line_changes.h metrics/analysis/line_costs.h metrics/analysis/line_match.h " \
		"metrics/analysis/line_shares.h " \
		"metrics/analysis/regress.h metrics/analysis/roofline.h metrics/analysis/speedup.h " \
		"metrics/analysis/statistics.h metrics/analysis/study.h metrics/analysis/user_rules.h " \
		"metrics/analysis/verdict.h")
	module("metrics/cupti", "base metrics metrics/catalogue", "metrics/cupti/cupti_session.h metrics/cupti/cupti_profile.h metrics/cupti/cupti_records.h")
	module("capture", "base")
	module("record", "base capture", "none")
	module("kernels", "base capture", "kernels/kernels.h kernels/arguments.h kernels/data_key.h kernels/element.h kernels/npy.h kernels/parallel.h " \
		"kernels/check_expression.h kernels/user/kernel_file.h " \
		"kernels/user/skeleton.h")
	module("compile", "base capture", "compile/compile.h compile/disassemble.h compile/line_table.h")
	module("db", "base metrics metrics/analysis")
	module("imports", "base metrics metrics/analysis")
	module("harness/plan", "base metrics kernels")
	module("harness/protocol", "base metrics kernels", "harness/protocol/protocol.h " \
		"harness/protocol/messages.h harness/protocol/channel.h")
	module("harness/record", "base capture metrics harness/protocol")
	module("harness/client", "base metrics kernels harness/protocol harness/record")
	module("harness/origin", "base metrics kernels")
	module("harness/sources", "base capture metrics kernels compile")
	module("harness/judge", "base metrics metrics/catalogue metrics/analysis db harness/origin")
	module("harness/runs", "base metrics metrics/analysis kernels compile db imports harness/judge harness/sources")
	module("harness/doctor", "base metrics db harness/protocol harness/client harness/origin harness/record")
	module("harness/request", "base capture metrics metrics/catalogue kernels compile harness/plan harness/protocol harness/client harness/sources")
	module("harness/sweep", "base capture metrics metrics/catalogue metrics/analysis kernels compile db " \
		"harness/plan harness/protocol harness/client harness/origin harness/sources harness/judge " \
		"harness/request")
	module("harness/watch", below["harness/sweep"] " harness/sweep")
	module("harness/nsight", below["harness/sweep"] " harness/sweep")
	module("harness/study", below["harness/sweep"] " harness/sweep")
	module("harness/workers", "base capture metrics kernels harness/protocol",
		"harness/workers/worker_loop.h harness/workers/blind_check.h harness/workers/case_buffers.h harness/workers/case_capture.h " \
		"harness/workers/expected.h harness/workers/shared_data.h harness/workers/tolerance.h")
	module("harness/workers/cuda", "base capture metrics metrics/catalogue metrics/analysis metrics/cupti " \
		"kernels harness/protocol harness/workers", "none")
	module("harness/workers/ptx", "base capture metrics metrics/catalogue kernels emulator " \
		"harness/protocol harness/workers", "none")
	module("reports", "base metrics metrics/catalogue metrics/analysis",
		"reports/reports.h reports/exports.h")
	module("cli", "base capture metrics metrics/catalogue metrics/analysis kernels compile emulator db imports " \
		"harness/plan harness/protocol harness/client harness/record harness/origin harness/sources " \
		"harness/judge harness/runs harness/doctor harness/request harness/sweep harness/watch harness/nsight " \
		"harness/study reports", "none")
	# Tests may include every public header, and any header of the module that they are named
	# after.
	module("tests", below["cli"] " metrics/cupti harness/workers harness/workers/cuda " \
		"harness/workers/ptx cli", "none")

	part("emulator/language", "")
	part("emulator/program", "emulator/language")
	part("emulator/machine", "emulator/program")
	part("emulator/lanes", "emulator/program emulator/machine")
	# The machine needs only this header of lanes/: the table of handlers.
	public_part["emulator/lanes"] = "emulator/lanes/handlers.h"

	# An optional feature of a sweep: the sweep calls it by its hooks only.
	part("harness/sweep", "harness/sweep/data harness/sweep/decide")
	part("harness/sweep/data", "harness/sweep")
	part("harness/sweep/decide", "harness/sweep")
	part("harness/sweep/gpus", "harness/sweep")

	part("reports/table", "")
	part("reports/derived", "reports/table")
	part("reports/roofline", "reports/table reports/derived")
	part("reports/regress", "reports/table reports/derived")
	part("reports/cards", "reports/table reports/derived reports/selection")
	part("reports/fleet", "reports/table reports/derived")
	part("reports/gpus", "reports/table reports/derived")
	part("reports/history", "reports/table reports/derived")
	part("reports/study", "reports/table reports/derived")
	part("reports/export", "reports/table reports/derived")
	part("reports/page", "reports/table reports/derived reports/gpus")
	part("reports/selection", "reports/table reports/derived")
	part("reports/run", "reports/table reports/derived reports/gpus reports/roofline reports/selection")

	# These tests are named after a way of testing, not after a module.
	inside_every_module["tests/fuzz"] = 1
	inside_every_module["tests/gpu"] = 1
	# These run cases on the emulator and inspect its memory.
	inside_every_module["tests/harness/workers/ptx"] = 1

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

function folder(path) {
	if (!sub(/\/[^\/]*$/, "", path))
		return "."
	return path
}

# The module that a path belongs to; "" for none.
function module_of(path) {
	for (path = folder(path); path != "."; path = folder(path))
		if (path in below)
			return path
	return ""
}

# The part of a module that a path belongs to; "" for none.
function part_of(path) {
	for (path = folder(path); path != "."; path = folder(path))
		if (path in below_part)
			return path
	return ""
}

function first_part(path) {
	sub(/\/.*/, "", path)
	return path
}

function has_word(words, word) {
	return index(" " words " ", " " word " ") > 0
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
		if (own != "metrics/cupti" && own != "harness/workers/cuda" && own != "record" && \
		    !starts(FILENAME, "tests/gpu/") && !starts(FILENAME, "tests/record/") && \
		    !starts(FILENAME, "tests/harness/workers/cuda/") && FILENAME !~ /\.cuh?$/)
			complain("<" header "> belongs in metrics/cupti/, harness/workers/cuda/, record/ and " \
				 "device code only")
	}
	if (name == "sqlite3.h" && own != "db" && !starts(FILENAME, "tests/db/"))
		complain("<" header "> belongs in db/ and tests/db/ only: other modules include db/db.h")
}

function check_part(target,    mine, there) {
	mine = part_of(FILENAME)
	there = part_of(target)
	if (there == "" || there == mine || mine == "" || has_word(below_part[mine], there) || \
	    has_word(public_part[there], target))
		return
	complain(mine " may not include " target ": it is built on " \
		 (below_part[mine] == "" ? "nothing else" : below_part[mine]))
}

function check_module(target, other) {
	if (other == own) {
		check_part(target)
		return
	}
	if (own == "tests") {
		if (first_part(substr(FILENAME, length("tests/") + 1)) == first_part(other) || \
		    folder(FILENAME) in inside_every_module)
			return
	} else if (!has_word(below[own], other)) {
		complain(own " may not include " target ": it is built on " \
			 (below[own] == "" ? "libc" : below[own]) " only")
		return
	}
	if (!has_word(public[other], target))
		complain(target " is internal to " other \
			 (public[other] == "none" ? "" : ": include " public[other]))
}

FNR == 1 {
	own = module_of(FILENAME)
}

/^[ \t]*#[ \t]*(include|include_next|import)[^A-Za-z0-9_]/ {
	header = $0
	sub(/^[ \t]*#[ \t]*[a-z_]+[ \t]*/, "", header)
	quote = substr(header, 1, 1)
	if (quote != "\"" && quote != "<") {
		complain("include a header by its name: the check cannot read a macro")
		next
	}
	header = substr(header, 2)
	sub(/[">].*/, "", header)

	if (module_of(header) != "") {
		target = normalise(header)
	} else {
		target = quote == "\"" ? normalise(folder(FILENAME) "/" header) : ""
		if (!exists(target))
			check_vendor(header)
	}
	if (module_of(target) != "")
		check_module(target, module_of(target))
}

END {
	if (violations) {
		printf "%d includes break the rules of tests/style/includes.awk\n", violations
		exit 1
	}
}
