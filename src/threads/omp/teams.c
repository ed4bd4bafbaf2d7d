/* teams.c - leagues: the teams of a teams region, one after the other, each with all threads that there are. Teams may
 * not wait for each other, so a program does not find it out but by its time. */
#include "threads/omp/omp_rt.h"

#include <stdarg.h>
#include <stdlib.h>

/* A thread of a league, outside of parallel regions: a team of one. */
struct league {
	struct omp_thread context;
	struct omp_team team;
	uint32_t number, count;
};

/* A context has no room for what only the next region needs, and more would cost every region: a thread outside of all
 * regions is in no loop, and a number of threads below 0 says that there is a number of teams. */
OMP_API void __kmpc_push_num_teams(ident_t *loc, int32_t global, int32_t teams, int32_t threads);
OMP_API void __kmpc_push_num_teams_51(ident_t *loc, int32_t global, int32_t least, int32_t most, int32_t threads);
OMP_API void __kmpc_push_num_teams(ident_t *loc, int32_t global, int32_t teams, int32_t threads)
{
	struct omp_thread *self = omp_thread();

	(void)loc;
	(void)global;
	self->chunk = (uint64_t)teams;
	self->next_thread_count = -1 - threads;
}

void __kmpc_push_num_teams_51(ident_t *loc, int32_t global, int32_t least, int32_t most, int32_t threads)
{
	__kmpc_push_num_teams(loc, global, most ? most : least, threads);
}

/* Of the next one; *threads: at most so many in each team. */
static uint32_t league_size(struct omp_thread *outer, int32_t *threads)
{
	const char *text = getenv("OMP_NUM_TEAMS");
	int32_t count = 0;

	*threads = outer->thread_count;
	if (outer->next_thread_count < 0) {
		count = (int32_t)outer->chunk;
		if (-1 - outer->next_thread_count > 0 && -1 - outer->next_thread_count < *threads)
			*threads = -1 - outer->next_thread_count;
	}
	outer->next_thread_count = 0;
	if (count < 1 && text)
		count = atoi(text);
	return count > 0 ? (uint32_t)count : 1;
}

/* The code takes as many arguments as it was compiled with; more do no harm. */
static void execute(struct omp_thread *self, void **a, uint32_t count)
{
	void (*code)(int32_t *, int32_t *, ...) = (void (*)(int32_t *, int32_t *, ...))self->team->code;
	int32_t global = self->global, number = 0;

#define FOUR(i) a[i], a[i + 1], a[i + 2], a[i + 3]
#define SIXTEEN(i) FOUR(i), FOUR(i + 4), FOUR(i + 8), FOUR(i + 12)
	if (count <= 16)
		code(&global, &number, SIXTEEN(0));
	else
		code(&global, &number, SIXTEEN(0), SIXTEEN(16), SIXTEEN(32), SIXTEEN(48));
}

static void team(struct omp_thread *outer, struct league *l, int32_t threads)
{
	l->team.count = 1;
	l->team.master = outer;
	for (uint32_t i = 0; i < OMP_LOOPS; i++)
		l->team.loops[i].number = i;
	l->context = (struct omp_thread){.team = &l->team,
					 .outer = outer,
					 .global = outer->global,
					 .level = outer->level,
					 .active_level = outer->active_level,
					 .thread_count = threads};
	omp_task_begin_region(&l->context);
	omp_self = &l->context;
	execute(&l->context, l->team.args, l->team.arg_count);
	omp_barrier(&l->context);
	omp_task_end_region(&l->context);
	omp_self = outer;
}

OMP_API void __kmpc_fork_teams(ident_t *loc, int32_t arg_count, void (*code)(), ...)
{
	struct omp_thread *outer = omp_thread();
	int32_t threads;
	const uint32_t count = league_size(outer, &threads);
	void *args[OMP_ARGS_MAX];
	struct league l;
	va_list list;

	(void)loc;
	if (arg_count > OMP_ARGS_MAX)
		omp_missing("a region with more than 64 shared variables");
	va_start(list, code);
	for (int32_t i = 0; i < arg_count; i++)
		args[i] = va_arg(list, void *);
	va_end(list);
	for (uint32_t i = 0; i < count; i++) {
		l = (struct league){.number = i, .count = count};
		l.team.code = code;
		l.team.args = args;
		l.team.arg_count = (uint32_t)arg_count;
		team(outer, &l, threads);
	}
}

/* The league that the thread is in, NULL: none. Its context is no level deeper than the one around it, as only a
 * league's is. */
static const struct league *league_of(const struct omp_thread *t)
{
	while (t && !(t->outer && t->level == t->outer->level))
		t = t->outer;
	return (const struct league *)t;
}

OMP_API int omp_get_num_teams(void)
{
	const struct league *l = league_of(omp_thread());

	return l ? (int)l->count : 1;
}

OMP_API int omp_get_team_num(void)
{
	const struct league *l = league_of(omp_thread());

	return l ? (int)l->number : 0;
}

/* The part of a loop that is this team's: the plugin sends the calls of distribute here, so that those of
 * other loops need not ask. */
enum { DISTRIBUTE_CHUNKED = 91 };

#define DISTRIBUTE(suffix, type, stype)                                                                                \
	OMP_API void __kmpc_distribute_static_init_##suffix(ident_t *loc, int32_t global, int32_t schedule,            \
							    int32_t *is_last, type *lower, type *upper, stype *stride, \
							    stype step, stype chunk);                                  \
	void __kmpc_distribute_static_init_##suffix(ident_t *loc, int32_t global, int32_t schedule, int32_t *is_last,  \
						    type *lower, type *upper, stype *stride, stype step, stype chunk)  \
	{                                                                                                              \
		const struct league *l = league_of(omp_thread());                                                      \
		const uint64_t teams = l ? l->count : 1, number = l ? l->number : 0;                                   \
		uint64_t count, each, from, mine;                                                                      \
                                                                                                                       \
		(void)loc;                                                                                             \
		(void)global;                                                                                          \
		*stride = step;                                                                                        \
		*is_last = 0;                                                                                          \
		if (step > 0 ? *upper < *lower : *lower < *upper)                                                      \
			return;                                                                                        \
		count = step > 0 ? ((uint64_t)*upper - (uint64_t)*lower) / (uint64_t)step + 1                          \
				 : ((uint64_t)*lower - (uint64_t)*upper) / (uint64_t)-step + 1;                        \
		if (schedule == DISTRIBUTE_CHUNKED) {                                                                  \
			if (chunk < 1)                                                                                 \
				chunk = 1;                                                                             \
			*stride = (stype)(chunk * step * (stype)teams);                                                \
			*is_last = number == (count - 1) / (uint64_t)chunk % teams;                                    \
			*lower = (type)(*lower + (type)(chunk * step * (stype)number));                                \
			*upper = (type)(*lower + (type)(chunk * step - step));                                         \
			return;                                                                                        \
		}                                                                                                      \
		each = count / teams;                                                                                  \
		from = number * each + (number < count % teams ? number : count % teams);                              \
		mine = each + (number < count % teams);                                                                \
		*is_last = mine && from + mine == count;                                                               \
		*stride = (stype)(step > 0 ? *upper - *lower + 1 : *lower - *upper + 1);                               \
		if (mine) {                                                                                            \
			*lower = (type)(*lower + (type)((stype)from * step));                                          \
			*upper = (type)(*lower + (type)((stype)(mine - 1) * step));                                    \
		} else { /* nothing */                                                                                 \
			*lower = (type)(*upper + (type)step);                                                          \
		}                                                                                                      \
	}
DISTRIBUTE(4, int32_t, int32_t)
DISTRIBUTE(4u, uint32_t, int32_t)
DISTRIBUTE(8, int64_t, int64_t)
DISTRIBUTE(8u, uint64_t, int64_t)
