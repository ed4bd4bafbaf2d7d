# Sourced by bench/real: running what nobody here wrote.

# Runs COMMAND with its output in LOG, for WALL_S seconds and CPU_S seconds of each process, writing at most 256 MiB to
# any file (an endless output ends by a signal), first in line when memory runs out. Nothing that it started is left.
confined() { # LOG WALL_S CPU_S COMMAND...
	local log=$1 wall_s=$2 cpu_s=$3 status mark=$out:$BASHPID
	shift 3
	{ (
		ulimit -S -t "$cpu_s"
		ulimit -c 0 -f 262144
		echo 1000 2>/dev/null >/proc/self/oom_score_adj
		exec env "BENCH_REAL_MARK=$mark" timeout -k 5 "$wall_s" "$@"
	) </dev/null >"$log" 2>&1; } 2>/dev/null # bash's own word on a killed one
	status=$?
	end_marked "$mark"
	cut_log "$log"
	return $status
}

# A program may leave its process group and its session, but not what its environment was when it started.
end_marked() { # [MARK]: of this run of bench/real, or of all that run with its results
	local environ pid
	while read -r environ; do
		pid=${environ#/proc/}
		pid=${pid%/environ}
		[ "$pid" = $$ ] || kill -9 "$pid" 2>/dev/null
	done < <(grep -lszF "BENCH_REAL_MARK=${1-$out:}" /proc/[0-9]*/environ 2>/dev/null)
}

cut_log() { # LOG: the two ends of a flood say what it was
	local size
	size=$(stat -c %s "$1")
	[ "$size" -gt 1048576 ] || return 0
	{
		head -c 524288 "$1"
		printf '\n[... %d bytes left out ...]\n' $((size - 1048576))
		tail -c 524288 "$1"
	} >"$1.cut" && mv "$1.cut" "$1"
}
