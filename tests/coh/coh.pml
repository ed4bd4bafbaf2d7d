/* coh.pml - the agents of one or more lines around the transitions of coh.def, for SPIN.
 *
 * CPUS caches on the bus, an NDP-AP with REMOTES near-data processors of other channels behind it, NEARS caches of the
 * lines' own NDP. A value is a number modulo VALUES; every write makes the next one. Checked: who reads or writes has
 * the newest value; who writes is alone; no case is without a row (an inline's "if" would block: a deadlock); with
 * BUDGET, which bounds each agent's accesses and evictions, everything comes to rest, and nothing goes round without
 * an access or an eviction (pan -l).
 *
 * Lines meet in four places: messages of one wait behind those of others; a channel may be full; a cache of an NDP that
 * waits for one line asks for no other; and a claim of any line of a region changes the copy of the summary. The first
 * three can only keep an agent from a step that it need not take in a model of one line either. The last is OTHERS: the
 * copy of the summary changes at any time. So what is never wrong in one line with OTHERS, and with PLACES for the
 * messages of as many lines, is never wrong in any of these lines together; that they do not bring each other to a
 * stand is for models of several lines.
 *
 * Order: "down" carries lines written back, acknowledgments and Invalidates in order; reads have their own way and may
 * be overtaken or overtake, and see what the memory controller has not sent yet. "up" is in order. Both, and those to
 * and from the NDP's caches, are finite: a line that is evicted leaves a place for each line's acknowledgment.
 */
c_decl {
	static unsigned char covered[256];
	static void report(void)
	{
		printf("rows:");
		for (int r = 0; r < 256; r++)
			if (covered[r])
				printf(" %d", r);
		printf("\n");
	}
}
#define COVER(r) c_code { covered[r] = 1; }
#ifdef FAULTS
hidden byte planted; /* the number of the mistake in the rows: PLANTED in the environment */
#endif
#include "coh_rows.pml"

#ifndef LINES
#define LINES 1
#endif
#ifndef CPUS
#define CPUS 2
#endif
#ifndef NEARS
#define NEARS 2
#endif
#ifndef REMOTES
#define REMOTES 1
#endif
/* Channels have places for the messages of so many lines. */
#ifndef PLACES
#define PLACES LINES
#endif
/* Requests that the NDP-M has of the bus, and of its NDP; others wait with their senders. */
#ifndef QUEUE
#define QUEUE 1
#endif
#define DOWN_PLACES (2 * PLACES + 1)
#define UP_PLACES (2 * PLACES)
#define NOBODY 255
#define POINT_AGENT CPUS
#define CPU_SIDE 100

byte newest[LINES], memory[LINES], home[LINES], serving[LINES] = NOBODY, serving_event[LINES], probes[LINES];
bool is_again[LINES];
bool has_exclusive;	 /* caches on the bus have that state; else they are shared or modified */
byte bus_request[LINES]; /* event at the home, 0: none has come */
byte near[NEARS * LINES], near_value[NEARS * LINES], near_request[NEARS], near_line[NEARS];
byte holds[NEARS * LINES]; /* as the home knows: 0, 1 shared, 2 modified */
bool near_waits[NEARS], near_in[NEARS]; /* near_in: its request has a place of the queue */
byte near_taken, bus_taken;
bool invalidate_waits[LINES]; /* at the NDP-AP, for a place */
byte cpu[CPUS * LINES], cpu_value[CPUS * LINES], point[LINES], point_value[LINES];
byte bus_agent[LINES] = NOBODY; /* whose request is under way, at the home */
bool bus_write[LINES];
byte shadow = SHADOW_ALL_CPU;
byte claim[LINES];                                          /* event of a claim that has come, 0: none */
byte remote_event[REMOTES], remote_line[REMOTES];           /* at the NDP-AP */
byte remote_writes[REMOTES], remote_value[REMOTES];         /* 1: has the line's value and the lock; 2: sends it back */
byte lines_down[LINES];                                     /* written back, not yet there */
byte value_down[LINES];
chan up = [UP_PLACES] of { byte, byte, byte };
chan down = [DOWN_PLACES] of { byte, byte, byte };
chan reads = [LINES] of { byte, byte };
chan to_near[NEARS] = [PLACES + 1] of { byte, byte, byte };
chan from_near[NEARS] = [3] of { byte, byte, byte };

/* Kinds of messages upwards besides CLAIM_*, and from the NDP's caches besides requests. */
#define LINE_COMES 60
#define ACK_COMES 61
#define NACK_COMES 62
#define ANSWER_COMES 63

/* Of the one step that is under way: no part of the state. */
hidden byte l, i, k, v, w, ev, ask;
hidden byte held, is_done, is_there, is_modified, is_wait;
#ifdef BUDGET
byte budget[CPUS + NEARS + REMOTES] = BUDGET;
#define MAY(a) (budget[a] > 0)
#define SPEND(a) budget[a]--
#else
#define MAY(a) true
#define SPEND(a) skip
#endif
#define READS(x) assert((x) == newest[l])
#define WRITES(x) assert((x) == newest[l]); alone(); OTHERS_ARE_OLD; newest[l] = 1 - newest[l]; x = newest[l]
/* Also those that were old before the last write, whose value is the newest again: what is not on its way. */
#define OTHERS_ARE_OLD c_code { \
	int a; \
	now.memory[l] = now.value_down[l] = now.point_value[l] = now.newest[l]; \
	for (a = l; a < CPUS * LINES; a += LINES) now.cpu_value[a] = now.newest[l]; \
	for (a = l; a < NEARS * LINES; a += LINES) now.near_value[a] = now.newest[l]; \
}
/* At the end of each step: what nobody will read before it is written makes no difference between states. */
#define TIDY c_code { \
	int a; \
	for (a = 0; a < CPUS * LINES; a++) \
		if (now.cpu[a] == BUS_INVALID) now.cpu_value[a] = 0; \
	for (a = 0; a < NEARS * LINES; a++) \
		if (now.near[a] != NEAR_SHARED && now.near[a] != NEAR_UPGRADE && now.near[a] != NEAR_MODIFIED) \
			now.near_value[a] = 0; \
	for (a = 0; a < LINES; a++) { \
		if (now.point[a] != POINT_SHARED && now.point[a] != POINT_MODIFIED) now.point_value[a] = 0; \
		if (now.bus_agent[a] == NOBODY) now.bus_write[a] = 0; \
		if (now.serving[a] == NOBODY) now.serving_event[a] = 0; \
		if (!now.lines_down[a]) now.value_down[a] = 0; \
	} \
	for (a = 0; a < REMOTES; a++) \
		if (!now.remote_event[a] && !now.remote_writes[a]) now.remote_line[a] = 0; \
}

#define WRITES_LOCKED(x) WRITES(x)
/* A line that is written has no other copy that may be read. */
inline alone()
{
	w = (point[l] != POINT_INVALID -> 1 : 0);
	for (k : 0 .. CPUS - 1) { w = w + (cpu[k * LINES + l] != BUS_INVALID -> 1 : 0) }
	for (k : 0 .. NEARS - 1) {
		w = w + (near[k * LINES + l] == NEAR_SHARED || near[k * LINES + l] == NEAR_MODIFIED ||
			 near[k * LINES + l] == NEAR_UPGRADE -> 1 : 0)
	}
	assert(w == 1)
}

/* ---- the home ---- */
inline HOME_LINE_UP()
{
	/* What the memory controller has still to send is the newest. */
	v = (lines_down[l] -> value_down[l] : memory[l]);
	up!LINE_COMES, l, v; serving[l] = NOBODY; bus_taken--
}
inline HOME_ACK_UP() { up!ACK_COMES, l, 0; serving[l] = NOBODY; bus_taken-- }
inline HOME_NACK_UP() { up!NACK_COMES, l, 0; serving[l] = NOBODY; bus_taken-- }
inline HOME_STORE() { memory[l] = v }
inline HOME_CLAIM_SHARED() { up!EV_CLAIM_READ, l, 0 }
inline HOME_CLAIM_OWNED() { up!EV_CLAIM_WRITE, l, 0 }
inline HOME_AGAIN() { is_again[l] = true }
inline near_leaves() { near_in[serving[l]] = false; near_taken--; serving[l] = NOBODY }
inline HOME_GRANT_SHARED()
{
	to_near[serving[l]]!EV_GRANT, l, memory[l]; holds[serving[l] * LINES + l] = 1; near_leaves()
}
inline HOME_GRANT_OWNED()
{
	to_near[serving[l]]!EV_GRANT, l, memory[l]; holds[serving[l] * LINES + l] = 2; near_leaves()
}
inline HOME_PROBE_SHARED()
{
	for (k : 0 .. NEARS - 1) {
		if
		:: k != serving[l] && holds[k * LINES + l] == 2 -> to_near[k]!EV_TO_SHARED, l, 0; probes[l]++; holds[k * LINES + l] = 1
		:: else
		fi
	}
}
inline HOME_PROBE_INVALID()
{
	for (k : 0 .. NEARS - 1) {
		if
		:: k != serving[l] && holds[k * LINES + l] -> to_near[k]!EV_TO_INVALID, l, 0; probes[l]++; holds[k * LINES + l] = 0
		:: else
		fi
	}
}
inline find_held()
{
	held = false;
	for (k : 0 .. NEARS - 1) {
		if
		:: k != serving[l] && (holds[k * LINES + l] == 2 || (holds[k * LINES + l] && serving_event[l] != EV_N_READ && serving_event[l] != EV_C_READ)) -> held = true
		:: else
		fi
	}
}

/* ---- a cache of the NDP: i, at line l ---- */
#define NEAR_AT near[i * LINES + l]
#define NEAR_VALUE near_value[i * LINES + l]
inline NEAR_ASK_SHARED() { from_near[i]!EV_N_READ, l, 0; near_waits[i] = true }
inline NEAR_ASK_OWNED() { from_near[i]!EV_N_WRITE, l, 0; near_waits[i] = true }
inline NEAR_HIT() { is_done = true }
inline NEAR_TAKE() { near_waits[i] = false; is_done = true }
inline NEAR_WRITE_BACK() { from_near[i]!EV_N_LINE, l, NEAR_VALUE }
inline NEAR_ANSWER() { from_near[i]!ANSWER_COMES, l, 0 }

/* ---- a cache on the bus: i ---- */
#define CPU_AT cpu[i * LINES + l]
#define CPU_VALUE cpu_value[i * LINES + l]
inline BUS_ASK_SHARED() { skip }
inline BUS_ASK_OWNED() { skip }
inline BUS_HIT() { is_done = true }
inline BUS_TAKE() { is_done = true }
inline BUS_WRITE_BACK() { send_line(CPU_VALUE) }
inline BUS_HAND_OVER() { skip }
inline POINT_ASK_SHARED() { ask = 1 }
inline POINT_ASK_OWNED() { ask = 2 }
inline POINT_DATA_DOWN()
{
	if
	:: ev == EV_R_WRITE -> remote_writes[i] = 1; remote_value[i] = point_value[l]
	:: else
	fi;
	READS(point_value[l]); remote_event[i] = 0
}
inline POINT_EXECUTE() { WRITES(point_value[l]); remote_event[i] = 0 }
inline POINT_WAIT() { is_wait = true }
inline POINT_TAKE() { is_done = true }
inline POINT_GO_ON() { skip }
inline POINT_WRITE_BACK() { send_line(point_value[l]) }
inline POINT_HAND_OVER() { skip }
inline SHADOW_MIRROR() { is_done = true }
inline SHADOW_FORWARD() { is_done = false }
inline SHADOW_SHARED() { is_there = true }
inline send_line(x)
{
	down!EV_C_LINE, l, x; lines_down[l]++; value_down[l] = x
}

/* Agent w begins a request for line l, which nobody else has under way: caches hand it over, or the home is asked. */
inline begin(who, write)
{
	is_there = false; is_modified = false;
	for (k : 0 .. CPUS - 1) {
		if
		:: cpu[k * LINES + l] != BUS_INVALID -> is_there = true; v = cpu_value[k * LINES + l];
			is_modified = (is_modified || cpu[k * LINES + l] == BUS_MODIFIED || cpu[k * LINES + l] == BUS_EXCLUSIVE)
		:: else
		fi
	}
	if
	:: point[l] != POINT_INVALID -> is_there = true; v = point_value[l]; is_modified = (is_modified || point[l] == POINT_MODIFIED)
	:: else
	fi;
	is_done = true;
	if
	:: !is_there -> reads!(write -> EV_C_WRITE : EV_C_READ), l; is_done = false
	:: is_there && write && !is_modified -> step_SHADOW(shadow, EV_INVALIDATE);
		invalidate_waits[l] = !is_done
	:: else
	fi;
	if
	:: is_done -> finish(who, write)
	:: else -> bus_agent[l] = who; bus_write[l] = write
	fi
}
/* It ends: the others change, the agent has the line with value v. */
inline finish(who, write)
{
	ev = (write -> EV_ANOTHER_WRITES : EV_ANOTHER_READS);
	for (i : 0 .. CPUS - 1) {
		if
		:: i != who && CPU_AT != BUS_INVALID -> step_BUS(CPU_AT, ev)
		:: else
		fi
	}
	if
	:: who != POINT_AGENT && point[l] != POINT_INVALID -> step_POINT(point[l], ev)
	:: else
	fi;
	bus_agent[l] = NOBODY;
	ev = (write -> EV_GRANT_WRITE : EV_GRANT_READ);
	if
	:: who == POINT_AGENT -> point_value[l] = v; step_POINT(point[l], ev)
	:: else -> i = who; CPU_VALUE = v;
		is_there = (point[l] != POINT_INVALID);
		for (k : 0 .. CPUS - 1) { is_there = (is_there || cpu[k * LINES + l] != BUS_INVALID) }
		if
		:: has_exclusive && !write && !is_there -> step_SHADOW(shadow, EV_ALONE)
		:: else
		fi;
		if
		:: has_exclusive && !write && !is_there -> ev = EV_GRANT_ALONE
		:: else
		fi;
		step_BUS(CPU_AT, ev);
		if
		:: write -> WRITES(CPU_VALUE)
		:: else -> READS(CPU_VALUE)
		fi
	fi
}

/* A claim: all caches on the bus leave or share the line, a modified one is written back before the acknowledgment. */
inline apply_claim()
{
	ev = claim[l];
	for (i : 0 .. CPUS - 1) {
		if
		:: CPU_AT != BUS_INVALID -> step_BUS(CPU_AT, ev)
		:: else
		fi
	}
	if
	:: point[l] != POINT_INVALID -> step_POINT(point[l], ev)
	:: else
	fi;
	step_SHADOW(shadow, EV_CHANGE);
	claim[l] = 0;
	down!EV_ACK, l, 0
}

proctype cpu_cache(byte me; byte line)
{
#define MINE cpu[me * LINES + line]
#define OWNS (MINE == BUS_MODIFIED || MINE == BUS_EXCLUSIVE)
#define IS_FREE (bus_agent[line] == NOBODY && point[line] != POINT_LOCKED)
end:	do
	:: atomic { MINE != BUS_INVALID && MAY(me) -> l = line; i = me; SPEND(me);
		step_BUS(CPU_AT, EV_LOAD); READS(CPU_VALUE); TIDY }
	:: atomic { OWNS && MAY(me) -> l = line; i = me; SPEND(me);
		step_BUS(CPU_AT, EV_WRITE); WRITES(CPU_VALUE); TIDY }
	:: atomic { MINE == BUS_INVALID && IS_FREE && MAY(me) -> l = line; i = me; SPEND(me);
		step_BUS(CPU_AT, EV_LOAD); begin(me, false); TIDY }
	:: atomic { !OWNS && IS_FREE && MAY(me) && len(down) < DOWN_PLACES - PLACES ->
		l = line; i = me; SPEND(me); step_BUS(CPU_AT, EV_WRITE); begin(me, true); TIDY }
	:: atomic { MINE != BUS_INVALID && bus_agent[line] == NOBODY && len(down) < DOWN_PLACES - PLACES && MAY(me) ->
		l = line; i = me; SPEND(me); step_BUS(CPU_AT, EV_EVICT); TIDY }
	od
}

/* What comes up, and claims that wait: for a locked line. */
proctype bus()
{
	byte kind, line, value, c;
end:	do
	:: atomic { up?kind, line, value ->
		if
		:: kind == LINE_COMES || kind == ACK_COMES ->
			l = line; v = value;
			if
			:: kind == ACK_COMES -> /* the line is in a cache here */
				is_there = false;
				for (k : 0 .. CPUS - 1) {
					if
					:: cpu[k * LINES + l] != BUS_INVALID -> is_there = true; v = cpu_value[k * LINES + l]
					:: else
					fi
				}
				if
				:: point[l] != POINT_INVALID -> is_there = true; v = point_value[l]
				:: else
				fi;
				assert(is_there)
			:: else
			fi;
			c = bus_agent[l];
			finish(c, bus_write[l])
		:: kind == NACK_COMES -> reads!EV_C_WRITE, line
		:: else -> assert(claim[line] == 0); claim[line] = kind
		fi;
		kind = 0; line = 0; value = 0; c = 0; TIDY }
#define INVALIDATE(x) \
	:: atomic { invalidate_waits[x] && bus_taken < QUEUE && len(down) < DOWN_PLACES - PLACES -> \
		invalidate_waits[x] = false; bus_taken++; down!EV_C_INVALIDATE, x, 0; TIDY }
	INVALIDATE(0)
#if LINES > 1
	INVALIDATE(1)
#endif
#ifdef OTHERS
	:: atomic { shadow != SHADOW_UNDEFINED -> step_SHADOW(shadow, EV_CHANGE); TIDY }
#endif
	:: atomic { claim[0] != 0 && point[0] != POINT_LOCKED && len(down) + 2 <= DOWN_PLACES -> l = 0; apply_claim(); TIDY }
#if LINES > 1
	:: atomic { claim[1] != 0 && point[1] != POINT_LOCKED && len(down) + 2 <= DOWN_PLACES -> l = 1; apply_claim(); TIDY }
#endif
	od
}

/* An NDP of another channel, and the NDP-AP's work for it. */
proctype remote(byte me; byte line)
{
end:	do
	:: atomic { remote_event[me] == 0 && remote_writes[me] == 0 && MAY(CPUS + NEARS + me) ->
		SPEND(CPUS + NEARS + me); remote_line[me] = line;
		if
		:: remote_event[me] = EV_R_READ
		:: remote_event[me] = EV_R_WRITE
		:: remote_event[me] = EV_R_ATOMIC
		fi; TIDY }
	/* A line that it lacks, or has not to itself, is asked for, when nobody else has a request under way. */
	:: atomic { remote_event[me] != 0 && remote_line[me] == line &&
		    (point[line] == POINT_INVALID || (point[line] == POINT_SHARED && remote_event[me] != EV_R_READ)) &&
		    bus_agent[line] == NOBODY && len(down) < DOWN_PLACES - PLACES ->
		l = line; i = me; ev = remote_event[me]; step_POINT(point[l], ev); begin(POINT_AGENT, ask == 2); TIDY }
	/* Not while the bus has a request for it under way: that would find the line locked. */
	:: atomic { remote_event[me] != 0 && remote_line[me] == line && bus_agent[line] == NOBODY &&
		    (point[line] == POINT_MODIFIED || (point[line] == POINT_SHARED && remote_event[me] == EV_R_READ)) ->
		l = line; i = me; ev = remote_event[me];
		if
		:: ev == EV_R_READ || ev == EV_R_WRITE -> step_POINT(point[l], ev)
		:: else -> step_POINT(point[l], ev)
		fi; TIDY }
	:: atomic { remote_writes[me] == 1 && remote_line[me] == line ->
		l = line; i = me; v = remote_value[me]; is_wait = false;
		/* All others wait for the lock. */
		for (k : 1 .. 7) {
			ev = (k == 1 -> EV_R_READ : (k == 2 -> EV_R_WRITE : (k == 3 -> EV_R_ATOMIC :
			     (k == 4 -> EV_ANOTHER_READS : (k == 5 -> EV_ANOTHER_WRITES :
			     (k == 6 -> EV_CLAIM_READ : EV_CLAIM_WRITE))))));
			is_wait = false; step_POINT(point[l], ev); assert(is_wait)
		}
		WRITES_LOCKED(v); point_value[l] = v; remote_writes[me] = 0; remote_value[me] = 0;
		step_POINT(point[l], EV_R_RETURN); TIDY }
	:: atomic { point[line] != POINT_INVALID && point[line] != POINT_LOCKED && bus_agent[line] == NOBODY &&
		    len(down) < DOWN_PLACES - PLACES && MAY(CPUS + NEARS + me) ->
		l = line; SPEND(CPUS + NEARS + me); step_POINT(point[l], EV_EVICT); TIDY }
	od
}

proctype near_cache(byte me)
{
	byte kind, line, value;
#define NEAR_MINE(x) near[me * LINES + x]
end:	do
#define ACCESSES(x) \
	:: atomic { !near_waits[me] && NEAR_MINE(x) != NEAR_INVALID && MAY(CPUS + me) -> l = x; i = me; SPEND(CPUS + me); \
		step_NEAR(NEAR_AT, EV_LOAD); READS(NEAR_VALUE); TIDY } \
	:: atomic { !near_waits[me] && NEAR_MINE(x) == NEAR_MODIFIED && MAY(CPUS + me) -> l = x; i = me; \
		SPEND(CPUS + me); step_NEAR(NEAR_AT, EV_WRITE); WRITES(NEAR_VALUE); TIDY } \
	:: atomic { !near_waits[me] && NEAR_MINE(x) == NEAR_INVALID && nfull(from_near[me]) && MAY(CPUS + me) -> \
		l = x; i = me; SPEND(CPUS + me); step_NEAR(NEAR_AT, EV_LOAD); TIDY } \
	:: atomic { !near_waits[me] && NEAR_MINE(x) != NEAR_MODIFIED && nfull(from_near[me]) && MAY(CPUS + me) -> \
		l = x; i = me; SPEND(CPUS + me); step_NEAR(NEAR_AT, EV_WRITE); TIDY } \
	:: atomic { !near_waits[me] && NEAR_MINE(x) != NEAR_INVALID && len(from_near[me]) == 0 && MAY(CPUS + me) -> \
		l = x; i = me; SPEND(CPUS + me); step_NEAR(NEAR_AT, EV_EVICT); TIDY }
	ACCESSES(0)
#if LINES > 1
	ACCESSES(1)
#endif
	:: atomic { len(to_near[me]) > 0 && len(from_near[me]) <= 1 -> to_near[me]?kind, line, value;
		l = line; i = me;
		if
		:: kind == EV_GRANT -> NEAR_VALUE = value; step_NEAR(NEAR_AT, EV_GRANT);
			if
			:: NEAR_AT == NEAR_MODIFIED -> WRITES(NEAR_VALUE)
			:: else -> READS(NEAR_VALUE)
			fi
		:: else -> ev = kind; step_NEAR(NEAR_AT, ev)
		fi;
		kind = 0; line = 0; value = 0; TIDY }
	od
}

/* Requests that find no place wait where nothing is behind them, so that what is awaited comes. */
proctype ndp_m()
{
	byte kind, line, value;
end:	do
	:: atomic { down?kind, line, value -> l = line; v = value;
		if
		:: kind == EV_C_INVALIDATE -> bus_request[line] = kind
		:: kind == EV_C_LINE -> lines_down[line]--; step_HOME(home[l], EV_C_LINE)
		:: kind == EV_ACK -> step_HOME(home[l], EV_ACK)
		fi;
		kind = 0; line = 0; value = 0; TIDY }
	:: atomic { bus_taken < QUEUE && nempty(reads) -> reads?kind, line; bus_taken++;
		bus_request[line] = kind; kind = 0; line = 0; TIDY }
/* Where there is a place for all, a request has it at once. */
#if QUEUE < NEARS
#define HAS_PLACE(x) skip
#else
#define HAS_PLACE(x) near_in[x] = true; near_taken++
#endif
#define FROM(x) \
	:: atomic { from_near[x]?kind, line, value -> l = line; v = value; \
		if \
		:: kind == ANSWER_COMES -> probes[l]--; \
			if :: probes[l] == 0 -> step_HOME(home[l], EV_PROBED) :: else fi \
		:: kind == EV_N_LINE -> holds[x * LINES + l] = (holds[x * LINES + l] == 2 -> 0 : holds[x * LINES + l]); \
			step_HOME(home[l], EV_N_LINE) \
		:: else -> near_request[x] = kind; near_line[x] = line; HAS_PLACE(x) \
		fi; \
		kind = 0; line = 0; value = 0; TIDY }
	FROM(0)
#if NEARS > 1
	FROM(1)
#endif
#define SERVE(x) \
	:: atomic { serving[x] == NOBODY && bus_request[x] != 0 -> serving[x] = CPU_SIDE; serving_event[x] = bus_request[x]; \
		bus_request[x] = 0; is_again[x] = true; TIDY } \
	:: atomic { is_again[x] && nfull(up) -> l = x; is_again[x] = false; find_held(); ev = serving_event[x]; step_HOME(home[l], ev); TIDY }
	SERVE(0)
#if LINES > 1
	SERVE(1)
#endif
#define SERVE_NEAR(x) \
	:: atomic { near_request[x] != 0 && !near_in[x] && near_taken < QUEUE -> near_in[x] = true; near_taken++; TIDY } \
	:: atomic { near_in[x] && near_request[x] != 0 && serving[near_line[x]] == NOBODY -> l = near_line[x]; serving[l] = x; \
		serving_event[l] = near_request[x]; near_request[x] = 0; near_line[x] = 0; is_again[l] = true; TIDY }
	SERVE_NEAR(0)
#if NEARS > 1
	SERVE_NEAR(1)
#endif
	od
}

#ifdef BUDGET
proctype rest()
{
	timeout -> d_step {
		assert(len(up) == 0 && len(down) == 0 && len(reads) == 0 && bus_taken == 0 && near_taken == 0);
		for (k : 0 .. LINES - 1) {
			assert(serving[k] == NOBODY && bus_agent[k] == NOBODY && claim[k] == 0 && !bus_request[k] && point[k] != POINT_LOCKED)
		}
		for (k : 0 .. NEARS - 1) { assert(!near_waits[k] && len(to_near[k]) == 0 && len(from_near[k]) == 0) }
		for (k : 0 .. REMOTES - 1) { assert(remote_event[k] == 0 && remote_writes[k] == 0) }
	};
}
#endif

init {
	c_code { atexit(report); };
#ifdef FAULTS
	c_code { planted = atoi(getenv("PLANTED")); };
#endif
	atomic {
		for (w : 0 .. LINES - 1) { serving[w] = NOBODY; bus_agent[w] = NOBODY }
		for (w : 0 .. LINES - 1) {
			for (v : 0 .. CPUS - 1) { run cpu_cache(v, w) }
#ifndef NO_REMOTES
			for (v : 0 .. REMOTES - 1) { run remote(v, w) }
#endif
		}
		if
		:: skip
		:: has_exclusive = true
		fi;
		if
		:: skip
		:: shadow = SHADOW_ALL_SHR; for (w : 0 .. LINES - 1) { home[w] = HOME_SHR }
		:: shadow = SHADOW_ALL_NDP; for (w : 0 .. LINES - 1) { home[w] = HOME_NDP }
		fi;
		for (v : 0 .. NEARS - 1) { run near_cache(v) }
		run bus(); run ndp_m();
#ifdef BUDGET
		run rest();
#endif
		w = 0; v = 0
	}
}
