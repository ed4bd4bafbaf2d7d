/* The size of a spectrum, for the kernel and the host: table 3.1 of the PhD thesis. */
enum {
	SKACHAN_LOG = 9,
	SKACHAN_CHANNELS = 1 << SKACHAN_LOG,
	SKACHAN_TAPS = 8,
	SKACHAN_THREADS = SKACHAN_CHANNELS / 2,
};
