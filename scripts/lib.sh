# Sourced by scripts/quickstart, scripts/test and scripts/make-ptx: finds or installs what the build
# needs, configures and builds. Works offline if everything is installed.

repo=$(CDPATH= cd -- "$(dirname -- "$0")/.." && pwd)

say() {
	printf '==> %s\n' "$*"
}

die() {
	printf 'error: %s\n' "$*" >&2
	exit 3
}

have() {
	command -v "$1" >/dev/null 2>&1
}

jobs() {
	nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2
}

# The compiler that CMake will choose.
compiler() {
	if [ -n "${CC:-}" ]; then
		echo "$CC"
	elif have cc; then
		echo cc
	elif have gcc; then
		echo gcc
	else
		echo clang
	fi
}

# have_library HEADER NAME: true if the header and the library that it needs are installed.
have_library() {
	probe=$(mktemp -d)
	printf '#include <stdarg.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <setjmp.h>\n' \
		>"$probe/probe.c"
	printf '#include <%s>\nint main(void) { return 0; }\n' "$1" >>"$probe/probe.c"
	found=0
	$(compiler) -o "$probe/probe" "$probe/probe.c" "-l$2" >/dev/null 2>&1 || found=1
	rm -rf "$probe"
	return $found
}

# missing_packages PACKAGE …: prints the Debian packages that provide what is not installed.
missing_packages() {
	have "$(compiler)" && have_library stdio.h c || echo gcc libc6-dev
	have cmake || echo cmake
	have ninja || have make || echo ninja-build
	have_library sqlite3.h sqlite3 || echo libsqlite3-dev
	have_library jansson.h jansson || echo libjansson-dev
	have_library xxhash.h xxhash || echo libxxhash-dev
	have_library sodium.h sodium || echo libsodium-dev
	have_library zstd.h zstd || echo libzstd-dev
	have_library lz4.h lz4 || echo liblz4-dev
	for need in "$@"; do
		case $need in
		libcmocka-dev) have_library cmocka.h cmocka || echo "$need" ;;
		*) have "$need" || echo "$need" ;;
		esac
	done
}

# install_packages PACKAGE …: installs with apt-get, without questions.
install_packages() {
	have apt-get || die "missing: $*
This machine has no apt-get. Install the equivalents of these Debian packages, then run this again."
	as_root=
	if [ "$(id -u)" -ne 0 ]; then
		have sudo || die "missing: $*
You are not root and there is no sudo. Run  apt-get install $*  as root, then run this again."
		as_root=sudo
		[ -t 0 ] || as_root="sudo -n"
	fi
	say "installing $*"
	options="-o Acquire::Retries=1 -o Acquire::http::Timeout=20 -o DPkg::Lock::Timeout=120"
	# A stale package list may still be good enough, so a failed update is only a warning.
	$as_root env DEBIAN_FRONTEND=noninteractive apt-get $options -q update ||
		printf 'warning: apt-get update failed; trying with the stored package lists\n' >&2
	$as_root env DEBIAN_FRONTEND=noninteractive apt-get $options -q -y --no-install-recommends \
		install "$@" || die "could not install: $*
Check the network, or install them by hand (apt-get install $*), then run this again."
}

# set_up PACKAGE …: installs what perflab and the emulator need to build, and the packages: programs
# of that name, and libcmocka-dev, with which the tests are built.
set_up() {
	missing=$(missing_packages "$@" | tr '\n' ' ')
	if [ -n "$missing" ]; then
		# Package names contain no blanks.
		install_packages $missing
	fi
	version=$(cmake --version | sed -n '1s/[^0-9]*\([0-9]*\)\.\([0-9]*\).*/\1 \2/p')
	# shellcheck disable=SC2086
	set -- $version
	if [ "$1" -lt 3 ] || { [ "$1" -eq 3 ] && [ "$2" -lt 22 ]; }; then
		die "cmake $1.$2 is too old: 3.22 or newer is needed"
	fi
}

# has NEED: true if a program of that name is installed, or for python3:MODULE a module of Debian's Python.
has() {
	case $1 in
	python3:*) /usr/bin/python3 -c "import ${1#python3:}" 2>/dev/null ;;
	*) have "${1%%:*}" ;;
	esac
}

# package_of NEED: prints the Debian package that provides it.
package_of() {
	case $1 in
	python3:*) echo "python3-${1#python3:}" | tr _ - ;;
	*) echo "${1#*:}" ;;
	esac
}

# try_set_up NEED …: installs what only a part of perflab or its tests needs. A NEED is PROGRAM, whose
# package has the same name, PROGRAM:PACKAGE, or python3:MODULE. Continues without what cannot be
# installed: if all packages together cannot, each is tried.
try_set_up() {
	packages=
	for need in "$@"; do
		has "$need" || packages="$packages $(package_of "$need")"
	done
	# shellcheck disable=SC2086 # Package names contain no blanks.
	[ -z "$packages" ] || (install_packages $packages) 2>/dev/null || for need in "$@"; do
		has "$need" || (install_packages "$(package_of "$need")") ||
			printf 'warning: continuing without %s\n' "$need" >&2
	done
}

# build FOLDER OPTION …: configures FOLDER with the options, then builds everything, or only the
# targets in $targets.
build() {
	folder=$1
	shift
	if [ ! -f "$folder/CMakeCache.txt" ] && have ninja; then
		set -- -G Ninja "$@"
	fi
	log=$folder/perflab-build.log
	say "building in $folder: this takes minutes, and $log shows how far it is"
	mkdir -p "$folder"
	cmake -S "$repo" -B "$folder" "$@" >"$log" 2>&1 || {
		cat "$log" >&2
		die "could not configure $folder"
	}
	grep -e 'CUDA worker' -e 'Report page' "$log" || true
	# shellcheck disable=SC2086 # several targets
	cmake --build "$folder" -j "$(jobs)" ${targets:+--target $targets} >>"$log" 2>&1 || {
		tail -n 60 "$log" >&2
		die "could not build; the complete log is in $log"
	}
}

# generated_ptx SOURCE.cu: prints the path of its PTX, that in an archive as unpack_ptx places it.
generated_ptx() {
	case $1 in
	kernels/*) printf 'kernels/generated/%s.ptx\n' "$(expr "$1" : 'kernels/\(.*\)\.cu')" ;;
	*) printf '%s\n' "${1%.cu}.ptx" ;;
	esac
}

# source_of PTX: prints the path of the device code that it was made from.
source_of() {
	printf '%s\n' "${1%.ptx}.cu" | sed 's|^kernels/generated/|kernels/|'
}

# unpack_ptx TREE: unpacks the PTX of the built-in kernels to TREE/kernels/generated/FAMILY/VARIANT.ptx
# and links the folders of tests/ that have PTX. Sets $ptx_files to the paths of all these files.
unpack_ptx() {
	case $1 in
	*' '*) die "$1: a temporary folder with a blank in its path: set TMPDIR to another" ;;
	esac
	mkdir -p "$1/kernels/generated" "$1/tests"
	cmake -D FROM="$repo/kernels/generated" -D TO="$1/kernels/generated" -D ROOT="$repo" \
		-P "$repo/cmake/unpack_ptx.cmake" 2>"$1/log" || die "$(cat "$1/log")"
	ln -s "$repo/tests/emulator" "$repo/tests/capture" "$1/tests"
	ptx_files=$(find "$1/kernels/generated" "$1/tests/emulator/planted/" "$1/tests/capture/" \
		-name '*.ptx' 2>/dev/null | sort)
}
