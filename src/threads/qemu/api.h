/* api.h - the part of QEMU's plugin interface that plugin.c uses, version 1 (QEMU 6.0 to 8.2: docs/devel/tcg-plugins of
 * QEMU). Debian's qemu-user has the interface, but no package has its header.
 */
#ifndef STRATA_THREADS_QEMU_API_H
#define STRATA_THREADS_QEMU_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QEMU_API __attribute__((visibility("default")))

enum { QEMU_API_VERSION = 1 };
extern QEMU_API int qemu_plugin_version;

/* What QEMU says when it loads a plugin. */
struct qemu_about {
	const char *target_name; /* "x86_64" */
	struct {
		int min, cur;
	} version;
	bool system_emulation;
	struct {
		int smp_vcpus, max_vcpus;
	} system;
};

struct qemu_plugin_tb;
struct qemu_plugin_insn;

/* Both of enums: what a callback does with registers, and which accesses it is for. */
enum qemu_registers { QEMU_NO_REGISTERS };
enum qemu_accesses { QEMU_READS = 1, QEMU_WRITES, QEMU_READS_AND_WRITES };

typedef void qemu_vcpu(uint64_t plugin, unsigned int vcpu);
typedef void qemu_executed(unsigned int vcpu, void *data);
typedef void qemu_accessed(unsigned int vcpu, uint32_t info, uint64_t address, void *data);
typedef void qemu_translated(uint64_t plugin, struct qemu_plugin_tb *block);
typedef void qemu_called(uint64_t plugin, unsigned int vcpu, int64_t number, uint64_t a1, uint64_t a2, uint64_t a3,
			 uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8);
typedef void qemu_returned(uint64_t plugin, unsigned int vcpu, int64_t number, int64_t result);
typedef void qemu_ended(uint64_t plugin, void *data);

QEMU_API int qemu_plugin_install(uint64_t plugin, const struct qemu_about *about, int argc, char **argv);

void qemu_plugin_register_vcpu_init_cb(uint64_t plugin, qemu_vcpu *call);
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t plugin, qemu_translated *call);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *block, qemu_executed *call, enum qemu_registers how,
					  void *data);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *instruction, qemu_executed *call,
					    enum qemu_registers how, void *data);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *instruction, qemu_accessed *call,
				      enum qemu_registers how, enum qemu_accesses which, void *data);
void qemu_plugin_register_vcpu_syscall_cb(uint64_t plugin, qemu_called *call);
void qemu_plugin_register_vcpu_syscall_ret_cb(uint64_t plugin, qemu_returned *call);
void qemu_plugin_register_atexit_cb(uint64_t plugin, qemu_ended *call, void *data);

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *block, size_t index);
/* The caller frees it; NULL or empty: QEMU has no disassembler for the target. */
char *qemu_plugin_insn_disas(const struct qemu_plugin_insn *instruction);

unsigned int qemu_plugin_mem_size_shift(uint32_t info);
bool qemu_plugin_mem_is_store(uint32_t info);

#endif
