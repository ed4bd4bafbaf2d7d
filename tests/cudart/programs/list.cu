// A linked list in managed memory: made on the host, changed and extended on the device, read on the host.
#include "program.h"

struct node {
	int value;
	node *next;
};

enum { N = 100 };

__global__ void walk(node *head, int *sum, int *count)
{
	for (node *n = head; n; n = n->next) {
		*sum += n->value;
		n->value *= 2;
		++*count;
	}
}

// Each thread puts its node in front.
__global__ void push(node **head, node *nodes)
{
	node *mine = &nodes[threadIdx.x], *seen = *head, *was;

	mine->value = -(int)threadIdx.x;
	for (;;) {
		mine->next = seen;
		was = (node *)atomicCAS((unsigned long long *)head, (unsigned long long)seen, (unsigned long long)mine);
		if (was == seen)
			break;
		seen = was;
	}
}

int main()
{
	node **head, *more, *n;
	int *sum, *count, length = 0, total = 0;

	OK(cudaMallocManaged(&head, sizeof(*head)));
	OK(cudaMallocManaged(&sum, sizeof(int)));
	OK(cudaMallocManaged(&count, sizeof(int)));
	OK(cudaMallocManaged(&more, 32 * sizeof(node)));
	*head = NULL;
	for (int i = 0; i < N; i++) {
		OK(cudaMallocManaged(&n, sizeof(node)));
		n->value = i;
		n->next = *head;
		*head = n;
	}
	*sum = *count = 0;
	walk<<<1, 1>>>(*head, sum, count);
	LAUNCHED();
	CHECK(*sum == N * (N - 1) / 2 && *count == N);
	push<<<1, 32>>>(head, more);
	LAUNCHED();
	for (n = *head; n; n = n->next) {
		total += n->value;
		length++;
	}
	CHECK(length == N + 32 && total == N * (N - 1) - 31 * 16);
	for (n = *head; n;) {
		node *next = n->next;

		if (n < more || n >= more + 32)
			OK(cudaFree(n));
		n = next;
	}
	OK(cudaFree(more));
	return 0;
}
