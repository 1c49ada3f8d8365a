#!/bin/sh
# scripts/lib.sh finds the missing packages and installs only those with apt-get, without questions.
# If it cannot, it names them. No real package is touched: apt-get, sudo, id and the compiler are
# stand-ins.
# usage: set_up.sh SOURCE-FOLDER
set -eu
source_root=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/scripts" "$scratch/bin"
cp "$source_root/scripts/lib.sh" "$scratch/scripts/"

fail() {
	printf 'set_up: %s\n' "$*" >&2
	exit 1
}

stand_in() {
	cat >"$scratch/bin/$1"
	chmod +x "$scratch/bin/$1"
}

# The PATH has only these programs, so the test does not depend on what this machine has.
for tool in sh cat dirname mktemp rm tr sed printf env grep; do
	ln -s "$(command -v $tool)" "$scratch/bin/$tool"
done
stand_in cmake <<'END'
#!/bin/sh
echo "cmake version ${CMAKE_VERSION_WANTED:-3.25.1}"
END
stand_in make </dev/null
# Finds every header except MISSING_HEADER; once "installed" exists, finds that one, too.
stand_in cc <<END
#!/bin/sh
[ -e "$scratch/installed" ] && exit 0
for word in "\$@"; do
	case \$word in
	*.c) ! grep -q "\${MISSING_HEADER:-none}" "\$word" || exit 1 ;;
	esac
done
END
stand_in id <<'END'
#!/bin/sh
echo "${FAKE_UID:-0}"
END
cat >"$scratch/scripts/subject" <<'END'
set -eu
. "$(dirname -- "$0")/lib.sh"
set_up
echo "set up"
END

# subject NAME=VALUE …: runs set_up with only the stand-ins; output in out.txt, code in $status.
subject() {
	status=0
	env -i PATH="$scratch/bin" TMPDIR="$scratch" "$@" sh "$scratch/scripts/subject" \
		>"$scratch/out.txt" 2>&1 </dev/null || status=$?
}

# Nothing is missing: apt-get need not exist.
subject
[ "$status" -eq 0 ] || fail "complete machine: exit $status: $(cat "$scratch/out.txt")"

# A package is missing and there is no apt-get.
subject MISSING_HEADER=jansson.h
[ "$status" -eq 3 ] || fail "no apt-get: exit $status"
grep -q 'missing: libjansson-dev' "$scratch/out.txt" || fail "no apt-get: package not named"

stand_in apt-get <<END
#!/bin/sh
echo "\$@ \${DEBIAN_FRONTEND:-}" >>"$scratch/apt.log"
case "\$*" in *install*) [ -z "\${APT_FAILS:-}" ] || exit 100 ; echo >"$scratch/installed" ;; esac
END

# With apt-get, only the missing package is installed, without questions.
subject MISSING_HEADER=jansson.h
[ "$status" -eq 0 ] || fail "apt-get: exit $status: $(cat "$scratch/out.txt")"
grep -q -e '-y .*install libjansson-dev noninteractive' "$scratch/apt.log" ||
	fail "apt-get was called as: $(cat "$scratch/apt.log")"
rm -f "$scratch/installed" "$scratch/apt.log"

# apt-get fails (no network): the message says what to install.
subject MISSING_HEADER=sqlite3.h APT_FAILS=1
[ "$status" -eq 3 ] || fail "failing apt-get: exit $status"
grep -q 'could not install: libsqlite3-dev' "$scratch/out.txt" || fail "failing apt-get: no message"

# Not root and no sudo.
subject MISSING_HEADER=sqlite3.h FAKE_UID=1000
[ "$status" -eq 3 ] || fail "no sudo: exit $status"
grep -q 'Run  *apt-get install libsqlite3-dev  *as root' "$scratch/out.txt" || fail "no sudo: no message"

# Not root, with sudo: without a terminal, sudo must not prompt for a password.
stand_in sudo <<END
#!/bin/sh
echo "sudo \$*" >>"$scratch/sudo.log"
[ "\$1" = -n ] && shift
exec "\$@"
END
subject MISSING_HEADER=sqlite3.h FAKE_UID=1000
[ "$status" -eq 0 ] || fail "sudo: exit $status: $(cat "$scratch/out.txt")"
grep -q '^sudo -n env DEBIAN_FRONTEND=noninteractive apt-get .* libsqlite3-dev$' \
	"$scratch/sudo.log" || fail "sudo was called as: $(cat "$scratch/sudo.log")"

# An optional program that cannot be installed gives a warning.
cat >"$scratch/scripts/optional" <<'END'
set -eu
. "$(dirname -- "$0")/lib.sh"
try_set_up a-browser a-plotter:its-package
echo "went on"
END
rm -f "$scratch/apt.log"
status=0
env -i PATH="$scratch/bin" TMPDIR="$scratch" APT_FAILS=1 sh "$scratch/scripts/optional" \
	>"$scratch/out.txt" 2>&1 </dev/null || status=$?
[ "$status" -eq 0 ] || fail "optional: exit $status: $(cat "$scratch/out.txt")"
grep -q 'install a-browser its-package ' "$scratch/apt.log" || fail "optional: not in one call: $(cat "$scratch/apt.log")"
grep -q 'continuing without a-browser' "$scratch/out.txt" || fail "optional: no warning"
grep -q 'went on' "$scratch/out.txt" || fail "optional: did not go on"
grep -q 'could not install: its-package' "$scratch/out.txt" || fail "optional: wrong package"
grep -q 'continuing without a-plotter:its-package$' "$scratch/out.txt" || fail "optional: wrong name"

# A cmake that is too old is named.
subject CMAKE_VERSION_WANTED=3.16.3
[ "$status" -eq 3 ] || fail "old cmake: exit $status"
grep -q 'cmake 3.16 is too old' "$scratch/out.txt" || fail "old cmake: no message"
echo "set_up: ok"
