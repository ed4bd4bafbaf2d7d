/*
 * Compressible flow on an unstructured grid of tetrahedra: the Euler equations by finite volumes, three Runge-Kutta
 * stages per step.  Every element gathers the state of its four neighbours through indices.
 *
 * The grid is a box of cubes, each cut into six tetrahedra (Kuhn), periodic in x and y, with walls below and above;
 * elements are renumbered at random within stretches, so that neighbours are near but not in order.
 *
 * The host repeats every step with the same code and compares bit for bit.  Independently, mass and energy must not
 * change: nothing leaves through the walls.
 */
#include "common/workload.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cfd.h"

static const char cfd_ptx[] =
#include WORKLOAD_PTX
	;

enum {
	BLOCK_THREADS = 192,
	CUTS = 6,	/* tetrahedra of a cube, one for each order of the axes */
	STRETCH = 64, /* elements that are renumbered among themselves */
};

struct grid {
	unsigned int side, height; /* cubes */
	unsigned int elements;
	uint32_t *number;     /* of element [cube * CUTS + cut] */
	uint32_t *neighbours; /* [CFD_FACES][elements] */
	float *faces;	      /* [CFD_FACES][3][elements] */
	float *volumes;	      /* [elements] */
	float *start;	      /* [CFD_VARIABLES][elements]: the state at the beginning */
};

/* Orders of the axes along which a tetrahedron's four corners follow each other. */
static const uint8_t cut_axes[CUTS][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

static unsigned int cut_of(uint8_t a, uint8_t b, uint8_t c)
{
	unsigned int cut = 0;

	while (cut_axes[cut][0] != a || cut_axes[cut][1] != b || cut_axes[cut][2] != c)
		cut++;
	return cut;
}

/* The cube one step along an axis; UINT32_MAX beyond a wall. */
static uint32_t cube_beside(const struct grid *g, uint32_t cube, int axis, int step)
{
	int at[3] = {(int)(cube % g->side), (int)(cube / g->side % g->side), (int)(cube / g->side / g->side)};
	int side = (int)g->side;

	at[axis] += step;
	if (at[2] < 0 || at[2] == (int)g->height)
		return UINT32_MAX;
	at[0] = (at[0] + side) % side;
	at[1] = (at[1] + side) % side;
	return (uint32_t)((at[2] * side + at[1]) * side + at[0]);
}

static void face_set(struct grid *g, uint32_t e, unsigned int face, uint32_t cube, unsigned int cut, int plus,
		     int minus)
{
	const float half = 0.5f; /* the cubes have side 1 */

	g->neighbours[face * g->elements + e] = cube == UINT32_MAX ? CFD_WALL : g->number[cube * CUTS + cut];
	if (plus >= 0)
		g->faces[(3 * face + (unsigned int)plus) * g->elements + e] = half;
	if (minus >= 0)
		g->faces[(3 * face + (unsigned int)minus) * g->elements + e] = -half;
}

/*
 * The four faces of a tetrahedron whose corners follow axes a, b, c from the cube's first corner: opposite the first
 * corner lies the cube beside along a, opposite the last the cube before along c; the two others are inside the cube.
 */
static void element_join(struct grid *g, uint32_t cube, unsigned int cut)
{
	uint8_t a = cut_axes[cut][0], b = cut_axes[cut][1], c = cut_axes[cut][2];
	uint32_t e = g->number[cube * CUTS + cut];

	face_set(g, e, 0, cube_beside(g, cube, a, 1), cut_of(b, c, a), a, -1);
	face_set(g, e, 1, cube, cut_of(b, a, c), b, a);
	face_set(g, e, 2, cube, cut_of(a, c, b), c, b);
	face_set(g, e, 3, cube_beside(g, cube, c, -1), cut_of(c, a, b), -1, c);
	g->volumes[e] = 1.0f / 6.0f;
}

/* Number the elements in the order of the cubes, shuffled within stretches (Fisher-Yates). */
static void elements_number(struct grid *g, uint64_t seed)
{
	for (uint32_t i = 0; i < g->elements; i++)
		g->number[i] = i;
	for (uint32_t first = 0; first < g->elements; first += STRETCH) {
		uint32_t count = g->elements - first < STRETCH ? g->elements - first : STRETCH;

		for (uint32_t i = count - 1; i > 0; i--) {
			uint32_t other = (uint32_t)(workload_random(seed, 0, first + i) % (i + 1));
			uint32_t number = g->number[first + i];

			g->number[first + i] = g->number[first + other];
			g->number[first + other] = number;
		}
	}
}

/* Air at rest, of random density and pressure around 1, moved by random small winds. */
static void state_make(struct grid *g, uint64_t seed)
{
	size_t n = g->elements;

	for (uint32_t e = 0; e < g->elements; e++) {
		float density = 0.875f + 0.25f * workload_random_float(seed, 1, e);
		float pressure = 0.875f + 0.25f * workload_random_float(seed, 2, e);
		float motion = 0.0f;

		g->start[e] = density;
		for (unsigned int k = 0; k < 3; k++) {
			float speed = 0.25f * workload_random_float(seed, 3 + k, e) - 0.125f;

			g->start[(1 + k) * n + e] = density * speed;
			motion += 0.5f * density * speed * speed;
		}
		g->start[4 * n + e] = pressure / (CFD_GAMMA - 1.0f) + motion;
	}
}

static struct grid grid_make(unsigned int side, unsigned int height, uint64_t seed)
{
	struct grid g = {.side = side, .height = height, .elements = side * side * height * CUTS};

	g.number = workload_host_alloc(g.elements, sizeof(*g.number));
	g.neighbours = workload_host_alloc((size_t)CFD_FACES * g.elements, sizeof(*g.neighbours));
	g.faces = workload_host_alloc((size_t)CFD_FACES * 3 * g.elements, sizeof(*g.faces));
	g.volumes = workload_host_alloc(g.elements, sizeof(*g.volumes));
	g.start = workload_host_alloc((size_t)CFD_VARIABLES * g.elements, sizeof(*g.start));
	elements_number(&g, seed);
	for (uint32_t cube = 0; cube < g.elements / CUTS; cube++) {
		for (unsigned int cut = 0; cut < CUTS; cut++)
			element_join(&g, cube, cut);
	}
	state_make(&g, seed);
	return g;
}

static void grid_free(struct grid *g)
{
	free(g->number);
	free(g->neighbours);
	free(g->faces);
	free(g->volumes);
	free(g->start);
}

/* A stage's share of the step, as Jameson's low-storage scheme has it. */
static float stage_step(float step, int stage)
{
	return step / (float)(CFD_STAGES - stage);
}

static void flow_run(const struct grid *g, unsigned int steps_count, float step, float *result)
{
	struct workload_gpu gpu = workload_gpu_open(cfd_ptx);
	CUfunction flux = workload_gpu_kernel(&gpu, "cfd_flux");
	CUfunction advance = workload_gpu_kernel(&gpu, "cfd_advance");
	unsigned int elements = g->elements;
	size_t bytes = (size_t)CFD_VARIABLES * elements * sizeof(float);
	CUdeviceptr variables = workload_device_copy(g->start, bytes);
	CUdeviceptr neighbours = workload_device_copy(g->neighbours, (size_t)CFD_FACES * elements * sizeof(uint32_t));
	CUdeviceptr faces = workload_device_copy(g->faces, (size_t)CFD_FACES * 3 * elements * sizeof(float));
	CUdeviceptr volumes = workload_device_copy(g->volumes, elements * sizeof(float));
	CUdeviceptr start = workload_device_alloc(bytes);
	CUdeviceptr fluxes = workload_device_alloc(bytes);
	float share;
	void *flux_params[] = {&variables, &neighbours, &faces, &fluxes, &elements};
	void *advance_params[] = {&start, &fluxes, &volumes, &variables, &share, &elements};
	struct workload_dim grid = {workload_ctas(elements, BLOCK_THREADS), 1, 1};
	struct workload_dim block = {BLOCK_THREADS, 1, 1};

	for (unsigned int n = 0; n < steps_count; n++) {
		WORKLOAD_CUDA(cuMemcpyDtoD(start, variables, bytes));
		for (int stage = 0; stage < CFD_STAGES; stage++) {
			share = stage_step(step, stage);
			workload_launch(flux, grid, block, flux_params);
			workload_launch(advance, grid, block, advance_params);
		}
	}
	WORKLOAD_CUDA(cuMemcpyDtoH(result, variables, bytes));
	WORKLOAD_CUDA(cuMemFree(variables));
	WORKLOAD_CUDA(cuMemFree(neighbours));
	WORKLOAD_CUDA(cuMemFree(faces));
	WORKLOAD_CUDA(cuMemFree(volumes));
	WORKLOAD_CUDA(cuMemFree(start));
	WORKLOAD_CUDA(cuMemFree(fluxes));
	workload_gpu_close(&gpu);
}

static void element_flux(const struct grid *g, const float *variables, uint32_t e, float *fluxes)
{
	struct cfd_state own = cfd_state_at(variables, g->elements, e);
	struct cfd_state sum = {0};

	for (unsigned int f = 0; f < CFD_FACES; f++) {
		uint32_t neighbour = g->neighbours[f * g->elements + e];
		struct cfd_face face = {g->faces[3 * f * g->elements + e], g->faces[(3 * f + 1) * g->elements + e],
					g->faces[(3 * f + 2) * g->elements + e]};

		if (neighbour == CFD_WALL) {
			cfd_add_wall(&sum, &own, &face);
		} else {
			struct cfd_state other = cfd_state_at(variables, g->elements, neighbour);

			cfd_add_face(&sum, &own, &other, &face);
		}
	}
	fluxes[e] = sum.density;
	fluxes[g->elements + e] = sum.x;
	fluxes[2 * g->elements + e] = sum.y;
	fluxes[3 * g->elements + e] = sum.z;
	fluxes[4 * g->elements + e] = sum.energy;
}

static void flow_reference(const struct grid *g, unsigned int steps_count, float step, float *variables)
{
	size_t count = (size_t)CFD_VARIABLES * g->elements;
	float *start = workload_host_alloc(count, sizeof(*start));
	float *fluxes = workload_host_alloc(count, sizeof(*fluxes));

	memcpy(variables, g->start, count * sizeof(*variables));
	for (unsigned int n = 0; n < steps_count; n++) {
		memcpy(start, variables, count * sizeof(*start));
		for (int stage = 0; stage < CFD_STAGES; stage++) {
			float share = stage_step(step, stage);

			for (uint32_t e = 0; e < g->elements; e++)
				element_flux(g, variables, e, fluxes);
			for (size_t i = 0; i < count; i++)
				variables[i] = fmaf(-share / g->volumes[i % g->elements], fluxes[i], start[i]);
		}
	}
	free(start);
	free(fluxes);
}

static bool is_conserved(const struct grid *g, const float *result, unsigned int variable, const char *what)
{
	const float *before = g->start + (size_t)variable * g->elements;
	const float *after = result + (size_t)variable * g->elements;
	double had = 0.0, has = 0.0;

	for (uint32_t e = 0; e < g->elements; e++) {
		had += (double)g->volumes[e] * before[e];
		has += (double)g->volumes[e] * after[e];
	}
	if (fabs(has - had) <= 1e-6 * fabs(had))
		return true;
	fprintf(stderr, "cfd: %s was %.9g and is %.9g\n", what, had, has);
	return false;
}

int main(int argc, char **argv)
{
	static const struct workload_about about = {
		"cfd", "Compressible flow on an unstructured grid of tetrahedra.", "21,600 elements, 2 steps",
		"97,500 elements, 10 steps (elements about as in Rodinia's fvcorr.domn.097K)"};
	static const struct workload_count counts[] = {
		{"side", "cubes along two sides of the grid, each cut into six elements", 15, 25, 2, 128, 1, NULL},
		{"height", "cubes along the third side", 16, 26, 2, 128, 1, NULL},
		{"steps", "time steps", 2, 10, 1, 1000, 1, NULL},
	};
	struct workload_options options = workload_sized_parse(&about, WORKLOAD_COUNTS(counts), argc, argv);
	struct grid g = grid_make(options.counts[0], options.counts[1], options.seed);
	unsigned int steps_count = options.counts[2];
	const float step = 0.03125f; /* well below what the shortest height of a tetrahedron allows */
	size_t count = (size_t)CFD_VARIABLES * g.elements;
	float *got = workload_host_alloc(count, sizeof(*got));
	float *want = workload_host_alloc(count, sizeof(*want));
	unsigned int elements = g.elements;
	bool right;

	flow_run(&g, steps_count, step, got);
	flow_reference(&g, steps_count, step, want);
	right = workload_same_f32("variables", got, want, count, 0) && is_conserved(&g, got, 0, "mass") &&
		is_conserved(&g, got, 4, "energy");
	free(got);
	free(want);
	grid_free(&g);
	return workload_finish(right, "%u elements, %u steps", elements, steps_count);
}
