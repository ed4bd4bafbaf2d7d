/* sources.h - which files a design is made of: one file and what it uses of its folder, a folder, or a file list.
 *
 * One file "x.v", "x.sv" or "x.vhd": modules are looked for in its folder by their names, and SystemVerilog packages
 * that are used come before it. A folder: the file in it, or below, that has the module or entity ndp, and those whose
 * modules, interfaces and packages it uses. A file list "x.f": the files in its order, with +incdir+, +define+, -y, -G,
 * -work and -f as simulators know them; names in it are relative to its own folder.
 */
#ifndef STRATA_HDL_SOURCES_H
#define STRATA_HDL_SOURCES_H

#include <glib.h>

#include "base/diag.h"

struct hdl_files {
	char *top;	       /* of what the tools' messages and ours speak: the file, folder or list; absolute */
	GPtrArray *files;      /* char *, absolute, in the order of compilation */
	GPtrArray *libraries;  /* char *, of each file the VHDL library, "work" as a rule */
	GPtrArray *folders;    /* char *, where modules and includes are looked for */
	GPtrArray *defines;    /* char *, NAME or NAME=VALUE */
	GPtrArray *parameters; /* char *, NAME=VALUE: parameters or generics of ndp */
	bool is_vhdl;
};

/* The files of the design at path. defines and parameters: more of them, NAME=VALUE separated by commas, "" for none.
 * NULL after a message. Free with hdl_files_free. */
struct hdl_files *hdl_files_find(const char *path, const char *defines, const char *parameters,
				 struct base_diag_list *diag);
void hdl_files_free(struct hdl_files *files);
/* Adds each of some words behind a prefix to a command: "-I" and a folder, for example. The command frees them. */
void hdl_words_add(GPtrArray *command, const char *prefix, const GPtrArray *words);
/* The parameters as an instance in Verilog has them, "#(.A(1), .B(2))", or "" without any. Free with g_free. */
char *hdl_parameters_text(const struct hdl_files *files);

#endif
