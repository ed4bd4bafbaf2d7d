/* link.h - several parsed PTX modules made one, by the rules of PTX ISA 8.x section 10.6 (linking directives).
 *
 * What a name means across objects:
 *   .visible     defines it; two definitions are an error
 *   .common      the largest of that name is taken; a .visible definition goes before it
 *   .weak        taken where no .visible or .common definition exists; the first of several
 *   .extern      is the definition of another object; an unsized .extern .shared that nobody defines is the launch's
 *                dynamic shared memory
 *   none         belongs to its object alone; where two objects have the name, the later one is called NAME$oN
 *   .alias       defines its new name
 * A function declared without body and without .extern counts as .extern. Every declaration must fit the definition:
 * functions in number, space and size of parameters and results, variables in space and size. An .extern that no
 * kernel, variable or alias leads to need not be defined: a library may have functions of which the program has no use.
 * The result has the highest version of the objects, and the highest target of those that have a .visible kernel or
 * code that another object uses; the lowest of all where none has.
 */
#ifndef STRATA_PTX_LINK_H
#define STRATA_PTX_LINK_H

#include "ptx/ptx.h"

/* Makes one module called name (copied) of objects[0..count), count at least 1, all different. Takes the objects over:
 * they are part of the result, or freed where it fails; their addresses are dead either way. is_builtin tells the
 * functions that need no definition. Returns NULL with at least one message, each naming the symbol and the objects.
 * The result is as one that ptx_module_parse made, and ptx_print_module prints it so that it can be parsed; its
 * instructions keep the line numbers of their objects. */
struct ptx_module *ptx_link(const char *name, struct ptx_module **objects, uint32_t count,
			    bool (*is_builtin)(const char *name), struct base_diag_list *diag);

#endif
