#!/bin/sh
# Checks that scripts/draw-pictures writes docs/pictures/*.svg byte for byte.
# usage: check_pictures.sh SOURCE-FOLDER
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
python3 "$1/scripts/draw-pictures" "$scratch"
drawn=0
for picture in "$scratch"/*.svg "$1"/docs/pictures/*.svg; do
	name=$(basename "$picture")
	cmp "$scratch/$name" "$1/docs/pictures/$name" || {
		echo "docs/pictures/$name is not what scripts/draw-pictures writes: run it again" >&2
		exit 1
	}
	drawn=$((drawn + 1))
done
[ "$drawn" -ge 6 ] || {
	echo "no picture was drawn" >&2
	exit 1
}
