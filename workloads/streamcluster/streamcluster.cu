#include <strata/kernel.h>

#include "streamcluster.h"

/* What would change if `candidate` became a centre: one point per thread. A point that the candidate would serve at a
 * lower cost moves and its saving counts for the candidate (the last of its row of savings); else what it would cost
 * more counts for its present centre, found by the centre's place in the table. Coordinates lie points_count apart. */
extern "C" __global__ void streamcluster_gain(const float *coordinates, const struct streamcluster_point *points,
					      const unsigned int *place, float *savings, unsigned char *moves,
					      unsigned int candidate, unsigned int points_count,
					      unsigned int dimensions_count, unsigned int centres_count)
{
	unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
	float distance = 0.0f;
	float cost;
	float *row;

	if (i >= points_count)
		return;
#pragma unroll 1
	for (unsigned int k = 0; k < dimensions_count; k++) {
		float d = coordinates[k * points_count + i] - coordinates[k * points_count + candidate];

		distance += d * d;
	}
	cost = distance * points[i].weight;
	row = savings + (unsigned long)i * (centres_count + 1);
	if (cost < points[i].cost) {
		moves[i] = 1;
		row[centres_count] += cost - points[i].cost;
	} else {
		row[place[points[i].centre]] += points[i].cost - cost;
	}
}
