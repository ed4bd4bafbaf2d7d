/* draw.c - a hash of the seed and the number of the draw, against the ratio. */
#include "ndp/nsu/draw.h"

bool nsu_draw(struct nsu_draw *d, double ratio)
{
	/* splitmix64's finaliser (Steele, Lea, Flood, OOPSLA'14) over seed and number of the draw */
	uint64_t z = ++d->count * 0x9e3779b97f4a7c15ull + d->seed * 0xd1342543de82ef95ull;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	z ^= z >> 31;
	return (double)(z >> 11) * 0x1p-53 < ratio;
}
