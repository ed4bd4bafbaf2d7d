/* machine_code.cpp - counts the instructions of blocks after code generation.
 *
 * The copy's blocks carry their number as their name; what the code generator splits off keeps it as a prefix, and
 * what it makes otherwise counts for the block that is laid out before it.
 */
#include "threads/plugin/machine_code.h"

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/CodeGen/MachineFunctionPass.h>
#include <llvm/CodeGen/MachineModuleInfo.h>
#include <llvm/CodeGen/TargetPassConfig.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Target/TargetLoweringObjectFile.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <memory>
#include <string>
#include <vector>

using namespace llvm;

namespace {

class Counter : public MachineFunctionPass {
public:
	static char ID;

	explicit Counter(std::vector<uint32_t> &counts) : MachineFunctionPass(ID), counts(counts)
	{
	}

	bool runOnMachineFunction(MachineFunction &f) override
	{
		size_t number = counts.size();

		for (const MachineBasicBlock &block : f) {
			number = numberOf(block, number);
			for (const MachineInstr &i : block)
				if (number < counts.size() && !i.isMetaInstruction() && !i.isTransient())
					counts[number]++;
		}
		return false;
	}

private:
	std::vector<uint32_t> &counts;

	static size_t numberOf(const MachineBasicBlock &block, size_t before)
	{
		const BasicBlock *b = block.getBasicBlock();
		unsigned number;

		if (!b)
			return before;

		StringRef name = b->getName();

		return name.consume_front("strata.") && !name.consumeInteger(10, number) ? number : before;
	}
};

char Counter::ID;

/* The blocks' numbers are names; however this ends, the context is as it was. */
class KeepNames {
public:
	explicit KeepNames(LLVMContext &context) : context(context), before(context.shouldDiscardValueNames())
	{
		context.setDiscardValueNames(false);
	}
	~KeepNames() { context.setDiscardValueNames(before); }
	KeepNames(const KeepNames &) = delete;
	KeepNames &operator=(const KeepNames &) = delete;

private:
	LLVMContext &context;
	bool before;
};

std::unique_ptr<TargetMachine> machineOf(const Module &m, OptimizationLevel level)
{
	std::string error;
	const Target *target = TargetRegistry::lookupTarget(m.getTargetTriple(), error);
	CodeGenOpt::Level effort = level == OptimizationLevel::O0   ? CodeGenOpt::None
				   : level == OptimizationLevel::O3 ? CodeGenOpt::Aggressive
								    : CodeGenOpt::Default;

	if (!target)
		return nullptr;
	/* Processor and features are attributes of the functions. */
	return std::unique_ptr<TargetMachine>(
		target->createTargetMachine(m.getTargetTriple(), "", "", TargetOptions(),
					    m.getPICLevel() ? Reloc::PIC_ : Reloc::Static, m.getCodeModel(), effort));
}

} // namespace

bool countMachineCode(const Module &m, OptimizationLevel level, std::map<const BasicBlock *, uint32_t> &counts)
{
	std::unique_ptr<TargetMachine> machine = machineOf(m, level);
	std::vector<const BasicBlock *> blocks;
	std::vector<uint32_t> found;

	if (!machine)
		return false;

	const KeepNames names(m.getContext());
	std::unique_ptr<Module> copy = CloneModule(m);

	for (const Function &f : m)
		for (const BasicBlock &b : f)
			blocks.push_back(&b);

	size_t number = 0;

	for (Function &f : *copy)
		for (BasicBlock &b : f)
			b.setName("strata." + std::to_string(number++) + ".");
	found.resize(number);

	legacy::PassManager passes;
	auto &target = static_cast<LLVMTargetMachine &>(*machine);
	auto *config = target.createPassConfig(passes);
	auto *info = new MachineModuleInfoWrapperPass(&target);

	config->setDisableVerify(true);
	passes.add(new TargetLibraryInfoWrapperPass(TargetLibraryInfoImpl(Triple(m.getTargetTriple()))));
	passes.add(config);
	passes.add(info);
	const_cast<TargetLoweringObjectFile *>(target.getObjFileLowering())->Initialize(info->getMMI().getContext(), target);
	if (config->addISelPasses())
		return false;
	config->addMachinePasses();
	config->setInitialized();
	passes.add(new Counter(found));
	passes.run(*copy);
	for (size_t i = 0; i < found.size(); i++)
		counts[blocks[i]] = found[i];
	return true;
}
