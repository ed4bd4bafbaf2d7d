# layers.awk - who includes whom: src/layers first, then all sources of src/. Prints FILE:LINE: what.
function up(what) { printf "%s:%d: %s\n", FILENAME, FNR, what }
# Inside ndp/: carriers, what finds blocks and what maps data, what says where CTAs begin, then policies, which are all other folders.
function ndp_rank(folder) { return folder == "carry" ? 1 : folder == "map" || folder == "blocks" ? 2 : folder == "ctas" ? 3 : 4 }
FILENAME == "src/layers" {
	if (!/^#/ && NF) {
		rank[$1] = ++count
		mark[$1] = $2
		if ($2 !~ /^(-|door|device|inside)$/)
			up("an unknown mark: " $2)
	}
	next
}
# A policy of tests/ is as one of src/: it sees no other.
FILENAME ~ /^tests\// && /^[ \t]*#[ \t]*include[ \t]*"ndp\// {
	split($0, quoted, "\"")
	if (split(quoted[2], to, "/") > 2 && ndp_rank(to[2]) >= 3)
		up("a policy must not include ndp/" to[2] "/")
}
FILENAME ~ /^src\// && /^[ \t]*#[ \t]*include[ \t]*"/ {
	split($0, quoted, "\"")
	depth = split(quoted[2], to, "/")
	from_depth = split(FILENAME, from, "/")
	path = substr(FILENAME, length("src/") + 1)
	includes[path, ++include_count[path]] = quoted[2]
	if (to[1] in rank && from[2] in rank && from[2] != to[1]) {
		if (rank[to[1]] > rank[from[2]])
			up(from[2] "/ must not include " to[1] "/")
		else if (mark[to[1]] == "device" && mark[from[2]] == "device")
			up(from[2] "/ must not include " to[1] "/: a device knows no other")
	}
	if (mark[from[2]] == "door" && !(path in seen)) {
		seen[path]
		queue[++last] = path
	}
	if (from[2] == "ndp" && to[1] == "ndp" && from_depth > 3 && depth > 2 && to[2] != from[3] &&
	    ndp_rank(to[2]) >= ndp_rank(from[3]))
		up("ndp/" from[3] "/ must not include ndp/" to[2] "/")
	# Carriers are the only ones that see the inside of the GPU.
	if (from[2] != "gpu" && from[3] != "carry" && quoted[2] ~ /^gpu\/(priv|sm|mmu|queue|tlb)\.h$/)
		up(quoted[2] " is the inside of the GPU")
	if (from[2] == "ndp" && from[3] != "carry" && quoted[2] ~ /^ndp\/carry\/(priv\.h|.*\/)/)
		up(quoted[2] " is the inside of the carriers")
}
END { # what a door sees, through whatever it includes
	for (first = 1; first <= last; first++) {
		path = queue[first]
		for (i = 1; i <= include_count[path]; i++) {
			name = includes[path, i]
			split(name, to, "/")
			if (mark[to[1]] ~ /^(device|inside)$/)
				printf "src/%s: a door sees %s: devices are behind device/\n", path, name
			else if (!(name in seen)) {
				seen[name]
				queue[++last] = name
			}
		}
	}
}
