/* tree.c - finds a program's descendants and ends them. */
#include "cli/tree.h"

#include <dirent.h>
#include <glib.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

uint64_t cli_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

void cli_tree_adopt(void)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1);
}

/* proc_pid_stat(5): the parent is the second word behind the name, which may hold anything. */
static pid_t parent_of(const char *pid)
{
	g_autofree char *path = g_strdup_printf("/proc/%s/stat", pid);
	g_autofree char *text = NULL;
	const char *name_end;
	int parent = 0;

	if (!g_file_get_contents(path, &text, NULL, NULL))
		return 0;
	name_end = strrchr(text, ')');
	return name_end && sscanf(name_end + 1, " %*c %d", &parent) == 1 ? parent : 0;
}

/* All processes: pid -> parent. */
static GHashTable *parents(void)
{
	GHashTable *table = g_hash_table_new(g_direct_hash, g_direct_equal);
	DIR *dir = opendir("/proc");
	const struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		if (g_ascii_isdigit(entry->d_name[0]))
			g_hash_table_insert(table, GINT_TO_POINTER(atoi(entry->d_name)),
					    GINT_TO_POINTER(parent_of(entry->d_name)));
	}
	if (dir)
		closedir(dir);
	return table;
}

/* How far below this process pid stands: 1 for a child; 0: it is not below. */
static uint32_t depth_of(GHashTable *parent, pid_t pid)
{
	const pid_t self = getpid();
	uint32_t depth = 0;

	for (; pid > 1 && pid != self; depth++)
		pid = GPOINTER_TO_INT(g_hash_table_lookup(parent, GINT_TO_POINTER(pid)));
	return pid == self ? depth : 0;
}

static uint32_t kill_depth(GHashTable *parent, uint32_t depth, int signal_number)
{
	GHashTableIter i;
	void *pid;
	uint32_t deeper = 0;

	g_hash_table_iter_init(&i, parent);
	while (g_hash_table_iter_next(&i, &pid, NULL)) {
		const uint32_t is_at = depth_of(parent, GPOINTER_TO_INT(pid));

		if (is_at == depth)
			kill(GPOINTER_TO_INT(pid), signal_number);
		deeper += is_at > depth;
	}
	return deeper;
}

/* Parents first: a shell whose child has ended would go on with its script before its own signal comes. */
void cli_tree_kill(int signal_number)
{
	GHashTable *parent = parents();
	uint32_t depth = 1;

	while (kill_depth(parent, depth, signal_number))
		depth++;
	g_hash_table_unref(parent);
}
