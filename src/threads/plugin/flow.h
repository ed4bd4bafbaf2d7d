/* flow.h - what hangs on what in a function: of each access, the loads that its address and its data are computed from.
 *
 * A load whose value something hangs on has a slot, a number in the thread. At run time the slot says when the load
 * that executed last is done, whichever way the program took to where the value is used. A value that goes round a loop
 * through arithmetic (a sum) has a slot, too. What comes from a call, an argument or a load that its thread waits for
 * (atomic, volatile) is there from the beginning; what goes through memory the machine finds by its address.
 */
#ifndef STRATA_THREADS_PLUGIN_FLOW_H
#define STRATA_THREADS_PLUGIN_FLOW_H

#include <llvm/IR/Function.h>
#include <llvm/IR/Instruction.h>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "threads/site.h"

/* Operations one after the other, by class. */
struct FlowPath {
	std::array<uint8_t, THREAD_PATH_CLASS_COUNT> n{};

	void add(const FlowPath &other);
	/* By the classes' default cycles. */
	uint32_t cycles() const;
	uint16_t packed() const;
};

struct FlowStep {
	uint8_t kind; /* enum thread_flow_kind */
	uint8_t slot;
	FlowPath path;
};

/* Of a site. */
struct Flow {
	bool isKnown = false;
	uint8_t slot = 0; /* of a load whose value something hangs on */
	std::vector<FlowStep> steps;

	bool hasValues() const;
};

class FlowOfFunction {
public:
	/* isHooked: it gets a site; pathOf: what an instruction that is none takes. */
	FlowOfFunction(llvm::Function &f, std::function<bool(const llvm::Instruction &)> isHooked,
		       std::function<FlowPath(const llvm::Instruction &)> pathOf);
	/* Of a hooked instruction. */
	const Flow &of(const llvm::Instruction &hooked) const;
	/* Of a block without accesses. */
	const Flow &ofBlock(const llvm::BasicBlock &block) const;

private:
	struct Root {
		const llvm::Value *value; /* a load, a phi, or an instruction of a cycle */
		FlowPath path;
	};
	using Roots = std::vector<Root>;

	void findCycles(llvm::Function &f);
	void keepCycle(const std::vector<const llvm::Instruction *> &members);
	void chainOf(const llvm::BasicBlock &block, uint32_t cycle);
	bool isLeaf(const llvm::Instruction &i) const;
	const Roots &near(const llvm::Value *v);
	Roots far(const llvm::Value *v);
	uint8_t slotOf(const llvm::Value *v);
	void addSteps(Flow &flow, uint8_t kind, const Roots &roots, uint32_t most);
	void describe(const llvm::Instruction &hooked);
	void describeBranch(const llvm::BasicBlock &block);

	std::function<bool(const llvm::Instruction &)> isHooked;
	std::function<FlowPath(const llvm::Instruction &)> pathOf;
	std::map<const llvm::Value *, Roots> known;
	std::map<const llvm::Instruction *, uint32_t> cycleOf; /* of the cycles that are kept, from 0 */
	uint32_t cycles = 0;
	std::map<const llvm::Value *, uint8_t> slots; /* of loads */
	std::vector<uint8_t> cycleSlots;
	uint8_t firstSlot = 0;
	uint32_t slotCount = 0;
	std::map<const llvm::Instruction *, Flow> flows;
	std::map<const llvm::BasicBlock *, Flow> blocks;
};

#endif
