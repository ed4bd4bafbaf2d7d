# promela.awk - makes the transitions of coh.def for the model that SPIN checks: awk -f promela.awk coh.def
#
# For each agent an inline with a case per row; what the actions do is coh.pml's. -v faults="FAULT FAULT ...", each
# N:FIELD=WORD[:FIELD=WORD] (FIELD: next, or actions as words joined by +), plants mistakes in rows: the k-th is there where
# the model's variable `planted` is k. So one model has all of them.
/^COH_ROW\(/ {
	line = $0
	sub(/^COH_ROW\(/, "", line)
	sub(/\)[ \t]*$/, "", line)
	n = split(line, field, /,[ \t]*/)
	row++
	agent[row] = field[1]; state[row] = field[2]; event[row] = field[3]; condition[row] = field[4]
	next_state[row] = field[5]
	actions[row] = field[6]
	for (i = 7; i <= n; i++)
		actions[row] = actions[row] "+" field[i]
}
# One case of row r; fault: 0, or the number of the one that it has.
function put_case(r, fault, next_word, words,    m, i, act, guard) {
	guard = faults_of[r]
	if (fault)
		guard = " && planted == " fault
	printf "\t:: s == %s_%s && ev == EV_%s%s%s -> s = %s_%s", agent[r], state[r], event[r],
	       condition[r] == "HELD" ? " && held" : condition[r] == "FREE" ? " && !held" : "", guard, agent[r], next_word
	m = split(words, act, "+")
	for (i = 1; i <= m; i++)
		if (act[i] != "NOTHING")
			printf "; %s_%s()", agent[r], act[i]
	printf "; COVER(%d)\n", r
}
END {
	fault_count = split(faults, fault, " ")
	for (k = 1; k <= fault_count; k++) {
		parts = split(fault[k], part, ":")
		fault_row[k] = part[1]
		faults_of[part[1]] = faults_of[part[1]] " && planted != " k
		fault_next[k] = next_state[part[1]]
		fault_actions[k] = actions[part[1]]
		for (i = 2; i <= parts; i++) {
			split(part[i], set, "=")
			if (set[1] == "next")
				fault_next[k] = set[2]
			else if (set[1] == "actions")
				fault_actions[k] = set[2]
		}
	}
	for (r = 1; r <= row; r++) {
		if (!(agent[r] in seen)) { seen[agent[r]]; agents[++agent_count] = agent[r] }
		if (!((agent[r], state[r]) in seen_state)) {
			seen_state[agent[r], state[r]]
			printf "#define %s_%s %d\n", agent[r], state[r], state_count[agent[r]]++
		}
		if (!(event[r] in seen_event)) { seen_event[event[r]]; printf "#define EV_%s %d\n", event[r], ++event_count }
	}
	for (a = 1; a <= agent_count; a++) {
		printf "inline step_%s(s, ev)\n{\n\tif\n", agents[a]
		for (r = 1; r <= row; r++) {
			if (agent[r] != agents[a])
				continue
			put_case(r, 0, next_state[r], actions[r])
			for (k = 1; k <= fault_count; k++)
				if (fault_row[k] == r)
					put_case(r, k, fault_next[k], fault_actions[k])
		}
		printf "\tfi\n}\n"
	}
}
