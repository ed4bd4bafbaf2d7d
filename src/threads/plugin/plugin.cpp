/* plugin.cpp - the compiler plugin of strata cc: hooks at every access to memory, after the last optimisation.
 *
 * Each load, store, atomic, fence, memory intrinsic, masked access, gather, scatter and prefetch gets, in front of it,
 *
 *	if (__strata_on)                             the only cost without Strata: a load and a branch that is never taken
 *		address = __strata_access(address, &site);
 *
 * and then goes to the address that the hook returned. A block without any gets a hook for its instruction counts. It
 * is C++ because the interface of plugins is, and because LLVM's C interface cannot split a block.
 */
#include <llvm/Analysis/CFG.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include <array>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "threads/plugin/flow.h"
#include "threads/plugin/machine_code.h"
#include "threads/site.h"

using namespace llvm;

namespace {

using Counts = std::array<uint32_t, THREAD_CLASS_COUNT>;

/* Of a site: a load that nothing waits for. */
constexpr uint32_t useNever = 0xffff;

/* Constant sizes up to this are one access, as the code generator makes them; longer ones are loops of the runtime. */
constexpr uint64_t inlineBytes = 128;

/* Functions of the C library that the runtime has with their accesses, as __strata_NAME. */
const char *const replaced[] = {"memcpy", "memmove", "memset", "memcmp", "bcmp", "memchr", "strlen", "strnlen", "strcmp",
				"strncmp", "strcpy", "strncpy", "strcat", "strchr", "strrchr", "strdup", "qsort", "read",
				"write", "pread", "pwrite", "fread", "fwrite", "malloc", "calloc", "realloc", "aligned_alloc",
				"free", "_Znwm", "_Znam", "_ZdlPv", "_ZdaPv", "_ZdlPvm", "_ZdaPvm"};

/* Of these, those that are loops with hooks and nothing else. */
const char *const loops[] = {"memcpy", "memmove", "memset", "memcmp", "bcmp", "memchr", "strlen", "strnlen",
			      "strcmp", "strncmp", "strcpy", "strncpy", "strcat", "strchr", "strrchr"};

/* Of mathematics, whose cost is that of another library's functions (math/): its name, and what it gives and takes. */
struct MathFunction {
	const char *name, *signature;
	bool isDouble;
};
const MathFunction mathFunctions[] = {
#ifdef STRATA_HAS_MATH
#define MATH_FUNCTION(ofDouble, ofFloat, kind) {#ofDouble, #kind, true}, {#ofFloat, #kind, false},
#include "threads/math/functions.def"
#undef MATH_FUNCTION
#endif
	{nullptr, nullptr, false}};

class Instrument {
public:
	Instrument(Module &m, OptimizationLevel level) : m(m), dl(m.getDataLayout()), ctx(m.getContext()), level(level)
	{
		ptrTy = PointerType::get(ctx, 0);
		i8 = Type::getInt8Ty(ctx);
		i16 = Type::getInt16Ty(ctx);
		i32 = Type::getInt32Ty(ctx);
		i64 = Type::getInt64Ty(ctx);
		stepTy = StructType::get(ctx, {i8, i8, i16});
		siteTy = StructType::get(ctx, {i32, i8, i8, i8, i8, ArrayType::get(i16, THREAD_CLASS_COUNT), i16, i8, i8,
					       ArrayType::get(stepTy, THREAD_FLOW_STEPS), i32, i32, i32});
		callTy = StructType::get(ctx, {ptrTy, i64});
		rare = MDBuilder(ctx).createBranchWeights(1, 100000);
	}

	bool run()
	{
		std::vector<Function *> functions;

		for (Function &f : m)
			if (!f.isDeclaration() && !f.hasFnAttribute(Attribute::Naked) &&
			    !f.hasFnAttribute(Attribute::DisableSanitizerInstrumentation) &&
			    f.getLinkage() != GlobalValue::AvailableExternallyLinkage && !f.getName().startswith("__strata_"))
				functions.push_back(&f);
		if (functions.empty())
			return false;
		hasMachineCounts = countMachineCode(m, level, machineCounts);
		on = m.getOrInsertGlobal("__strata_on", i8);
		for (Function *f : functions)
			instrument(*f);
		saySource();
		if (!keep.empty())
			appendToCompilerUsed(m, keep);
		return true;
	}

private:
	/* By which plugin the file was built. */
	void saySource()
	{
		auto *g = new GlobalVariable(m, i32, true, GlobalValue::PrivateLinkage,
					     ConstantInt::get(i32, THREAD_INTERFACE), "__strata_built_by");

		g->setSection(THREAD_INTERFACE_SECTION);
		g->setAlignment(Align(4));
		appendToUsed(m, {g});
	}

	Module &m;
	const DataLayout &dl;
	LLVMContext &ctx;
	OptimizationLevel level;
	std::map<const BasicBlock *, uint32_t> machineCounts;
	bool hasMachineCounts = false;
	bool isRuntime = false, isPlain = false; /* the function: see enum thread_site_flag */
	bool isMath = false; /* it is one of math/ */
	Type *i8, *i16, *i32, *i64;
	PointerType *ptrTy;
	StructType *siteTy, *stepTy, *callTy;
	const FlowOfFunction *flows = nullptr; /* of the function */
	/* Where a block's branch is and goes: see struct thread_site. */
	struct Branch {
		uint32_t number = 0, taken = 0;
	};
	std::map<const BasicBlock *, uint32_t> numbers; /* of the function's blocks with hooks */
	std::map<const BasicBlock *, Branch> branches;
	uint32_t nextBlock = 0; /* what the next site says */
	Branch nextBranch;
	MDNode *rare;
	Constant *on;
	std::map<std::string, GlobalVariable *> calls;
	std::map<std::string, GlobalVariable *> sites; /* equal ones are one */
	std::vector<GlobalValue *> keep;

	/* Sizes that are known, in bytes; 0: none (scalable vectors). */
	uint32_t bytesOf(Type *t) const
	{
		TypeSize size = dl.getTypeStoreSize(t);

		return size.isScalable() ? 0 : (uint32_t)size.getFixedValue();
	}

	Constant *step(const Flow &flow, size_t at, std::string &key)
	{
		static const FlowStep none{};
		const FlowStep &s = at < flow.steps.size() ? flow.steps[at] : none;

		if (s.kind)
			key += "," + std::to_string(s.kind) + ":" + std::to_string(s.slot) + ":" + std::to_string(s.path.packed());
		return ConstantStruct::get(stepTy, {ConstantInt::get(i8, s.kind), ConstantInt::get(i8, s.slot),
						    ConstantInt::get(i16, s.path.packed())});
	}

	Constant *site(uint32_t bytes, int kind, uint32_t lanes, const Counts &counts, uint32_t use = 0,
		       const Flow &flow = Flow())
	{
		const int flags = (isRuntime ? THREAD_SITE_ORDERED : 0) | (isPlain ? THREAD_SITE_PLAIN : 0) |
				  (flow.isKnown ? THREAD_SITE_FLOW : 0);
		std::vector<Constant *> values, steps;
		const uint32_t block = std::exchange(nextBlock, 0);
		const Branch branch = std::exchange(nextBranch, Branch());
		bool any = flow.hasValues() || block || branch.number;
		std::string key;

		for (uint32_t c : counts) {
			values.push_back(ConstantInt::get(i16, c > 0xffff ? 0xffff : c));
			any |= c != 0;
			key += std::to_string(c) + ",";
		}
		key += std::to_string(bytes) + "," + std::to_string(kind) + "," + std::to_string(lanes) + "," +
		       std::to_string(use) + "," + std::to_string(flags) + "," + std::to_string(flow.slot) + "," +
		       std::to_string(block) + "," + std::to_string(branch.number) + "," + std::to_string(branch.taken);
		for (size_t i = 0; i < THREAD_FLOW_STEPS; i++)
			steps.push_back(step(flow, i, key));

		GlobalVariable *&g = sites[key];

		if (!g) {
			Constant *init = ConstantStruct::get(
				siteTy, {ConstantInt::get(i32, bytes), ConstantInt::get(i8, kind), ConstantInt::get(i8, any),
					 ConstantInt::get(i8, lanes), ConstantInt::get(i8, flags),
					 ConstantArray::get(ArrayType::get(i16, THREAD_CLASS_COUNT), values),
					 ConstantInt::get(i16, use), ConstantInt::get(i8, flow.slot),
					 ConstantInt::get(i8, flow.steps.size()),
					 ConstantArray::get(ArrayType::get(stepTy, THREAD_FLOW_STEPS), steps),
					 ConstantInt::get(i32, block), ConstantInt::get(i32, branch.number),
					 ConstantInt::get(i32, branch.taken)});

			g = new GlobalVariable(m, siteTy, true, GlobalValue::PrivateLinkage, init, "__strata_site");
			g->setAlignment(Align(4));
		}
		return g;
	}

	/* A block that is entered while Strata runs the program, in front of the instruction; its end. */
	Instruction *whenOn(Instruction *before)
	{
		IRBuilder<> b(before);
		Value *flag = b.CreateLoad(i8, on);
		Value *is = b.CreateICmpNE(flag, ConstantInt::get(i8, 0));

		return SplitBlockAndInsertIfThen(is, before, false, rare);
	}

	/* The intrinsic is counted, but not made while Strata runs the program: the host has nobody to let go first, and takes
	 * some 50 cycles for it. */
	void skipPause(CallBase &cb)
	{
		IRBuilder<> b(&cb);
		Value *is = b.CreateICmpEQ(b.CreateLoad(i8, on), ConstantInt::get(i8, 0));

		cb.moveBefore(SplitBlockAndInsertIfThen(is, &cb, false));
	}

	FunctionCallee hook(const char *name, Type *result, ArrayRef<Type *> args)
	{
		return m.getOrInsertFunction(name, FunctionType::get(result, args, false));
	}

	/* Of a hook before it: where it has no line, that of what is next to it. */
	static DebugLoc placeOf(const Instruction *before)
	{
		const auto hasLine = [](const Instruction *i) { return i->getDebugLoc() && i->getDebugLoc().getLine(); };

		for (const Instruction *i = before; i; i = i->getPrevNode())
			if (hasLine(i))
				return i->getDebugLoc();
		for (const Instruction *i = before; i; i = i->getNextNode())
			if (hasLine(i))
				return i->getDebugLoc();
		return before->getDebugLoc();
	}

	/* The address that the access before which this stands must use. */
	Value *access(Instruction *before, Value *address, Constant *s)
	{
		const DebugLoc place = placeOf(before);
		Instruction *end = whenOn(before);
		IRBuilder<> b(end);

		b.SetCurrentDebugLocation(place);

		Value *moved = b.CreateCall(hook("__strata_access", ptrTy, {ptrTy, ptrTy}), {address, s});
		PHINode *phi = PHINode::Create(ptrTy, 2, "", before);

		phi->addIncoming(moved, end->getParent());
		phi->addIncoming(address, end->getParent()->getSinglePredecessor());
		return phi;
	}

	void call(Instruction *before, const char *name, ArrayRef<Value *> args)
	{
		const DebugLoc place = placeOf(before);
		IRBuilder<> b(whenOn(before));
		std::vector<Type *> types;

		b.SetCurrentDebugLocation(place);
		for (Value *v : args)
			types.push_back(v->getType());
		b.CreateCall(hook(name, Type::getVoidTy(ctx), types), args);
	}

	/* The bits of a mask of up to 64 lanes. */
	Value *maskBits(IRBuilder<> &b, Value *mask)
	{
		auto *vt = cast<FixedVectorType>(mask->getType());
		unsigned n = vt->getNumElements();
		Value *bits = mask;

		if (!vt->getElementType()->isIntegerTy(1)) /* of AVX: the sign */
			bits = b.CreateICmpSLT(b.CreateBitCast(mask, VectorType::getInteger(vt)),
					       Constant::getNullValue(VectorType::getInteger(vt)));
		bits = b.CreateBitCast(bits, Type::getIntNTy(ctx, n));
		return b.CreateZExt(bits, i64);
	}

	static bool isMasked(Intrinsic::ID id)
	{
		return id == Intrinsic::masked_load || id == Intrinsic::masked_store ||
		       id == Intrinsic::masked_expandload || id == Intrinsic::masked_compressstore ||
		       isX86MaskLoad(id) || isX86MaskStore(id);
	}

	static bool isX86MaskLoad(Intrinsic::ID id)
	{
		switch (id) {
		case Intrinsic::x86_avx_maskload_pd:
		case Intrinsic::x86_avx_maskload_ps:
		case Intrinsic::x86_avx_maskload_pd_256:
		case Intrinsic::x86_avx_maskload_ps_256:
		case Intrinsic::x86_avx2_maskload_d:
		case Intrinsic::x86_avx2_maskload_q:
		case Intrinsic::x86_avx2_maskload_d_256:
		case Intrinsic::x86_avx2_maskload_q_256:
			return true;
		default:
			return false;
		}
	}

	static bool isX86MaskStore(Intrinsic::ID id)
	{
		switch (id) {
		case Intrinsic::x86_avx_maskstore_pd:
		case Intrinsic::x86_avx_maskstore_ps:
		case Intrinsic::x86_avx_maskstore_pd_256:
		case Intrinsic::x86_avx_maskstore_ps_256:
		case Intrinsic::x86_avx2_maskstore_d:
		case Intrinsic::x86_avx2_maskstore_q:
		case Intrinsic::x86_avx2_maskstore_d_256:
		case Intrinsic::x86_avx2_maskstore_q_256:
			return true;
		default:
			return false;
		}
	}

	/* Gathers and scatters that a program writes itself for AVX2 and AVX-512. */
	static bool isX86Lanes(const IntrinsicInst &in)
	{
		StringRef name = in.getCalledFunction()->getName();

		return name.startswith("llvm.x86.avx2.gather.") || name.startswith("llvm.x86.avx512.mask.gather") ||
		       name.startswith("llvm.x86.avx512.mask.scatter");
	}

	/* Not whether Strata is there: without it nobody would ask. */
	static bool isHooked(const Instruction &i)
	{
		if (isa<LoadInst>(i) || isa<StoreInst>(i))
			return getLoadStorePointerOperand(&i)->getType()->getPointerAddressSpace() == 0 &&
			       getLoadStorePointerOperand(&i)->getName() != "__strata_on";
		if (isa<AtomicRMWInst>(i) || isa<AtomicCmpXchgInst>(i))
			return true;
		if (auto *f = dyn_cast<FenceInst>(&i)) /* not one for signal handlers: it is no instruction */
			return f->getSyncScopeID() != SyncScope::SingleThread;

		auto *in = dyn_cast<IntrinsicInst>(&i);

		if (!in)
			return false;
		switch (in->getIntrinsicID()) {
		case Intrinsic::masked_gather:
		case Intrinsic::masked_scatter:
		case Intrinsic::prefetch:
		case Intrinsic::x86_sse2_mfence:
		case Intrinsic::x86_sse2_lfence:
		case Intrinsic::x86_sse_sfence:
			return true;
		default:
			return isa<MemIntrinsic>(in) || isMasked(in->getIntrinsicID()) || isX86Lanes(*in);
		}
	}

	/* Counting: what the instruction becomes in the machine's code, by the rules of a load-store machine with compare and
	 * branch, folded addresses and folded constants. */
	static bool isFree(const Instruction &i)
	{
		if (isa<PHINode>(i) || isa<BitCastInst>(i) || isa<PtrToIntInst>(i) || isa<IntToPtrInst>(i) ||
		    isa<TruncInst>(i) || isa<AllocaInst>(i) || isa<UnreachableInst>(i) || isa<ExtractValueInst>(i) ||
		    isa<InsertValueInst>(i) || isa<FreezeInst>(i) || isa<LandingPadInst>(i) || i.isDebugOrPseudoInst() ||
		    isa<FenceInst>(i))
			return true;
		if (isa<ZExtInst>(i)) /* writing 32 bits clears the rest; loads extend */
			return i.getOperand(0)->getType()->isIntegerTy(32) || isa<LoadInst>(i.getOperand(0)) ||
			       i.getOperand(0)->getType()->isIntegerTy(1);
		if (isa<SExtInst>(i))
			return isa<LoadInst>(i.getOperand(0)) && i.getOperand(0)->hasOneUse();
		if (auto *g = dyn_cast<GetElementPtrInst>(&i)) { /* part of the address, where that fits */
			unsigned variable = 0;

			for (const Use &u : g->indices())
				variable += !isa<Constant>(u);
			if (variable == 0)
				return true;
			if (variable > 1)
				return false;
			for (const User *u : g->users()) {
				const auto *in = dyn_cast<Instruction>(u);

				if (!in || getLoadStorePointerOperand(in) != g)
					return false;
			}
			uint64_t scale = g->getModule()->getDataLayout().getTypeAllocSize(g->getResultElementType());

			return scale == 1 || scale == 2 || scale == 4 || scale == 8;
		}
		if (auto *in = dyn_cast<IntrinsicInst>(&i))
			return in->isAssumeLikeIntrinsic() || in->getIntrinsicID() == Intrinsic::vastart ||
			       in->getIntrinsicID() == Intrinsic::vaend;
		return false;
	}

	/* A load whose only use takes its operand from memory. */
	static bool isFolded(const LoadInst &l)
	{
		if (!l.hasOneUse() || l.isVolatile() || l.isAtomic())
			return false;

		const auto *user = dyn_cast<Instruction>(l.user_back());

		if (!user || user->getParent() != l.getParent())
			return false;
		if (isa<ICmpInst>(user) || isa<FCmpInst>(user))
			return true;
		if (!isa<BinaryOperator>(user) || user->isShift())
			return false;
		if (!user->isCommutative() && user->getOperand(1) != &l)
			return false;
		return true;
	}

	static uint32_t lanesOf(const Type *t)
	{
		const auto *v = dyn_cast<FixedVectorType>(t);

		return v ? v->getNumElements() : 0;
	}

	static void add(Counts &c, int scalar, int lane, uint32_t lanes)
	{
		if (lanes) {
			c[THREAD_CLASS_vector]++;
			c[lane] += lanes;
		} else {
			c[scalar]++;
		}
	}

	void countIntrinsic(Counts &c, const IntrinsicInst &in)
	{
		uint32_t lanes = lanesOf(in.getType());
		bool isFloat = in.getType()->isFPOrFPVectorTy();

		switch (in.getIntrinsicID()) {
		case Intrinsic::fma:
		case Intrinsic::fmuladd: /* two without FMA, which is not in the base instruction set */
			add(c, THREAD_CLASS_float_multiply, THREAD_CLASS_lane_float, lanes);
			add(c, THREAD_CLASS_float, THREAD_CLASS_lane_float, lanes);
			break;
		case Intrinsic::sqrt:
			add(c, THREAD_CLASS_float_divide, THREAD_CLASS_lane_divide, lanes);
			break;
		case Intrinsic::umin:
		case Intrinsic::umax:
		case Intrinsic::smin:
		case Intrinsic::smax:
		case Intrinsic::abs: /* compare and move */
			add(c, THREAD_CLASS_integer, THREAD_CLASS_lane_integer, lanes);
			if (!lanes)
				c[THREAD_CLASS_integer]++;
			break;
		case Intrinsic::vector_reduce_add:
		case Intrinsic::vector_reduce_fadd: {
			uint32_t n = lanesOf(in.getArgOperand(in.arg_size() - 1)->getType());

			for (; n > 1; n /= 2) /* a shuffle and an addition per step */
				for (int k = 0; k < 2; k++)
					add(c, 0, isFloat ? THREAD_CLASS_lane_float : THREAD_CLASS_lane_integer, n / 2);
			break;
		}
		default:
			if (isMasked(in.getIntrinsicID()) || isX86Lanes(in) || in.getIntrinsicID() == Intrinsic::masked_gather ||
			    in.getIntrinsicID() == Intrinsic::masked_scatter || in.getIntrinsicID() == Intrinsic::prefetch)
				c[THREAD_CLASS_memory]++;
			else if (isa<MemIntrinsic>(in))
				c[THREAD_CLASS_memory] += 2;
			else
				add(c, isFloat ? THREAD_CLASS_float : THREAD_CLASS_integer,
				    isFloat ? THREAD_CLASS_lane_float : THREAD_CLASS_lane_integer, lanes);
		}
	}

	void count(Counts &c, const Instruction &i)
	{
		uint32_t lanes = lanesOf(i.getType());

		if (isFree(i))
			return;
		if (auto *in = dyn_cast<IntrinsicInst>(&i)) {
			countIntrinsic(c, *in);
			return;
		}
		switch (i.getOpcode()) {
		case Instruction::Load:
			c[THREAD_CLASS_memory] += !isFolded(cast<LoadInst>(i));
			break;
		case Instruction::Store:
		case Instruction::AtomicRMW:
		case Instruction::AtomicCmpXchg:
			c[THREAD_CLASS_memory]++;
			break;
		case Instruction::Br:
			c[THREAD_CLASS_branch] += cast<BranchInst>(i).isConditional();
			break;
		case Instruction::Call:
		case Instruction::Invoke:
			if (cast<CallBase>(i).isInlineAsm()) {
				c[THREAD_CLASS_integer]++;
				break;
			}
			if (isRoot(cast<CallBase>(i))) { /* a jump where it has no root */
				c[THREAD_CLASS_float_divide]++;
				c[THREAD_CLASS_float]++;
			}
			c[THREAD_CLASS_branch]++;
			for (const Use &u : cast<CallBase>(i).args()) /* moved to where they are expected */
				c[THREAD_CLASS_integer] += u->getType()->isIntOrPtrTy();
			break;
		case Instruction::Ret:
		case Instruction::Switch:
		case Instruction::IndirectBr:
		case Instruction::Resume:
			c[THREAD_CLASS_branch]++;
			if (i.getOpcode() == Instruction::Switch)
				c[THREAD_CLASS_integer] += 2;
			break;
		case Instruction::Mul:
			add(c, THREAD_CLASS_multiply, THREAD_CLASS_lane_integer, lanes);
			break;
		case Instruction::UDiv:
		case Instruction::SDiv:
		case Instruction::URem:
		case Instruction::SRem:
			add(c, THREAD_CLASS_divide, THREAD_CLASS_lane_divide, lanes);
			break;
		case Instruction::FMul:
			add(c, THREAD_CLASS_float_multiply, THREAD_CLASS_lane_float, lanes);
			break;
		case Instruction::FDiv:
		case Instruction::FRem:
			add(c, THREAD_CLASS_float_divide, THREAD_CLASS_lane_divide, lanes);
			break;
		case Instruction::FAdd:
		case Instruction::FSub:
		case Instruction::FNeg:
		case Instruction::FCmp:
		case Instruction::FPExt:
		case Instruction::FPTrunc:
		case Instruction::FPToSI:
		case Instruction::FPToUI:
		case Instruction::SIToFP:
		case Instruction::UIToFP:
			add(c, THREAD_CLASS_float, THREAD_CLASS_lane_float, lanes);
			break;
		default:
			add(c, THREAD_CLASS_integer, THREAD_CLASS_lane_integer, lanes);
		}
	}

	void replaceCall(CallBase &cb)
	{
		Function *f = cb.getCalledFunction();

		if (!f || !f->isDeclaration())
			return;
		for (const char *name : replaced)
			if (f->getName() == name)
				cb.setCalledFunction(m.getOrInsertFunction(("__strata_" + f->getName()).str(),
									   f->getFunctionType()));
	}

	/* The loops of distribute are divided among teams: by functions of their own, not by those of other loops. */
	void replaceDistribute(CallBase &cb)
	{
		constexpr uint64_t distribute = 92, distributeChunked = 91;
		const StringRef loopInit = "__kmpc_for_static_init_";
		Function *f = cb.getCalledFunction();

		if (!f || !f->getName().startswith(loopInit) || cb.arg_size() < 3)
			return;
		const auto *schedule = dyn_cast<ConstantInt>(cb.getArgOperand(2));
		if (!schedule || (schedule->getZExtValue() != distribute && schedule->getZExtValue() != distributeChunked))
			return;
		const std::string suffix = f->getName().substr(loopInit.size()).str();
		cb.setCalledFunction(
		    m.getOrInsertFunction("__kmpc_distribute_static_init_" + suffix, f->getFunctionType()));
	}

	/* As functions.def says it. */
	static std::string signatureOf(const FunctionType &t, bool isDouble)
	{
		Type *number = isDouble ? Type::getDoubleTy(t.getContext()) : Type::getFloatTy(t.getContext());
		const auto letter = [&](Type *of) -> std::string {
			if (of == number)
				return "D";
			if (of->isVoidTy())
				return "V";
			if (of->isPointerTy())
				return "P";
			if (of->isIntegerTy(32))
				return "I";
			if (of->isIntegerTy(64))
				return "L";
			if (of->isStructTy() || of->isVectorTy()) /* two of them */
				return of->getContainedType(0) == number ? "C" : "?";
			return "?";
		};
		std::string text = letter(t.getReturnType()) + "_";

		for (Type *p : t.params())
			text += letter(p);
		return text;
	}

	static std::string signatureOf(const MathFunction &f)
	{
		std::string text;

		for (const char *c = f.signature; *c; c++)
			if (*c == 'C' && f.isDouble && c != f.signature)
				text += "DD";
			else if (*c != 'i' && *c != 'd')
				text += *c == 'X' ? 'L' : *c;
		return text;
	}

	/* NULL: it is none of mathematics', or another one of that name. */
	static const MathFunction *mathFunction(StringRef name, const FunctionType &type)
	{
		for (const MathFunction *f = mathFunctions; f->name; f++)
			if (name == f->name)
				return signatureOf(*f) == signatureOf(type, f->isDouble) ? f : nullptr;
		return nullptr;
	}

	static bool hasFeature(const Function &f, StringRef feature)
	{
		return f.getFnAttribute("target-features").getValueAsString().contains(feature);
	}

	/* An operation that becomes a call of the C library where the processor has no instruction for it; NULL: it does not. */
	static const char *calledBy(const Instruction &i)
	{
		const Function &f = *i.getFunction();
		const auto *in = dyn_cast<IntrinsicInst>(&i);

		if (i.getOpcode() == Instruction::FRem)
			return "fmod";
		if (!in)
			return nullptr;
		switch (in->getIntrinsicID()) {
		case Intrinsic::sin: return "sin";
		case Intrinsic::cos: return "cos";
		case Intrinsic::pow: return "pow";
		case Intrinsic::exp: return "exp";
		case Intrinsic::exp2: return "exp2";
		case Intrinsic::log: return "log";
		case Intrinsic::log2: return "log2";
		case Intrinsic::log10: return "log10";
		case Intrinsic::lround: return "lround";
		case Intrinsic::llround: return "llround";
		case Intrinsic::fma: return hasFeature(f, "+fma") || hasFeature(f, "+avx512f") ? nullptr : "fma";
		default: break;
		}
		if (hasFeature(f, "+sse4.1"))
			return nullptr;
		switch (in->getIntrinsicID()) {
		case Intrinsic::floor: return "floor";
		case Intrinsic::ceil: return "ceil";
		case Intrinsic::trunc: return "trunc";
		case Intrinsic::rint: return "rint";
		case Intrinsic::nearbyint: return "nearbyint";
		case Intrinsic::round: return "round";
		default: return nullptr;
		}
	}

	static std::vector<Value *> operandsOf(Instruction &i)
	{
		if (auto *cb = dyn_cast<CallBase>(&i))
			return std::vector<Value *>(cb->arg_begin(), cb->arg_end());
		return std::vector<Value *>(i.op_begin(), i.op_end());
	}

	/* Calls of mathematics, also those that the code generator would make of an operation, lane by lane of a vector. */
	void replaceMath(Instruction &i)
	{
		if (auto *cb = dyn_cast<CallBase>(&i)) {
			Function *f = cb->getCalledFunction();

			if (f && f->isDeclaration() && !f->isIntrinsic() && mathFunction(f->getName(), *f->getFunctionType()))
				cb->setCalledFunction(m.getOrInsertFunction(("__strata_" + f->getName()).str(), f->getFunctionType()));
		}

		const char *name = calledBy(i);
		Type *number = name && i.getNumOperands() ? i.getOperand(0)->getType()->getScalarType() : nullptr;

		if (!number || !mathFunctions[0].name || !(number->isFloatTy() || number->isDoubleTy()) ||
		    isa<ScalableVectorType>(i.getType()) || (i.getType()->isVectorTy() != i.getOperand(0)->getType()->isVectorTy()))
			return;

		IRBuilder<> b(&i);
		const std::vector<Value *> operands = operandsOf(i);
		const uint32_t lanes = lanesOf(i.getType());
		std::vector<Type *> types(operands.size(), number);
		const std::string full = std::string("__strata_") + name + (number->isFloatTy() ? "f" : "");
		FunctionCallee callee = hook(full.c_str(), i.getType()->getScalarType(), types);
		Value *result = lanes ? (Value *)PoisonValue::get(i.getType()) : b.CreateCall(callee, operands);

		for (uint32_t lane = 0; lane < lanes; lane++) {
			std::vector<Value *> one;

			for (Value *v : operands)
				one.push_back(b.CreateExtractElement(v, lane));
			result = b.CreateInsertElement(result, b.CreateCall(callee, one), lane);
		}
		i.replaceAllUsesWith(result);
		i.eraseFromParent();
	}

	/* A root is an instruction; a call of the function follows where errno is to be set. */
	static bool isRoot(const CallBase &cb)
	{
		const Function *f = cb.getCalledFunction();

		return f && f->isDeclaration() && (f->getName() == "sqrt" || f->getName() == "sqrtf");
	}

	/* The time stamp counter is the machine's. */
	void replaceClock(CallBase &cb)
	{
		Function *f = cb.getCalledFunction();

		if (f && (f->getIntrinsicID() == Intrinsic::x86_rdtsc || f->getIntrinsicID() == Intrinsic::readcyclecounter))
			cb.setCalledFunction(hook("__strata_rdtsc", i64, {}));
		if (f && f->getIntrinsicID() == Intrinsic::x86_rdtscp)
			cb.setCalledFunction(hook("__strata_rdtscp", f->getReturnType(), {}));
	}

	/* A memory intrinsic that becomes a loop of the runtime. */
	bool replaceIntrinsic(MemIntrinsic &mi)
	{
		auto *length = dyn_cast<ConstantInt>(mi.getLength());

		if ((length && length->getZExtValue() <= inlineBytes) || isa<MemCpyInlineInst>(mi) ||
		    isa<MemSetInlineInst>(mi))
			return false;

		IRBuilder<> b(&mi);
		Value *size = b.CreateZExtOrTrunc(mi.getLength(), i64);

		if (auto *set = dyn_cast<MemSetInst>(&mi))
			b.CreateCall(hook("__strata_memset", ptrTy, {ptrTy, i32, i64}),
				     {set->getDest(), b.CreateZExt(set->getValue(), i32), size});
		else
			b.CreateCall(hook(isa<MemMoveInst>(mi) ? "__strata_memmove" : "__strata_memcpy", ptrTy,
					  {ptrTy, ptrTy, i64}),
				     {mi.getDest(), cast<MemTransferInst>(mi).getSource(), size});
		mi.eraseFromParent();
		return true;
	}

	/* A word to the compiler. */
	static bool isEmptyAssembly(const CallBase &cb)
	{
		return cb.isInlineAsm() && cast<InlineAsm>(cb.getCalledOperand())->getAsmString().empty();
	}

	/* In each round of a loop that waits: neither writes nor reads anything, whatever its attributes say. */
	static bool isPause(const Function &f)
	{
		return f.getIntrinsicID() == Intrinsic::x86_sse2_pause;
	}

	/* May what is called have no hooks, and do what others see? What it calls comes in the order of time. */
	bool needsTurn(const CallBase &cb) const
	{
		const Function *f = cb.getCalledFunction();

		if (cb.isInlineAsm())
			return cb.mayReadOrWriteMemory() && !isEmptyAssembly(cb);
		if (!f)
			return true;
		if (f->isIntrinsic())
			return f->getName().startswith("llvm.x86.") && !f->doesNotAccessMemory() && !isPause(*f);
		if (isMath || isRoot(cb))
			return false;
		if (f->getName().startswith("__strata_")) {
			const StringRef plain = f->getName().drop_front(strlen("__strata_"));

			if (mathFunction(plain, *f->getFunctionType()))
				return false;
			for (const char *name : loops)
				if (plain == name)
					return false;
		}
		return f->isDeclaration() || f->getName().startswith("__strata_") || f->hasFnAttribute(Attribute::Naked) ||
		       f->hasFnAttribute(Attribute::DisableSanitizerInstrumentation);
	}

	/* May what is called need thread-local data? */
	static bool needsOwn(const CallBase &cb)
	{
		const Function *f = cb.getCalledFunction();

		if (isEmptyAssembly(cb))
			return false;
		return !f || !f->isIntrinsic() || IntrinsicInst::mayLowerToFunctionCall(f->getIntrinsicID());
	}

	static bool isThreadLocal(const Value *v)
	{
		if (auto *g = dyn_cast<GlobalVariable>(v))
			return g->isThreadLocal();
		if (auto *c = dyn_cast<Constant>(v))
			return any_of(c->operands(), [](const Use &u) { return isThreadLocal(u.get()); });
		return false;
	}

	/* Has it no thread-local data, and a loop, in which it is worth while? */
	static bool mayBePlain(const Function &f)
	{
		SmallVector<std::pair<const BasicBlock *, const BasicBlock *>, 8> loops;

		if (f.callsFunctionThatReturnsTwice())
			return false;
		for (const BasicBlock &b : f)
			for (const Instruction &i : b) {
				if (i.getOpcode() == Instruction::FRem) /* a function of the C library */
					return false;
				for (const Use &u : i.operands())
					if (!isa<Function>(u.get()) && isThreadLocal(u.get()))
						return false;
			}
		FindFunctionBackedges(f, loops);
		return !loops.empty();
	}

	/* Counts calls of what is elsewhere: whether that was built with strata cc is known when the program ends. */
	void countCall(CallBase &cb)
	{
		std::string name;

		if (cb.isInlineAsm()) {
			if (!cb.mayReadOrWriteMemory() || isEmptyAssembly(cb))
				return;
			name = "(inline assembly)";
		} else {
			Function *f = cb.getCalledFunction();

			if (!f || !f->isDeclaration() || f->getName().startswith("__strata_") || isRoot(cb))
				return;
			if (f->isIntrinsic()) { /* of a processor, with accesses of its own */
				if (!f->getName().startswith("llvm.x86.") || f->doesNotAccessMemory() ||
				    !any_of(cb.args(), [](const Use &u) { return u->getType()->isPointerTy(); }))
					return;
			}
			name = f->getName().str();
		}

		GlobalVariable *&g = calls[name];

		if (!g) {
			Constant *text = ConstantDataArray::getString(ctx, name);
			auto *t = new GlobalVariable(m, text->getType(), true, GlobalValue::PrivateLinkage, text, "__strata_name");

			g = new GlobalVariable(m, callTy, false, GlobalValue::InternalLinkage,
					       ConstantStruct::get(callTy, {t, ConstantInt::get(i64, 0)}), "__strata_call");
			g->setSection("strata_calls");
			g->setAlignment(Align(8));
			keep.push_back(g);
		}

		call(&cb, "__strata_called", {g});
	}

	/* Gathers and scatters: the runtime sees the lanes' addresses in an array and may change them. */
	void hookLanes(IntrinsicInst &in, const Counts &counts, uint32_t use, const Flow &flow)
	{
		bool isLoad = in.getIntrinsicID() == Intrinsic::masked_gather;
		unsigned at = isLoad ? 0 : 1;
		Type *data = isLoad ? in.getType() : in.getArgOperand(0)->getType();
		Value *ptrs = in.getArgOperand(at), *mask = in.getArgOperand(at + 2);
		auto *vt = cast<FixedVectorType>(ptrs->getType());
		IRBuilder<> entry(&*in.getFunction()->getEntryBlock().getFirstInsertionPt());
		AllocaInst *slot = entry.CreateAlloca(vt);
		Instruction *end = whenOn(&in);
		IRBuilder<> b(end);
		uint32_t bytes = bytesOf(cast<FixedVectorType>(data)->getElementType());

		b.SetCurrentDebugLocation(in.getDebugLoc());
		b.CreateStore(ptrs, slot);
		b.CreateCall(hook("__strata_lanes", Type::getVoidTy(ctx), {ptrTy, ptrTy, i64}),
			     {slot, site(bytes, isLoad ? THREAD_READ : THREAD_WRITE, vt->getNumElements(), counts, use, flow),
			      maskBits(b, mask)});

		Value *moved = b.CreateLoad(vt, slot);
		PHINode *phi = PHINode::Create(vt, 2, "", &in);

		phi->addIncoming(moved, end->getParent());
		phi->addIncoming(ptrs, end->getParent()->getSinglePredecessor());
		in.setArgOperand(at, phi);
	}

	/* The same, of a base and indices; the lanes keep their addresses. */
	void hookX86Lanes(IntrinsicInst &in, const Counts &counts, uint32_t use, const Flow &flow)
	{
		bool isLoad = !in.getCalledFunction()->getName().contains("scatter");
		Type *data = isLoad ? in.getType() : in.getArgOperand(3)->getType();
		Value *base = in.getArgOperand(isLoad ? 1 : 0), *indices = in.getArgOperand(2);
		Value *mask = in.getArgOperand(isLoad ? 3 : 1), *scale = in.getArgOperand(4);
		uint32_t lanes = std::min(lanesOf(data), lanesOf(indices->getType()));
		Type *array = ArrayType::get(ptrTy, lanes);
		IRBuilder<> entry(&*in.getFunction()->getEntryBlock().getFirstInsertionPt());
		AllocaInst *slot = entry.CreateAlloca(array);
		IRBuilder<> b(whenOn(&in));

		b.SetCurrentDebugLocation(in.getDebugLoc());
		for (uint32_t i = 0; i < lanes; i++) {
			Value *index = b.CreateSExt(b.CreateExtractElement(indices, i), i64);
			Value *offset = b.CreateMul(index, b.CreateZExtOrTrunc(scale, i64));

			b.CreateStore(b.CreateGEP(i8, base, offset), b.CreateConstGEP2_32(array, slot, 0, i));
		}
		b.CreateCall(hook("__strata_lanes", Type::getVoidTy(ctx), {ptrTy, ptrTy, i64}),
			     {slot,
			      site(bytesOf(cast<FixedVectorType>(data)->getElementType()), isLoad ? THREAD_READ : THREAD_WRITE, lanes,
				   counts, use, flow),
			      maskBits(b, mask)});
	}

	void hookMasked(IntrinsicInst &in, const Counts &counts, uint32_t use, const Flow &flow)
	{
		Intrinsic::ID id = in.getIntrinsicID();
		unsigned pointer = 0, mask = 1;
		bool isLoad = true;
		Type *data = in.getType();
		bool isPacked = id == Intrinsic::masked_expandload || id == Intrinsic::masked_compressstore;

		if (id == Intrinsic::masked_load) {
			mask = 2;
		} else if (id == Intrinsic::masked_store || id == Intrinsic::masked_compressstore) {
			isLoad = false;
			data = in.getArgOperand(0)->getType();
			pointer = 1;
			mask = id == Intrinsic::masked_store ? 3 : 2;
		} else if (isX86MaskStore(id)) {
			isLoad = false;
			data = in.getArgOperand(2)->getType();
		}

		auto *vt = cast<FixedVectorType>(data);
		Instruction *end = whenOn(&in);
		IRBuilder<> b(end);
		Value *bits = maskBits(b, in.getArgOperand(mask));

		b.SetCurrentDebugLocation(in.getDebugLoc());
		b.CreateCall(hook(isPacked ? "__strata_packed" : "__strata_masked", Type::getVoidTy(ctx), {ptrTy, ptrTy, i64}),
			     {in.getArgOperand(pointer),
			      site(bytesOf(vt->getElementType()), isLoad ? THREAD_READ : THREAD_WRITE, vt->getNumElements(), counts, use,
				   flow),
			      bits});
	}

	void hookOne(Instruction &i, const Counts &counts, uint32_t use)
	{
		const Flow &flow = flows->of(i);

		if (auto *l = dyn_cast<LoadInst>(&i)) {
			int kind = l->isAtomic() ? THREAD_ATOMIC_READ : THREAD_READ;

			l->setOperand(LoadInst::getPointerOperandIndex(),
				      access(l, l->getPointerOperand(), site(bytesOf(l->getType()), kind, 0, counts, use, flow)));
		} else if (auto *s = dyn_cast<StoreInst>(&i)) {
			int kind = s->isAtomic() ? THREAD_ATOMIC_WRITE : THREAD_WRITE;

			s->setOperand(StoreInst::getPointerOperandIndex(),
				      access(s, s->getPointerOperand(),
					     site(bytesOf(s->getValueOperand()->getType()), kind, 0, counts, 0, flow)));
		} else if (auto *r = dyn_cast<AtomicRMWInst>(&i)) {
			r->setOperand(AtomicRMWInst::getPointerOperandIndex(),
				      access(r, r->getPointerOperand(), site(bytesOf(r->getType()), THREAD_RMW, 0, counts, 0, flow)));
		} else if (auto *c = dyn_cast<AtomicCmpXchgInst>(&i)) {
			c->setOperand(AtomicCmpXchgInst::getPointerOperandIndex(),
				      access(c, c->getPointerOperand(),
					     site(bytesOf(c->getNewValOperand()->getType()), THREAD_CMPXCHG, 0, counts, 0, flow)));
		} else if (isa<FenceInst>(i)) {
			call(&i, "__strata_fence", {site(0, THREAD_FENCE, 0, counts, 0, flow)});
		} else {
			hookIntrinsic(cast<IntrinsicInst>(i), counts, use, flow);
		}
	}

	void hookIntrinsic(IntrinsicInst &in, const Counts &counts, uint32_t use, const Flow &flow)
	{
		Intrinsic::ID id = in.getIntrinsicID();

		if (id == Intrinsic::masked_gather || id == Intrinsic::masked_scatter) {
			hookLanes(in, counts, use, flow);
		} else if (isX86Lanes(in)) {
			hookX86Lanes(in, counts, use, flow);
		} else if (isMasked(id)) {
			hookMasked(in, counts, use, flow);
		} else if (id == Intrinsic::prefetch) {
			access(&in, in.getArgOperand(0), site(1, THREAD_PREFETCH, 0, counts, 0, flow));
		} else if (auto *mi = dyn_cast<MemIntrinsic>(&in)) {
			uint32_t bytes = (uint32_t)cast<ConstantInt>(mi->getLength())->getZExtValue();
			auto *transfer = dyn_cast<MemTransferInst>(mi);

			if (!bytes) {
				call(&in, "__strata_block", {site(0, THREAD_BLOCK, 0, counts, 0, flow)});
				return;
			}
			const Branch branch = nextBranch; /* is behind the second one */

			if (transfer) {
				nextBranch = Branch();
				transfer->setSource(access(&in, transfer->getSource(), site(bytes, THREAD_READ, 0, counts, 0, flow)));
				nextBranch = branch;
			}
			mi->setDest(access(&in, mi->getDest(), site(bytes, THREAD_WRITE, 0, transfer ? Counts{} : counts, 0,
					  transfer ? without(flow) : flow)));
		} else {
			call(&in, "__strata_fence", {site(0, THREAD_FENCE, 0, counts, 0, flow)});
		}
	}

	/* Of the second access of one instruction. */
	static Flow without(Flow flow)
	{
		const auto is = [](const FlowStep &s) { return s.kind == THREAD_FLOW_VALUE || s.kind == THREAD_FLOW_INPUT; };

		flow.steps.erase(std::remove_if(flow.steps.begin(), flow.steps.end(), is), flow.steps.end());
		flow.slot = 0;
		return flow;
	}

	/* What an instruction adds to the way from its operands to its value: the element of a vector takes what a scalar
	 * does. */
	FlowPath pathOf(const Instruction &i)
	{
		FlowPath path;
		Counts c{};

		count(c, i);
#define THREAD_PATH(name, bits, at) path.n[THREAD_PATH_##name] = (uint8_t)std::min(c[THREAD_CLASS_##name], 255u);
		THREAD_PATHS(THREAD_PATH)
#undef THREAD_PATH
		if (c[THREAD_CLASS_lane_integer])
			path.n[THREAD_PATH_integer]++;
		if (c[THREAD_CLASS_lane_float])
			path.n[i.getOpcode() == Instruction::FMul ? THREAD_PATH_float_multiply : THREAD_PATH_float]++;
		if (c[THREAD_CLASS_lane_divide])
			path.n[THREAD_PATH_float_divide]++;
		return path;
	}

	static bool any(const Counts &c)
	{
		for (uint32_t n : c)
			if (n)
				return true;
		return false;
	}

	/* The classes are those of the intermediate code, the sum is the machine's: what is more there (addresses, copies,
	 * spills) is integer instructions of the block's end, what is less is taken from the cheapest classes. */
	static void fitToMachine(const std::vector<Counts *> &parts, uint32_t machine)
	{
		static const int cheapest[] = {THREAD_CLASS_integer, THREAD_CLASS_memory, THREAD_CLASS_branch, THREAD_CLASS_vector,
					       THREAD_CLASS_float, THREAD_CLASS_float_multiply, THREAD_CLASS_multiply,
					       THREAD_CLASS_float_divide, THREAD_CLASS_divide};
		uint32_t sum = 0;

		for (const Counts *c : parts)
			for (int i = 0; i < THREAD_CLASS_lane_integer; i++)
				sum += (*c)[i];
		if (machine > sum)
			(*parts[0])[THREAD_CLASS_integer] += machine - sum;
		for (int i : cheapest)
			for (Counts *c : parts)
				for (; sum > machine && (*c)[i]; sum--)
					(*c)[i]--;
	}

	/* Does i need the value, which one of these is? Where a store queues up its data, only its address does. */
	static bool uses(const Instruction &i, const std::set<const Value *> &same)
	{
		if (auto *s = dyn_cast<StoreInst>(&i))
			return same.count(s->getPointerOperand());
		return any_of(i.operands(), [&](const Use &u) { return same.count(u.get()); });
	}

	static uint32_t sumOf(const Counts &c)
	{
		uint32_t sum = 0;

		for (int i = 0; i < THREAD_CLASS_lane_integer; i++)
			sum += c[i];
		return sum;
	}

	/* Instructions after a hooked load before the first that uses it, as the hooks count them: none is 0. A use in another
	 * block is at the end of this one; useNever where there is none but as a store's data. */
	uint32_t useDistance(size_t at, const std::vector<Instruction *> &hooked, const std::vector<Counts> &counts)
	{
		const Instruction &load = *hooked[at];
		std::set<const Value *> same = {&load};
		uint32_t whole = 0, part = 0, hooks = 0;
		bool isElsewhere = false;
		auto ended = [&] { return std::min(std::max(whole + part, hooks ? 1u : 0u), useNever - 1); };

		if (load.getType()->isVoidTy() || load.isAtomic())
			return 0;
		for (const Instruction *i = load.getNextNode(); i; i = i->getNextNode()) {
			if (uses(*i, same)) {
				if (!isFree(*i) || isa<ReturnInst>(i))
					return ended();
				same.insert(i);
			}
			Counts one{};

			count(one, *i);
			if (at + hooks + 1 < hooked.size()) {
				part = std::min(part + sumOf(one), sumOf(counts[at + hooks + 1]));
				if (i == hooked[at + hooks + 1]) {
					whole += sumOf(counts[at + hooks + 1]);
					part = 0;
					hooks++;
				}
			} else {
				part = std::min(part + sumOf(one), 1u); /* the rest has been counted before the first hook */
			}
		}
		for (const Value *v : same)
			for (const User *u : v->users())
				isElsewhere |= isa<PHINode>(u) || cast<Instruction>(u)->getParent() != load.getParent();
		return isElsewhere ? std::max(ended(), 1u) : useNever;
	}

	/* ---- branches ---- */

	/* What a block has for who looks where branches go. */
	struct BlockHooks {
		bool isHooked = false;	     /* an access, or the block itself, has a hook */
		bool isCallBefore = false; /* before its first hook something is called, which may have some */
		bool isCallBehind = false; /* behind its last one */
	};

	static bool isCalled(const Instruction &i)
	{
		const auto *cb = dyn_cast<CallBase>(&i);

		return cb && !isa<IntrinsicInst>(cb) && !cb->isInlineAsm();
	}

	bool hasBlockHook(const BasicBlock &block)
	{
		const auto *br = dyn_cast<BranchInst>(block.getTerminator());
		const bool isLoop = br && br->isUnconditional() && br->getSuccessor(0) == &block;
		Counts now{};

		for (const Instruction &i : block)
			count(now, i);
		if (hasMachineCounts)
			fitToMachine({&now}, machineCounts[&block]);
		return (any(now) || isLoop) && !isa<UnreachableInst>(block.getTerminator()) && !block.isEHPad();
	}

	BlockHooks hooksOf(const BasicBlock &block)
	{
		BlockHooks hooks;

		for (const Instruction &i : block) {
			if (isHooked(i)) {
				hooks.isHooked = true;
				hooks.isCallBehind = false;
			} else if (isCalled(i)) {
				hooks.isCallBefore |= !hooks.isHooked;
				hooks.isCallBehind = true;
			}
		}
		if (!hooks.isHooked && hasBlockHook(block)) { /* which is the block's first instruction */
			hooks.isHooked = true;
			hooks.isCallBefore = false;
		}
		return hooks;
	}

	/* The number of the block whose hook comes next when this one is entered; 0: that is not known. */
	uint32_t numberBehind(const BasicBlock *block, const std::map<const BasicBlock *, BlockHooks> &hooks)
	{
		for (int steps = 0; steps < 8; steps++) {
			const BlockHooks &h = hooks.at(block);
			const auto *br = dyn_cast<BranchInst>(block->getTerminator());

			if (h.isCallBefore)
				return 0;
			if (h.isHooked)
				return numbers.at(block);
			if (h.isCallBehind || !br || br->isConditional())
				return 0;
			block = br->getSuccessor(0);
		}
		return 0;
	}

	/* Before any hook is there. Numbers are the same from build to build. */
	void findBranches(const Function &f)
	{
		std::map<const BasicBlock *, BlockHooks> hooks;
		uint32_t hash = 2166136261u, count = 0;

		numbers.clear();
		branches.clear();
		for (char c : f.getName())
			hash = (hash ^ (uint8_t)c) * 16777619u;
		for (const BasicBlock &b : f) {
			hooks[&b] = hooksOf(b);
			numbers[&b] = std::max((hash ^ ++count) * 16777619u, 1u);
		}
		for (const BasicBlock &b : f) {
			const auto *br = dyn_cast<BranchInst>(b.getTerminator());

			if (!br || !br->isConditional() || !hooks[&b].isHooked || hooks[&b].isCallBehind)
				continue;

			const uint32_t taken = numberBehind(br->getSuccessor(0), hooks);
			const uint32_t other = numberBehind(br->getSuccessor(1), hooks);

			if (taken && other && taken != other)
				branches[&b] = {numbers[&b], taken};
		}
	}

	void instrumentBlock(BasicBlock &block)
	{
		Instruction *end = block.getTerminator();
		const bool isTail = block.getTerminatingMustTailCall();
		std::vector<Instruction *> hooked;
		std::vector<Counts> counts;
		std::vector<CallBase *> outside;
		Counts now{};

		for (Instruction &i : block) {
			count(now, i);
			if (isHooked(i)) {
				hooked.push_back(&i);
				counts.push_back(now);
				now = Counts{};
			} else if (auto *cb = dyn_cast<CallBase>(&i)) {
				outside.push_back(cb);
			}
		}
		if (hasMachineCounts) {
			std::vector<Counts *> all = {&now};

			for (Counts &c : counts)
				all.push_back(&c);
			fitToMachine(all, machineCounts[&block]);
		}
		if (hooked.empty()) {
			auto *br = dyn_cast<BranchInst>(block.getTerminator());
			bool isLoop = br && br->isUnconditional() && br->getSuccessor(0) == &block;

			nextBlock = numbers[&block];
			nextBranch = branches[&block];
			if ((any(now) || isLoop) && !isa<UnreachableInst>(block.getTerminator()) && !block.isEHPad())
				call(&*block.getFirstInsertionPt(), "__strata_block", {site(0, THREAD_BLOCK, 0, now, 0, flows->ofBlock(block))});
		} else {
			for (size_t c = 0; c < now.size(); c++)
				counts[0][c] += now[c];
		}
		std::vector<uint32_t> use;

		for (size_t k = 0; k < hooked.size(); k++)
			use.push_back(useDistance(k, hooked, counts));
		for (size_t k = 0; k < hooked.size(); k++) {
			nextBlock = k ? 0 : numbers[&block];
			nextBranch = k + 1 < hooked.size() ? Branch() : branches[&block];
			hookOne(*hooked[k], counts[k], use[k]);
		}
		for (CallBase *cb : outside)
			if (needsTurn(*cb))
				call(cb, "__strata_turn", {});
			else if (isPlain && needsOwn(*cb))
				call(cb, "__strata_own", {});
		for (CallBase *cb : outside)
			if (cb->getCalledFunction() && isPause(*cb->getCalledFunction()))
				skipPause(*cb);
		if (isPlain && (isa<ReturnInst>(end) || isa<ResumeInst>(end)) && !isTail)
			call(end, "__strata_own", {});
		/* The runtime's own are no news: what it needs of the C library is small. */
		if (isRuntime || isMath)
			return;
		for (CallBase *cb : outside)
			countCall(*cb);
	}

	void instrument(Function &f)
	{
		isPlain = mayBePlain(f);
		isRuntime = f.getFnAttribute("implicit-section-name").getValueAsString() == "strata_text";
		isMath = f.getFnAttribute("implicit-section-name").getValueAsString() == "strata_math";
		std::vector<BasicBlock *> blocks;
		std::vector<MemIntrinsic *> long_ones;
		std::vector<CallBase *> direct;
		std::vector<Instruction *> math;

		for (BasicBlock &b : f)
			for (Instruction &i : b) {
				if ((isa<CallBase>(i) && !isa<MemIntrinsic>(i)) || i.getOpcode() == Instruction::FRem)
					math.push_back(&i);
				if (auto *mi = dyn_cast<MemIntrinsic>(&i))
					long_ones.push_back(mi);
				else if (auto *cb = dyn_cast<CallBase>(&i))
					direct.push_back(cb);
			}
		for (MemIntrinsic *mi : long_ones)
			replaceIntrinsic(*mi);
		for (CallBase *cb : direct) {
			replaceCall(*cb);
			replaceDistribute(*cb);
			replaceClock(*cb);
		}
		for (Instruction *i : math)
			if (!isMath)
				replaceMath(*i);
		for (BasicBlock &b : f)
			blocks.push_back(&b);

		const FlowOfFunction ofFunction(f, isHooked, [this](const Instruction &i) { return pathOf(i); });

		flows = &ofFunction;
		findBranches(f);
		for (BasicBlock *b : blocks)
			instrumentBlock(*b);
		flows = nullptr;
		/* It has effects now. */
		f.removeFnAttr(Attribute::Memory);
		f.removeFnAttr(Attribute::NoSync);
		f.removeFnAttr(Attribute::Speculatable);
		for (Argument &a : f.args())
			for (Attribute::AttrKind kind : {Attribute::ReadNone, Attribute::ReadOnly, Attribute::WriteOnly})
				a.removeAttr(kind);
		for (BasicBlock &b : f)
			for (Instruction &i : b)
				if (auto *cb = dyn_cast<CallBase>(&i))
					if (!cb->getCalledFunction() || !cb->getCalledFunction()->isIntrinsic())
						cb->removeFnAttr(Attribute::Memory);
	}
};

struct StrataPass : PassInfoMixin<StrataPass> {
	OptimizationLevel level;

	explicit StrataPass(OptimizationLevel level) : level(level)
	{
	}
	PreservedAnalyses run(Module &m, ModuleAnalysisManager &)
	{
		return Instrument(m, level).run() ? PreservedAnalyses::none() : PreservedAnalyses::all();
	}
	static bool isRequired() { return true; }
};

} // namespace

extern "C" __attribute__((visibility("default"))) PassPluginLibraryInfo llvmGetPassPluginInfo()
{
	return {LLVM_PLUGIN_API_VERSION, "strata", "1", [](PassBuilder &pb) {
			pb.registerOptimizerLastEPCallback(
				[](ModulePassManager &pm, OptimizationLevel level) { pm.addPass(StrataPass(level)); });
		}};
}
