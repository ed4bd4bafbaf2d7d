/* tsan.c - the thread sanitizer's hooks, for objects that a compiler has built with -fsanitize=thread only.
 *
 * Accesses of up to 16 bytes are seen, in their order, without the instructions between them: at its end a run says how
 * often such functions were called, as it does of others that strata cc has not built.
 *
 * Such a hook gets an address only, and the access goes there, whatever the model has answered: who reads what other
 * copies have written reads the newest. Atomics are calls, and are made at the place that the model says. Linked only
 * into programs with such objects, by strata cc. */
#include "threads/rt/rt.h"

/* What is between two hooks is not known to be free of calls: always in the order of time. */
#define SITE(size, what)                                                   \
	({                                                                 \
		static const struct thread_site site = {                   \
		    .bytes = (size),                                       \
		    .kind = (what),                                        \
		    .has_counts = 1,                                       \
		    .flags = THREAD_SITE_ORDERED,                          \
		    .counts = {[THREAD_CLASS_memory] = 1}};                \
		&site;                                                     \
	})

enum { WIDE = 16 }; /* what one access of a range moves */

static inline void touch(void *address, const struct thread_site *site)
{
	if (__strata_on)
		__strata_access(address, site);
}

static inline void *at(const volatile void *address, const struct thread_site *site)
{
	void *own = (void *)(uintptr_t)address;

	return __strata_on ? __strata_access(own, site) : own;
}

static void touch_range(char *address, size_t bytes, const struct thread_site *wide, const struct thread_site *byte)
{
	for (; bytes >= WIDE; bytes -= WIDE, address += WIDE)
		touch(address, wide);
	for (; bytes; bytes--)
		touch(address++, byte);
}

/* A call at a function's end is a jump: the hook returns to the program, and knows its line by that. */
#define ACCESS(name, size, what)          \
	RT_API void __tsan_##name(void *address); \
	RT_API void __tsan_##name(void *address)  \
	{                                 \
		touch(address, SITE(size, what)); \
	}
#define BOTH(name, size)                       \
	RT_API void __tsan_##name(void *address);      \
	RT_API void __tsan_##name(void *address)       \
	{                                      \
		touch(address, SITE(size, THREAD_READ)); \
		touch(address, SITE(size, THREAD_WRITE)); \
	}
#define ACCESSES(size)                               \
	ACCESS(read##size, size, THREAD_READ)        \
	ACCESS(write##size, size, THREAD_WRITE)      \
	ACCESS(unaligned_read##size, size, THREAD_READ) \
	ACCESS(unaligned_write##size, size, THREAD_WRITE) \
	BOTH(read_write##size, size)                 \
	BOTH(unaligned_read_write##size, size)
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)
ACCESS(vptr_read, sizeof(void *), THREAD_READ)

RT_API void __tsan_vptr_update(void *address, void *value);
RT_API void __tsan_vptr_update(void *address, void *value)
{
	(void)value;
	touch(address, SITE(sizeof(void *), THREAD_WRITE));
}

RT_API void __tsan_read_range(void *address, size_t bytes);
RT_API void __tsan_read_range(void *address, size_t bytes)
{
	touch_range(address, bytes, SITE(WIDE, THREAD_READ), SITE(1, THREAD_READ));
}

RT_API void __tsan_write_range(void *address, size_t bytes);
RT_API void __tsan_write_range(void *address, size_t bytes)
{
	touch_range(address, bytes, SITE(WIDE, THREAD_WRITE), SITE(1, THREAD_WRITE));
}

RT_API void *__strata_memcpy(void *to, const void *from, size_t bytes);
RT_API void *__strata_memmove(void *to, const void *from, size_t bytes);
RT_API void *__strata_memset(void *to, int value, size_t bytes);

RT_API void *__tsan_memcpy(void *to, const void *from, size_t bytes);
RT_API void *__tsan_memcpy(void *to, const void *from, size_t bytes)
{
	return __strata_memcpy(to, from, bytes);
}

RT_API void *__tsan_memmove(void *to, const void *from, size_t bytes);
RT_API void *__tsan_memmove(void *to, const void *from, size_t bytes)
{
	return __strata_memmove(to, from, bytes);
}

RT_API void *__tsan_memset(void *to, int value, size_t bytes);
RT_API void *__tsan_memset(void *to, int value, size_t bytes)
{
	return __strata_memset(to, value, bytes);
}

/* What a detector of races wants to know besides. */
#define NOTHING(name, ...)                   \
	RT_API void __tsan_##name(__VA_ARGS__); \
	RT_API void __tsan_##name(__VA_ARGS__)  \
	{                                    \
	}
NOTHING(init, void)
NOTHING(func_exit, void)
NOTHING(ignore_thread_begin, void)
NOTHING(ignore_thread_end, void)
NOTHING(atomic_signal_fence, __attribute__((unused)) int order)

static struct thread_call entered __attribute__((section("strata_calls"), used, aligned(8))) = {
    RT_TSAN_CALLS, 0};

RT_API void __tsan_func_entry(void *caller);
RT_API void __tsan_func_entry(void *caller)
{
	(void)caller;
	if (__strata_on)
		__strata_called(&entered);
}

RT_API void __tsan_atomic_thread_fence(int order);
RT_API void __tsan_atomic_thread_fence(int order)
{
	(void)order;
	if (__strata_on)
		__strata_fence(&(const struct thread_site){.kind = THREAD_FENCE, .flags = THREAD_SITE_ORDERED});
	else
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* Atomics of any order are sequentially consistent: that is never wrong. */
#define UPDATE(bits, type, name, what)                                                              \
	RT_API type __tsan_atomic##bits##_##name(volatile type *address, type value, int order);     \
	RT_API type __tsan_atomic##bits##_##name(volatile type *address, type value, int order)      \
	{                                                                                           \
		type *const own = at(address, SITE(sizeof(type), THREAD_RMW));                       \
                                                                                                    \
		(void)order;                                                                        \
		return what(own, value, __ATOMIC_SEQ_CST);                                           \
	}
#define EXCHANGE_IF(bits, type, name)                                                               \
	RT_API int __tsan_atomic##bits##_compare_exchange_##name(volatile type *address, type *expected, \
								 type value, int order, int failed); \
	RT_API int __tsan_atomic##bits##_compare_exchange_##name(volatile type *address, type *expected, \
								 type value, int order, int failed)  \
	{                                                                                           \
		type *const own = at(address, SITE(sizeof(type), THREAD_CMPXCHG));                   \
                                                                                                    \
		(void)order, (void)failed;                                                           \
		return __atomic_compare_exchange_n(own, expected, value, false, __ATOMIC_SEQ_CST,    \
						   __ATOMIC_SEQ_CST);                                \
	}
#define ATOMICS(bits, type)                                                                         \
	RT_API type __tsan_atomic##bits##_load(const volatile type *address, int order);             \
	RT_API type __tsan_atomic##bits##_load(const volatile type *address, int order)              \
	{                                                                                           \
		type *const own = at(address, SITE(sizeof(type), THREAD_ATOMIC_READ));               \
                                                                                                    \
		(void)order;                                                                        \
		return __atomic_load_n(own, __ATOMIC_SEQ_CST);                                       \
	}                                                                                           \
	RT_API void __tsan_atomic##bits##_store(volatile type *address, type value, int order);      \
	RT_API void __tsan_atomic##bits##_store(volatile type *address, type value, int order)       \
	{                                                                                           \
		type *const own = at(address, SITE(sizeof(type), THREAD_ATOMIC_WRITE));              \
                                                                                                    \
		(void)order;                                                                        \
		__atomic_store_n(own, value, __ATOMIC_SEQ_CST);                                      \
	}                                                                                           \
	UPDATE(bits, type, exchange, __atomic_exchange_n)                                           \
	UPDATE(bits, type, fetch_add, __atomic_fetch_add)                                           \
	UPDATE(bits, type, fetch_sub, __atomic_fetch_sub)                                           \
	UPDATE(bits, type, fetch_and, __atomic_fetch_and)                                           \
	UPDATE(bits, type, fetch_or, __atomic_fetch_or)                                             \
	UPDATE(bits, type, fetch_xor, __atomic_fetch_xor)                                           \
	UPDATE(bits, type, fetch_nand, __atomic_fetch_nand)                                         \
	EXCHANGE_IF(bits, type, strong)                                                             \
	EXCHANGE_IF(bits, type, weak)                                                               \
	RT_API type __tsan_atomic##bits##_compare_exchange_val(volatile type *address, type expected, \
							       type value, int order, int failed);   \
	RT_API type __tsan_atomic##bits##_compare_exchange_val(volatile type *address, type expected, \
							       type value, int order, int failed)    \
	{                                                                                           \
		__tsan_atomic##bits##_compare_exchange_strong(address, &expected, value, order, failed); \
		return expected;                                                                    \
	}
ATOMICS(8, uint8_t)
ATOMICS(16, uint16_t)
ATOMICS(32, uint32_t)
ATOMICS(64, uint64_t)
