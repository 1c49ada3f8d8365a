# A wrong command line is refused with exit code 2 and one line that suggests the nearest name.
. "$(dirname "$0")/lib.sh"
no_worker

run
expect_code 2
expect_err 'usage: perflab VERB'
refused 2 'did you mean sweep?' swep
refused 2 'did you mean report?' reprot
refused 2 'unknown verb "xyzzy"; the verbs are sweep, watch, ' xyzzy
refused 2 'did you mean --block-sizes?' sweep --block-size 64
refused 2 'unknown option -Z' sweep -Z
refused 2 'is given as --compile-flag -Iinclude, and' sweep a.cu -Iinclude
refused 2 'is given as --compile-flag -I…, and' sweep a.cu -I include
refused 2 'unknown option -I; "perflab help regress"' regress -Iinclude
refused 2 '--db needs a value: FILE' sweep --db
refused 2 '--quiet takes no value' sweep --quiet=yes
refused 2 '--seed: the option was given twice' sweep --seed 1 --seed 2
refused 2 "--rounds: '0' is not a whole number between 1" sweep --rounds 0
refused 2 "'many' is not a whole number between 1" sweep --rounds many
refused 2 '--timeout: the time 0 is too short' sweep --timeout 0
refused 2 '--max-time: the time 0ms is too short' sweep --max-time 0ms
refused 2 '--cache' sweep --cache warm
refused 2 'one of: cold, hot' sweep --cache warm
refused 2 '--max-time' sweep --max-time never
refused 2 '--precision' sweep --precision 2
refused 2 '--seed' sweep --seed -1
refused 2 '--device' sweep --device 99999999999
refused 2 'did you mean metrics?' list metric
refused 2 'an operand is missing' list
refused 2 'unexpected operand "now"' version now
refused 2 'one of: bash, zsh, fish' completion tcsh
refused 2 'did you mean list?' help lost
refused 2 'one of: text, csv, json, md' report --format xml
refused 2 'one of: ncu, nsys' nsight gdb x -o y

# the command line of a sweep
refused 2 'did you mean reduce' sweep reduc
refused 2 'did you mean' sweep reduce/shufle
refused 2 'shuffle' sweep reduce/shufle
refused 2 'block' sweep reduce/shuffle/blok=64
refused 2 'blok' sweep --set blok=64
refused 2 'NAME=VALUES' sweep --set block
refused 2 'NAME=VALUES' sweep --set =64
refused 2 "--set '': expected" sweep --set ''
refused 2 'set twice' sweep --block-sizes 64 --set block=128
refused 2 'dram_read_bytes' sweep --metrics dram_read_byte
refused 2 '"none" excludes' sweep --metrics none,core
refused 2 "block" sweep --block-sizes 0
refused 2 "1024" sweep --block-sizes 2048
refused 2 '64..' sweep --block-sizes 64..
refused 2 '1024..64' sweep --block-sizes 1024..64
refused 2 'block' sweep --block-sizes ''
refused 2 "'n'" sweep --size 2^63
refused 2 "n" sweep --size 99999999999999999999
refused 2 'overflow' sweep stream/copy_scalar --size 2^62
[ -e perflab.db ] && complain 'a database was created'

run sweep reduce/shuffle --block-sizes 64 --dry-run
expect_err '1 case: 1 to run, 0 skipped'

# a case too large for any device is skipped with a reason, not refused
run sweep stream/copy_scalar --size 2^50 --dry-run
expect_code 0
expect_out 'skip'
expect_out 'memory'

# a variant with an intentional fault runs only when it is named
refused 2 'fault' sweep fualt
run sweep --dry-run
expect_code 0
expect_out 'reduce/shuffle'
expect_no_out 'fault/'
run sweep fault --dry-run
expect_out 'fault/none'

# options and operands may be mixed; "--" ends the options
run sweep --dry-run reduce/shuffle --size=2^20 -b 64,128
expect_code 0
expect_out 'reduce/shuffle/block=64,n=1048576'
expect_out 'reduce/shuffle/block=128,n=1048576'
refused 2 '--dry-run' sweep reduce -- --dry-run
finish
