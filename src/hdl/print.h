/* print.h - what Verilator's library prints by; included before everything that is compiled of a design. */
#ifndef HDL_PRINT_H
#define HDL_PRINT_H

#ifdef __cplusplus
int hdl_print(const char *format, ...) __attribute__((format(printf, 1, 2)));
#endif

#endif
