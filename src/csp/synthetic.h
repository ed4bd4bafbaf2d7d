/* synthetic.h - the inputs of programs: antenna signals, filter weights, twiddle factors. Private to csp/ and its
 * tests. */
#ifndef STRATA_CSP_SYNTHETIC_H
#define STRATA_CSP_SYNTHETIC_H

#include <complex.h>
#include <stdint.h>

/* A sample of an antenna: a tone that reaches it by its phase, and noise of its own; integers of 8 bits over 128, as
 * receivers give. Any seed will do. */
float complex csp_signal_sample(uint64_t time, uint64_t antenna, uint64_t seed);
/* A real weight of a polyphase filter: a sinc under a Hamming window, as long as all taps of all channels. */
float csp_filter_weight(uint32_t channel, uint32_t tap, uint32_t channel_count, uint32_t tap_count);
/* exp(-2 pi i k / n), rounded. */
float complex csp_twiddle(uint64_t k, uint64_t n);
uint32_t csp_bit_reverse(uint32_t value, uint32_t bits);

enum { CSP_WINDOW_MAX = 256, CSP_SCALE_MAX = 64 };
/* Lines of a table of a convolution matrix: scale * scale parts, of each the places -window to lanes in a line, of each
 * the rows. */
int64_t csp_matrix_lines(int64_t window, int64_t scale, int64_t lanes);

#endif
