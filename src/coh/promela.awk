# promela.awk - makes the transitions of coh.def for the model that SPIN checks: awk -f promela.awk coh.def
#
# For each agent an inline with a case per row; what the actions do is coh.pml's. -v fault=N:FIELD=WORD[:FIELD=WORD] changes
# a row before (FIELD: next, or actions as words joined by +): a planted fault; fault=N:drop leaves the row out.
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
END {
	parts = split(fault, part, ":")
	for (i = 2; i <= parts; i++) {
		split(part[i], set, "=")
		if (part[i] == "drop")
			dropped[part[1]]
		else if (set[1] == "next")
			next_state[part[1]] = set[2]
		else if (set[1] == "actions")
			actions[part[1]] = set[2]
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
			if (agent[r] != agents[a] || r in dropped)
				continue
			printf "\t:: s == %s_%s && ev == EV_%s%s -> s = %s_%s", agent[r], state[r], event[r],
			       condition[r] == "HELD" ? " && held" : condition[r] == "FREE" ? " && !held" : "",
			       agent[r], next_state[r]
			m = split(actions[r], act, "+")
			for (i = 1; i <= m; i++)
				if (act[i] != "NOTHING")
					printf "; %s_%s()", agent[r], act[i]
			printf "; COVER(%d)\n", r
		}
		printf "\tfi\n}\n"
	}
}
