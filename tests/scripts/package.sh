#!/bin/sh
# Unpacks the packages of `cpack` in other folders: the programs must run there with an empty
# environment and need only libc. Both packages have what users need, and nothing of the laboratory.
# usage: package.sh BUILD-FOLDER [SANITIZERS]
set -eu
build=$1
source=$(cd "$(dirname "$0")/../.." && pwd)
if [ -n "${2:-}" ]; then
	echo "skipped: sanitized programs need more than libc"
	exit 77
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() {
	printf 'package: %s\n' "$*" >&2
	exit 1
}

# With make, cpack would build first, while other tests run. With Ninja it only installs. dpkg-shlibdeps
# looks at each of 800 files with a process, a minute in all, and finds what readelf finds below.
cd "$build"
generators=TGZ
! command -v dpkg-deb >/dev/null || generators='TGZ;DEB'
needs=
[ -n "${PERFLAB_TEST_ALL:-}" ] || needs='-D CPACK_DEBIAN_PACKAGE_SHLIBDEPS=OFF -D CPACK_DEBIAN_PACKAGE_DEPENDS=libc6'
# shellcheck disable=SC2086 # several words
cpack -G "$generators" -B "$scratch/packages" -D CPACK_CMAKE_GENERATOR=Ninja $needs >"$scratch/cpack.log" 2>&1 || {
	cat "$scratch/cpack.log" >&2
	fail "cpack failed"
}
cd "$scratch"
mkdir elsewhere
tar -xzf packages/perflab-*.tar.gz -C elsewhere
root=$(echo "$scratch"/elsewhere/perflab-*)

for package in packages/*.tar.gz packages/*.deb; do
	[ ! -e "$package" ] || [ "$(wc -c <"$package")" -lt 15000000 ] || fail "$package has over 15 MB"
done
for unwanted in docs/results docs/architecture.md docs/adding-a-kernel.md CONTRIBUTING.md; do
	[ ! -e "$root/share/doc/perflab/$unwanted" ] || fail "$unwanted is in the archive"
done

# The Debian package holds the same files, needs only libc6, and names its maintainer.
if [ "$generators" != TGZ ]; then
	dpkg-deb -x packages/perflab_*.deb debian
	(cd debian/usr && find . -type f | sort) >files.deb
	(cd "$root" && find . -type f | sort) | diff - files.deb || fail "the packages differ"
	dpkg-deb -f packages/perflab_*.deb >fields.txt
	grep -q '^Maintainer: the perflab authors <' fields.txt || fail "no maintainer: $(cat fields.txt)"
	grep -qE '^Depends: libc6( \(>= [0-9.]+\))?$' fields.txt || fail "needs more: $(cat fields.txt)"
	env -i "$scratch/debian/usr/bin/perflab" sweep reduce/shuffle --size 1024 --db "$scratch/debian.db" \
		>debian.txt 2>&1 || fail "the first sweep ended with $?: $(cat debian.txt)"
	grep -q 'reduce.*shuffle\|^shuffle' debian.txt || fail "no table: $(cat debian.txt)"
fi

for file in bin/perflab share/man/man1/perflab.1 share/man/man1/perflab-sweep.1 share/doc/perflab/LICENSE \
	share/doc/perflab/README.md share/bash-completion/completions/perflab \
	share/zsh/site-functions/_perflab share/fish/vendor_completions.d/perflab.fish \
	share/doc/perflab/docs/tutorial.md share/perflab/source/kernels/reduce/shuffle.cu; do
	[ -s "$root/$file" ] || fail "$file is not in the archive, or empty"
done
if [ -x "$build/bin/perflab-worker-cuda" ]; then
	[ -x "$root/bin/perflab-worker-cuda" ] || fail "the CUDA worker is not in the archive"
	[ -s "$root/lib/libperflab-record.so" ] || fail "the recorder is not in the archive"
	[ -s "$root/share/perflab/libraries/support.fatbin" ] || fail "no device code of the worker in the archive"
fi
# The page of --format html contains third-party code: the archive must have its licences.
if [ -s "$build/web/licences-of-the-page.txt" ]; then
	grep -q '^vega ' "$root/share/doc/perflab/licences-of-the-page.txt" || fail "no licences of the page"
fi
# PTX for the emulator is in every archive, with a CUDA worker or without.
[ -s "$root/share/perflab/nvrtc/cstdint" ] || fail "the headers for NVRTC are not in the archive"
[ -s "$root/share/perflab/ptx/reduce/shuffle.ptx" ] || fail "the PTX of reduce/shuffle is not in the archive"

for file in sweep.sbatch merge.sbatch mpi-rank perflab_check.py; do
	[ -s "$root/share/perflab/cluster/$file" ] || fail "$file for clusters is not in the archive"
done
[ -s "$root/share/perflab/python/perflab.py" ] || fail "the Python module is not in the archive"
[ -s "$root/share/perflab/python/perflab_build.py" ] || fail "pip cannot install the Python module of the archive"

# Installed documents have no dead links.
sh "$source/tests/docs/check_links.sh" "$root/share/doc/perflab" || fail "an installed document has a dead link"

# The archive contains the study files.
env -i "$root/bin/perflab" study --list | grep -q '^divergence_two_ifs ' || fail "no studies in the archive"

for program in "$root"/bin/*; do
	name=$(basename "$program")
	readelf -d "$program" >dynamic.txt
	sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' dynamic.txt >needed.txt
	while read -r library; do
		case $library in
		libc.so.* | libm.so.* | libdl.so.* | libpthread.so.* | librt.so.* | ld-linux*) ;;
		*) fail "$name needs $library" ;;
		esac
	done <needed.txt
	! grep -q 'RPATH\|RUNPATH' dynamic.txt || fail "$name has a run path"
	! grep -q -F "$build" "$program" || fail "$name names the build folder"
done

# The programs must run without the build folder, PATH and HOME.
cd "$root"
env -i bin/perflab --version >"$scratch/version.txt" || fail "bin/perflab --version: exit $?"
grep -q '^perflab [0-9]' "$scratch/version.txt" || fail "unexpected version line"
env -i bin/perflab list kernels >"$scratch/kernels.txt" || fail "bin/perflab list kernels: exit $?"
grep -q reduce "$scratch/kernels.txt" || fail "list kernels does not know reduce"
status=0
env -i bin/perflab doctor >"$scratch/doctor.txt" 2>&1 || status=$?
[ "$status" -le 1 ] || [ "$status" -eq 4 ] || fail "doctor ended with $status"
# perflab finds the worker beside it, wherever the archive is unpacked.
if [ -x bin/perflab-worker-cuda ]; then
	! grep -q 'perflab-worker-cuda.*not found\|no worker' "$scratch/doctor.txt" ||
		fail "doctor does not find the worker: $(cat "$scratch/doctor.txt")"
fi
# perflab finds the emulator beside it, and the emulator uses the PTX of the archive.
env -i bin/perflab sweep reduce/shuffle --backend ptx --block-sizes 64,256 --size 5000 --format csv \
	--db "$scratch/emulated.db" >"$scratch/emulated.csv" 2>"$scratch/emulated.txt" ||
	fail "an emulated sweep ended with $?: $(cat "$scratch/emulated.txt")"
[ "$(grep -c ',ok,' "$scratch/emulated.csv")" -eq 2 ] || fail "not every emulated case is ok"
# The source of the kernels is in the archive, so report --lines shows it.
env -i bin/perflab report last --lines reduce/shuffle --db "$scratch/emulated.db" |
	grep -q '__shfl_down_sync' || fail "report --lines shows no source"
env -i bin/perflab doctor --backend ptx | grep -q -F "$root/share/perflab/ptx" ||
	fail "the emulator's PTX is not that of the archive"
env -i bin/perflab check share/perflab/ptx/reduce/shuffle.ptx >"$scratch/check.txt" ||
	fail "check of a PTX file ended with $?"
echo "package: ok"
