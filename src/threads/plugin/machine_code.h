/* machine_code.h - how many instructions of the machine a block of intermediate code becomes. */
#ifndef STRATA_THREADS_PLUGIN_MACHINE_CODE_H
#define STRATA_THREADS_PLUGIN_MACHINE_CODE_H

#include <llvm/IR/Module.h>
#include <llvm/Passes/OptimizationLevel.h>

#include <map>

/* Generates code for a copy of the module, and throws it away but for the number of instructions of each block. False:
 * this is no module that code can be generated for. */
bool countMachineCode(const llvm::Module &m, llvm::OptimizationLevel level,
		      std::map<const llvm::BasicBlock *, uint32_t> &counts);

#endif
