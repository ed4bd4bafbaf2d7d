/* tools.h - the HDL tools as other processes. What they say is collected, for whoever decides whether it is said. */
#ifndef STRATA_HDL_TOOLS_H
#define STRATA_HDL_TOOLS_H

#include <glib.h>

#include "base/diag.h"

/* A tool that is not there gets a message with its package of Debian's. */
bool hdl_tool_is_there(const char *tool, const char *package, struct base_diag_list *diag);
/* Runs a command in a folder (NULL: ours). Its standard output goes to *out, to be freed, or nowhere (NULL); its
 * standard error is added to said. False: it cannot be started, or does not end with 0. */
bool hdl_tool_run(const char *folder, const char *const *words, char **out, GString *said);
/* Puts a command together, which frees its words, and runs it: words, ended by NULL, are added. */
void hdl_command_add(GPtrArray *command, const char *const *words);
bool hdl_command_run(const char *folder, GPtrArray *command, char **out, GString *said);
/* A file from one folder to another; false after a message. */
bool hdl_tool_copy(const char *from, const char *to, const char *name, struct base_diag_list *diag);
/* Removes a folder without folders in it. */
void hdl_tool_remove_folder(const char *path);
/* Names in a folder that end in one of the suffixes (NULL ends them), sorted; free with g_ptr_array_unref. */
GPtrArray *hdl_tool_names(const char *folder, const char *const *suffixes);

#endif
