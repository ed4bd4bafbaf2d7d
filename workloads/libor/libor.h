/*
 * Shared by the host program and the kernels: limits and the market.
 *
 * The arrays of a path lie in the thread's local memory, sums of 1 are in double precision, and where the published
 * program takes the fast division and exponential so do the kernels (M. B. Giles' LIBOR benchmark, as GPGPU-Sim's suite
 * has it: Bakhoda et al., ISPASS'09; TOM, ISCA'16, Figure 4).
 */
#ifndef LIBOR_H
#define LIBOR_H

#define LIBOR_BLOCK_THREADS 64
#define LIBOR_RATES_MAX 80
#define LIBOR_STEPS_MAX 40
#define LIBOR_OPTIONS_MAX 16

/* The market: one copy, in constant memory, read by every path. */
struct libor_market {
	float delta;                              /* years per step */
	float lambda[LIBOR_RATES_MAX];            /* volatility by time to maturity */
	unsigned int maturity[LIBOR_OPTIONS_MAX]; /* 1 to rates - steps */
	float swaprate[LIBOR_OPTIONS_MAX];
};

#endif
