/* demangle.h - kernel names as the program's author wrote them.
 *
 * The C++ ABI's own demangler does it, __cxa_demangle of the host's libstdc++, which is looked for at the first name.
 * Where there is none, names stay as they are.
 */
#ifndef STRATA_BASE_DEMANGLE_H
#define STRATA_BASE_DEMANGLE_H

/* The text with every mangled name in it ("_Z4goodPj") replaced ("good(unsigned int*)"). Freed with g_free. */
char *base_demangle(const char *text);

#endif
