# For sourcing. Tests that do the same many times do a part of it for each commit, another part for another one, and all of
# it in the suite "long": what breaks is seen within a few commits, and nobody waits for all of it each time.

# turn PARTS: prints which of so many parts is this commit's, 0 to PARTS - 1, by the commit's hash: it is the same however
# often a commit is tested. Where there is no history it is part 0.
turn() {
	local commit
	commit=$(git -C "$(dirname "${BASH_SOURCE[0]}")" rev-parse HEAD 2>/dev/null) || commit=0
	echo $((16#${commit:0:8} % $1))
}

# is_turn NUMBER PARTS: whether this commit does what has this number, of what is done in so many parts; always where
# STRATA_TEST_PARTS=all.
is_turn() {
	[ "${STRATA_TEST_PARTS:-}" = all ] || [ $(($1 % $2)) -eq "$(turn "$2")" ]
}
