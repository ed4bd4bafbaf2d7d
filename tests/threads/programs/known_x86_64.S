# 7,005 instructions: 2,000 reads, 3,000 writes (QEMU stores 16 bytes as two times 8), 1,000 atomic additions.
	.globl _start
_start:	mov	$1000, %ecx
	lea	words(%rip), %rsi
again:	mov	(%rsi), %eax
	add	%eax, 8(%rsi)
	lock incl 16(%rsi)
	movups	%xmm0, 32(%rsi)
	imul	%eax, %eax
	dec	%ecx
	jnz	again
	mov	$60, %eax
	xor	%edi, %edi
	syscall
	.bss
	.balign	64
words:	.zero	128
