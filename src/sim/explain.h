/* explain.h - rows by which a part says where the time of a run went, declared beside its parameters and statistics.
 *
 * A part writes them in a file of its own, included several times:
 *
 *   BOUND(label, seconds)            what a resource needs for a run's work at its full rate
 *   IDEAL(label, seconds)            of a mechanism that stands for an ideal: what is a bound for every machine of its
 *                                    kind; comparisons print it below their table
 *   WORK(label, list, work, seconds) what the roofs are of: each item of a list of the results; list "": the program
 *   ROOF(label, kind, use, per_s)    kind UNIT or BYTES: what an item of WORK uses of a resource, and its full rate
 *   LEDGER(label, statistic)         what a mechanism did, in its own words
 *   MOVED(what, list, of, by, which) what a mechanism runs beside the data, "kernel" say: items of a list whose "of" is
 *                                    that, or "": all, and for which the formula `which` is above 0, or "": all.
 *                                    Those whose member `by` is the same name are one row, which has their sums
 *   HERE(list, of, by, number)       how long, in ps, what has the same name takes in a run without the mechanism, of
 *                                    that run's items
 *   NUMBER(name, number)             a number of each such row; there_ps is how long it takes beside the data,
 *                                    saved_bytes and spent_bytes are what it spares and costs. "own.NAME" is a number
 *                                    of its items, or of a row above; own.kinds.KIND the time of that kind of part
 *                                    (account/account.h), own.sums.MEMBER the sum of what a member has, own.here_ps
 *   SAID(when, text)                 a piece of the sentence about each; {own.NAME:s} is a text that it has
 *   CASE(name, what, settings)       the machine with one resource made ideal: settings are separated by spaces,
 *                                    "KEY=VALUE", "KEY*N" (N times what the machine has), "KEY=OTHER*N" (N times what
 *                                    it has of another one, at most the largest value); "MEMORY." is its first
 *                                    memory; "?KEY=VALUE": only of machines that have this value
 *   BEST(name, what, settings)       such a machine that nobody can build, or several at once: a bound of what could be
 *                                    gained, and a cause only where no CASE is worth anything
 *   FEWER(name, when, times, what, settings)
 *                                    a machine with so many times less of a resource, of a run in which the formula
 *                                    `when` is above 0: where it takes no longer, the rest of it has nothing to do, and
 *                                    a program with more to do at a time would do so many times more
 *   FINDING(when, text)              a sentence for runs in which the formula `when` is above 0; {FORMULA:D} in it is
 *                                    a number with D decimals
 *   FINDING_OF(name, when, text)     one that blames what the case of that name makes ideal: where that is worth
 *                                    nothing, the sentence says so
 *   UNITS(label, unit, whole)        whose time the part has an account of, what counts it, and how much there was
 *   USED(label, amount)              a part of that time in which it does its work
 *   SHARE(label, amount)             a part in which it waits; what all of them leave is said to be unaccounted
 *   SPLIT(share, member, title)      how a SHARE of that label divides along the way of what it waits for: in a cell of
 *                                    the account, the member that has the parts; the title of their table
 *   TIMED(key, who, unit, list, which, whole)
 *                                    whose time the results have by unit: items of a list, those for which the formula
 *                                    `which` is above 0, or "": all; each has the parts of its time in "parts", which
 *                                    add up to the formula `whole`, in that unit, ps or cycles. key: what results call
 *                                    them; who they are, for sentences
 *   PLACES(of, list, members, without, title)
 *                                    the same time by place in the program: items of a list, whose members, separated
 *                                    by spaces, have the parts; of: the key of TIMED, or the label of UNITS. Parts of
 *                                    the kind `without` (account/account.h) are left out. The title of their table;
 *                                    "": they are no places, and only what SPLIT divides is read
 *   BEHIND(list, name, title)        the same time by what was waited for: items of a list, each with a number of that
 *                                    name and the parts by key of TIMED; the title of their table
 *   RECKON(name, number)             a number of sim/reckoned.def, of the run or of its machine
 *   SUMMARY(when, label, text)       a line of what `strata run` prints of runs in which the formula `when` is above
 *                                    0, or "": of all; {FORMULA:D} as above, {FORMULA:Dg} with D significant digits,
 *                                    {FORMULA:W.D} in W columns
 *   ALSO(when, before, text)         a piece of the SUMMARY line above it, in runs in which the formula `when` is above
 *                                    0; `before` stands before the line's first piece, a comma before the others
 *   PROGRAM(when, label, text)       a line below the copies of the program's time
 *   WAY(label, way)                  such a line of the bytes that went this way, their rate, and what it could carry
 *   COLUMN(title, number)            a column of comparisons: three that say what moved, and a fourth in the place of
 *                                    what units waited for most
 *   AMOUNT(label, amount)            how much there was of something, of which two runs are compared by their ratio
 *   RATE(label, share)               how often something was found, of which they are compared by the difference
 *   AREA(label, nm, mm2)             what the part adds to a die, as a source states it, in that technology
 *   SERIES(title, unit, value)       what was sampled, over time (sim/sample.h), of each stretch of it: stat.NAME is by
 *                                    how much a count has grown in it, part1.NAME the same of its second part,
 *                                    gauge.NAME what there was at the end, span_s the length, and cycles those of it;
 *                                    "MEMORY." is any memory. Series of the same title are one drawing
 *   MAP(title, counts)               the bytes of these counts, separated by spaces, by part and time
 *   ACCOUNT(parts)                   the table of parts (account/account.h) of the account in the results
 *   FIELD(name)                      a number of the results that the part puts there, for the rows' formulas
 *   LIST(name)                       a list of them
 *
 * All but labels, names and texts are formulas (base/formula.h) over the results of a run: stat.NAME and param.NAME are
 * statistics and parameters (param.MEMORY.NAME: of its first memory), choice.NAME.VALUE is 1 where a parameter is that
 * one of its choices and 0 where it is another, traffic.WAY and peak.WAY bytes and bytes per second (machine/traffic.h;
 * traffic.dram is what was read and written), time_s the time of the kernels, or of the program where it has none,
 * time_ps the same in whole ps, cycles the cycles of that time, energy_j the energy. A statistic that the machine does
 * not count is 0, everything else that it does not have is missing.
 *
 * In the C file that holds them: define EXPLAIN_TABLE (the name of the struct sim_explain) and EXPLAIN_ROWS (the file),
 * then include "sim/explain.inc".
 */
#ifndef STRATA_SIM_EXPLAIN_H
#define STRATA_SIM_EXPLAIN_H

#include <stdbool.h>
#include <stddef.h>

#include "account/account.h"

struct sim_explain_bound {
	const char *label, *seconds;
};
struct sim_explain_work {
	const char *label, *list, *work, *seconds;
};
struct sim_explain_roof {
	const char *label;
	bool is_unit;
	const char *use, *per_s;
};
struct sim_explain_ledger {
	const char *label, *statistic;
};
struct sim_explain_moved {
	const char *what, *list, *of, *by, *which;
};
struct sim_explain_here {
	const char *list, *of, *by, *number;
};
struct sim_explain_number {
	const char *name, *number;
};
struct sim_explain_said {
	const char *when, *text;
};
struct sim_explain_case {
	const char *name, *what, *settings;
	bool is_best;
	const char *when; /* of FEWER, or NULL */
	double times;
};
struct sim_explain_finding {
	const char *when, *text, *of; /* of: a case's name, or NULL */
};
struct sim_explain_units {
	const char *label, *unit, *whole;
};
struct sim_explain_share {
	const char *label, *amount;
	bool is_used;
};
struct sim_explain_split {
	const char *share, *member, *title;
};
struct sim_explain_timed {
	const char *key, *who, *unit, *list, *which, *whole;
};
struct sim_explain_places {
	const char *of, *list, *members;
	enum account_kind without;
	const char *title;
};
struct sim_explain_behind {
	const char *list, *name, *title;
};
enum sim_reckoned {
#define RECKONED(name, what) SIM_RECKONED_##name,
#include "sim/reckoned.def"
#undef RECKONED
	SIM_RECKONED_COUNT
};
struct sim_explain_reckoned {
	const char *number; /* NULL: behind the last row */
	enum sim_reckoned which;
};
enum sim_explain_place { SIM_EXPLAIN_LINE, SIM_EXPLAIN_PIECE, SIM_EXPLAIN_PROGRAM };
struct sim_explain_line {
	enum sim_explain_place place;
	const char *when, *label, *text;
	const char *way; /* in the place of the text; NULL: none */
};
struct sim_explain_column {
	const char *title, *number;
};
struct sim_explain_count {
	const char *label, *value;
	bool is_rate;
};
struct sim_explain_area {
	const char *label;
	unsigned nm;
	const char *mm2;
};
struct sim_explain_series {
	const char *title, *unit, *value;
};
struct sim_explain_map {
	const char *title, *counts;
};
struct sim_explain_name {
	const char *name;
};

/* Each list ends with a row whose first text is NULL. */
struct sim_explain {
	const struct sim_explain_bound *bounds, *ideals;
	const struct sim_explain_work *work;
	const struct sim_explain_roof *roofs;
	const struct sim_explain_ledger *ledger;
	const struct sim_explain_moved *moved;
	const struct sim_explain_here *here;
	const struct sim_explain_number *numbers;
	const struct sim_explain_said *said;
	const struct sim_explain_case *cases;
	const struct sim_explain_finding *findings;
	const struct sim_explain_units *units;
	const struct sim_explain_share *shares;
	const struct sim_explain_split *splits;
	const struct sim_explain_timed *timed;
	const struct sim_explain_places *places;
	const struct sim_explain_behind *behind;
	const struct sim_explain_reckoned *reckoned;
	const struct sim_explain_line *summary;
	const struct sim_explain_column *columns;
	const struct sim_explain_count *counts;
	const struct sim_explain_area *areas;
	const struct sim_explain_series *series;
	const struct sim_explain_map *maps;
	const struct sim_explain_name *fields, *lists;
	const struct account_parts *const *accounts; /* to NULL */
};

#endif
