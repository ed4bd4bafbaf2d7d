/* file_list.h - a design's file list, as simulators read them by -f. */
#ifndef STRATA_HDL_FILE_LIST_H
#define STRATA_HDL_FILE_LIST_H

#include "hdl/sources.h"

/* Adds what the list says, and the lists that it includes. False after messages, with their places. */
bool hdl_file_list_read(struct hdl_files *f, const char *path, struct base_diag_list *diag);

/* These are in sources.c. */
struct hdl_files *hdl_files_new(const char *top);
void hdl_files_add(struct hdl_files *f, const char *file, const char *library);
bool hdl_file_is_vhdl(const char *file);

#endif
