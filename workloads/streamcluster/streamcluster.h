/* What the host program and the kernel of streamcluster share. */
#ifndef STREAMCLUSTER_H
#define STREAMCLUSTER_H

/* A point as far as the gain of a centre needs it; its coordinates lie in an array of their own. */
struct streamcluster_point {
	float weight;
	float cost;	     /* weighted squared distance to its centre */
	unsigned int centre; /* its centre, as the index of a point */
};

#endif
