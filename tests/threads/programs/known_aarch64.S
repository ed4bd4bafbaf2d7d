// 8,006 instructions: 1,000 reads and writes, as many exclusive ones, 1,000 fences and multiplications.
	.globl _start
_start:	mov	w1, #1000
	adrp	x2, words
	add	x2, x2, :lo12:words
again:	ldr	x0, [x2]
	str	x0, [x2, #8]
	ldxr	w3, [x2]
	stxr	w4, w3, [x2]
	dmb	ish
	mul	x5, x0, x0
	subs	w1, w1, #1
	b.ne	again
	mov	x8, #93
	mov	x0, #0
	svc	#0
	.bss
	.balign	64
words:	.zero	128
