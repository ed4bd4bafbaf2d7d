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

static bool is_ours(GHashTable *parent, pid_t pid)
{
	const pid_t self = getpid();

	while (pid > 1 && pid != self)
		pid = GPOINTER_TO_INT(g_hash_table_lookup(parent, GINT_TO_POINTER(pid)));
	return pid == self;
}

void cli_tree_kill(int signal_number)
{
	GHashTable *parent = parents();
	GHashTableIter i;
	void *pid;

	g_hash_table_iter_init(&i, parent);
	while (g_hash_table_iter_next(&i, &pid, NULL)) {
		if (GPOINTER_TO_INT(pid) != getpid() && is_ours(parent, GPOINTER_TO_INT(pid)))
			kill(GPOINTER_TO_INT(pid), signal_number);
	}
	g_hash_table_unref(parent);
}
