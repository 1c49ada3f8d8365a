# The answers to four constructed databases that once got wrong ones. session_databases.tar.xz has them.
# No time in them was measured.
. "$(dirname "$0")/lib.sh"
command -v xz >/dev/null || skip 'there is no xz'
tar -C "$work" -xJf "$(dirname "$0")/session_databases.tar.xz" || complain 'the archive cannot be read'

# clock.db: a case that the DRAM limits became slower by 2.2 % at a lower SM clock.
run regress --base before --head after --db clock.db
expect_code 1
expect_out 'regressed  stream/copy/'
expect_out 'nothing shows that the case follows it'

# nights.db: 20 nights of equal code. Once earlier sessions show how nights differ, nothing changed.
night=4
while [ $night -le 20 ]; do
	run regress --base $((night - 1)) --head $night --db nights.db
	expect_code 0
	expect_no_out 'regressed'
	expect_no_out 'improved'
	night=$((night + 1))
done

# fleet.db: one of four GPUs is 10.4 % slower.
run fleet --db fleet.db
expect_code 1
expect_out 'its first run, 2026-09-21  slower'
expect_out '+10.42 %'
expect_out '3 of 4 compared GPUs are like their fleet'
expect_out 'would not show'

# modes.db: the newest of 30 runs is slow, as five before it were.
run history 'k/v/*' --db modes.db
expect_code 0
expect_out 'no change point'
expect_out 'two modes since run 1'

finish
