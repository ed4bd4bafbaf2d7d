/* flow.cpp - def-use chains of a function, cut at loads and at what goes round loops. */
#include "threads/plugin/flow.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>

using namespace llvm;

namespace {

constexpr uint32_t rootsMost = 8;   /* that are followed of a value */
constexpr uint32_t addressMost = 4; /* of an access' address, of its data, of a cycle's inputs in a block */
constexpr uint32_t dataMost = 2;
constexpr uint32_t inputMost = 2;

const uint32_t defaultCycles[] = {
#define THREAD_CLASS(name, cycles, text) cycles,
#include "threads/classes.def"
#undef THREAD_CLASS
};

FlowPath longer(const FlowPath &a, const FlowPath &b)
{
	return b.cycles() > a.cycles() ? b : a;
}

/* The operands that are the address, and the data, of what is hooked. */
std::vector<const Value *> addressOf(const Instruction &i)
{
	if (const Value *p = getLoadStorePointerOperand(&i))
		return {p};
	if (auto *r = dyn_cast<AtomicRMWInst>(&i))
		return {r->getPointerOperand()};
	if (auto *c = dyn_cast<AtomicCmpXchgInst>(&i))
		return {c->getPointerOperand()};

	std::vector<const Value *> pointers;

	if (auto *cb = dyn_cast<CallBase>(&i))
		for (const Use &u : cb->args())
			if (u->getType()->isPtrOrPtrVectorTy() || u->getType()->isIntOrIntVectorTy())
				pointers.push_back(u.get());
	return pointers;
}

std::vector<const Value *> dataOf(const Instruction &i)
{
	if (auto *s = dyn_cast<StoreInst>(&i))
		return {s->getValueOperand()};

	std::vector<const Value *> data;

	if (auto *cb = dyn_cast<CallBase>(&i); cb && cb->getType()->isVoidTy())
		for (const Use &u : cb->args())
			if (u->getType()->isFPOrFPVectorTy())
				data.push_back(u.get());
	return data;
}

bool isAwaited(const Instruction &i)
{
	if (auto *l = dyn_cast<LoadInst>(&i))
		return l->isAtomic() || l->isVolatile();
	if (auto *s = dyn_cast<StoreInst>(&i))
		return s->isAtomic() || s->isVolatile();
	return isa<AtomicRMWInst>(i) || isa<AtomicCmpXchgInst>(i) || isa<FenceInst>(i);
}

} // namespace

void FlowPath::add(const FlowPath &other)
{
	for (size_t i = 0; i < n.size(); i++)
		n[i] = (uint8_t)std::min(n[i] + other.n[i], 255);
}

uint32_t FlowPath::cycles() const
{
	static const int classes[] = {
#define THREAD_PATH(name, bits, at) THREAD_CLASS_##name,
		THREAD_PATHS(THREAD_PATH)
#undef THREAD_PATH
	};
	uint32_t sum = 0;

	for (size_t i = 0; i < n.size(); i++)
		sum += n[i] * defaultCycles[classes[i]];
	return sum;
}

uint16_t FlowPath::packed() const
{
	uint32_t path = 0;

#define THREAD_PATH(name, bits, at) path |= std::min<uint32_t>(n[THREAD_PATH_##name], (1u << (bits)) - 1) << (at);
	THREAD_PATHS(THREAD_PATH)
#undef THREAD_PATH
	return (uint16_t)path;
}

bool Flow::hasValues() const
{
	return std::any_of(steps.begin(), steps.end(), [](const FlowStep &s) { return s.kind == THREAD_FLOW_VALUE; });
}

/* ---- what goes round a loop ---- */

/* No value is followed through it: a load, a call, what is hooked. */
bool FlowOfFunction::isLeaf(const Instruction &i) const
{
	if (isa<LoadInst>(i) || isHooked(i) || isa<AllocaInst>(i) || isa<LandingPadInst>(i))
		return true;
	if (auto *cb = dyn_cast<CallBase>(&i)) {
		auto *in = dyn_cast<IntrinsicInst>(cb);

		return !in || in->mayReadOrWriteMemory();
	}
	return i.getType()->isVoidTy();
}

/* Tarjan's strongly connected components of the instructions that are no leaves, by their operands; no recursion, for a
 * function may be long. */
void FlowOfFunction::findCycles(Function &f)
{
	struct Node {
		uint32_t number = 0, low = 0;
		bool isOpen = false;
	};
	struct Frame {
		const Instruction *i;
		uint32_t operand;
	};
	std::map<const Instruction *, Node> nodes;
	std::vector<const Instruction *> open;
	uint32_t count = 0;

	for (BasicBlock &b : f)
		for (PHINode &start : b.phis()) { /* each cycle has one */
			if (nodes.count(&start))
				continue;
			std::vector<Frame> frames = {{&start, 0}};

			nodes[&start] = {++count, count, true};
			open.push_back(&start);
			while (!frames.empty()) {
				const Instruction *i = frames.back().i;

				if (frames.back().operand < i->getNumOperands()) {
					const auto *o = dyn_cast<Instruction>(i->getOperand(frames.back().operand++));

					if (!o || isLeaf(*o))
						continue;

					Node &node = nodes[o];

					if (!node.number) {
						node = {++count, count, true};
						open.push_back(o);
						frames.push_back({o, 0});
					} else if (node.isOpen) {
						nodes[i].low = std::min(nodes[i].low, node.number);
					}
					continue;
				}
				frames.pop_back();

				Node &node = nodes[i];

				if (!frames.empty())
					nodes[frames.back().i].low = std::min(nodes[frames.back().i].low, node.low);
				if (node.low != node.number)
					continue;

				std::vector<const Instruction *> members;
				const Instruction *m;

				do {
					m = open.back();
					open.pop_back();
					nodes[m].isOpen = false;
					members.push_back(m);
				} while (m != i);
				if (members.size() > 1)
					keepCycle(members);
			}
		}
}

/* Counters, which take a cycle a round, are always there in time. */
void FlowOfFunction::keepCycle(const std::vector<const Instruction *> &members)
{
	FlowPath all;

	for (const Instruction *i : members)
		all.add(pathOf(*i));
	if (all.cycles() < 2)
		return;
	for (const Instruction *i : members)
		cycleOf[i] = cycles;
	cycles++;
}

/* What the cycle computes in the block: its longest chain there, and what comes into that. */
void FlowOfFunction::chainOf(const BasicBlock &block, uint32_t cycle)
{
	std::map<const Value *, FlowPath> until; /* from the block's begin to behind the member */
	std::vector<const Instruction *> members;
	FlowPath chain;

	for (const Instruction &i : block) {
		const auto c = cycleOf.find(&i);

		if (c == cycleOf.end() || c->second != cycle || isa<PHINode>(i))
			continue;

		FlowPath before;

		for (const Use &u : i.operands())
			if (until.count(u.get()))
				before = longer(before, until[u.get()]);
		before.add(pathOf(i));
		until[&i] = before;
		chain = longer(chain, before);
		members.push_back(&i);
	}
	if (members.empty() || !chain.cycles())
		return;

	Roots inputs;

	for (const Instruction *i : members)
		for (const Use &u : i->operands())
			for (Root r : far(u.get())) {
				const auto *in = dyn_cast<Instruction>(r.value);

				if (in && cycleOf.count(in) && cycleOf[in] == cycle)
					continue;
				r.path.add(pathOf(*i));
				inputs.push_back(r);
			}

	/* The hook behind the chain; none: what is behind the last hook is counted by the first. */
	const Instruction *at = nullptr, *first = nullptr;

	for (const Instruction &i : block)
		if (isHooked(i) && !first)
			first = &i;
	for (const Instruction *i = members.back(); i && !at; i = i->getNextNode())
		if (isHooked(*i))
			at = i;

	Flow &flow = at || first ? flows[at ? at : first] : blocks[&block];

	if (flow.steps.size() >= THREAD_FLOW_STEPS)
		return;
	flow.steps.push_back({THREAD_FLOW_VALUE, slotOf(members.front()), chain});
	addSteps(flow, THREAD_FLOW_INPUT, inputs, inputMost);
}

/* ---- from where values come ---- */

/* Loads, phis and members of cycles that the value is computed from, without going through one of them. */
const FlowOfFunction::Roots &FlowOfFunction::near(const Value *v)
{
	const auto at = known.find(v);

	if (at != known.end())
		return at->second;

	Roots roots;
	const auto *i = dyn_cast<Instruction>(v);

	known[v] = roots; /* no cycle is without a phi, so nobody asks for it meanwhile */
	if (!i)
		return known[v];
	if (cycleOf.count(i) || isa<PHINode>(i)) {
		roots.push_back({i, {}});
	} else if (isLeaf(*i)) {
		if (!i->getType()->isVoidTy() && isHooked(*i) && !isAwaited(*i))
			roots.push_back({i, {}});
	} else {
		const FlowPath own = pathOf(*i);

		for (const Use &u : i->operands())
			for (Root r : near(u.get())) {
				r.path.add(own);
				auto same = std::find_if(roots.begin(), roots.end(), [&](const Root &o) { return o.value == r.value; });

				if (same != roots.end())
					same->path = longer(same->path, r.path);
				else if (roots.size() < rootsMost)
					roots.push_back(r);
			}
	}
	return known[v] = roots;
}

/* The same, through the phis: loads, and members of cycles. */
FlowOfFunction::Roots FlowOfFunction::far(const Value *v)
{
	std::set<const Value *> seen;
	Roots todo = near(v), roots;

	for (size_t k = 0; k < todo.size() && roots.size() < rootsMost; k++) {
		const Root r = todo[k];
		const auto *phi = dyn_cast<PHINode>(r.value);

		if (!seen.insert(r.value).second)
			continue;
		if (!phi || cycleOf.count(phi)) {
			roots.push_back(r);
			continue;
		}
		for (const Use &u : phi->incoming_values())
			for (Root from : near(u.get())) {
				from.path.add(r.path);
				todo.push_back(from);
			}
	}
	return roots;
}

/* Those of a function are neighbours, and other functions' are elsewhere, as far as there is room. */
uint8_t FlowOfFunction::slotOf(const Value *v)
{
	const auto *i = cast<Instruction>(v);
	const auto cycle = cycleOf.find(i);
	uint8_t &slot = cycle != cycleOf.end() ? cycleSlots[cycle->second] : slots[v];

	if (!slot)
		slot = (uint8_t)(1 + (firstSlot + slotCount++) % (THREAD_FLOW_SLOTS - 1));
	return slot;
}

/* More than so many share the last one's slot, if they have none yet. */
void FlowOfFunction::addSteps(Flow &flow, uint8_t kind, const Roots &roots, uint32_t most)
{
	uint32_t count = 0;
	size_t first = flow.steps.size();

	for (const Root &r : roots) {
		const auto *i = cast<Instruction>(r.value);

		if (count == most || flow.steps.size() >= THREAD_FLOW_STEPS) {
			if (count && !cycleOf.count(i) && !slots.count(r.value))
				slots[r.value] = flow.steps.back().slot;
			continue;
		}

		const uint8_t slot = slotOf(r.value);
		auto same = std::find_if(flow.steps.begin() + (ptrdiff_t)first, flow.steps.end(),
					 [&](const FlowStep &s) { return s.kind == kind && s.slot == slot; });

		if (same != flow.steps.end()) {
			same->path = longer(same->path, r.path);
			continue;
		}
		flow.steps.push_back({kind, slot, r.path});
		count++;
	}
}

void FlowOfFunction::describe(const Instruction &hooked)
{
	Flow &flow = flows[&hooked];
	Roots address, data;

	flow.isKnown = !isAwaited(hooked);
	for (const Value *v : addressOf(hooked))
		for (const Root &r : far(v))
			address.push_back(r);
	for (const Value *v : dataOf(hooked))
		for (const Root &r : far(v))
			data.push_back(r);
	addSteps(flow, THREAD_FLOW_ADDRESS, address, addressMost);
	addSteps(flow, THREAD_FLOW_DATA, data, dataMost);
}

/* The condition of the branch that ends the block, at the block's last site. */
void FlowOfFunction::describeBranch(const BasicBlock &block)
{
	const auto *br = dyn_cast<BranchInst>(block.getTerminator());
	const Instruction *last = nullptr;

	if (!br || !br->isConditional())
		return;
	for (const Instruction &i : block)
		if (isHooked(i))
			last = &i;
	addSteps(last ? flows[last] : blocks[&block], THREAD_FLOW_BRANCH, far(br->getCondition()), addressMost);
}

FlowOfFunction::FlowOfFunction(Function &f, std::function<bool(const Instruction &)> isHooked,
			       std::function<FlowPath(const Instruction &)> pathOf)
    : isHooked(std::move(isHooked)), pathOf(std::move(pathOf))
{
	uint32_t hash = 2166136261u;

	for (char c : f.getName())
		hash = (hash ^ (uint8_t)c) * 16777619u;
	firstSlot = (uint8_t)(hash % (THREAD_FLOW_SLOTS - 1));
	findCycles(f);
	cycleSlots.resize(cycles);
	for (BasicBlock &b : f)
		for (Instruction &i : b)
			if (this->isHooked(i))
				describe(i);
	for (BasicBlock &b : f) {
		std::set<uint32_t> here;

		for (Instruction &i : b)
			if (cycleOf.count(&i))
				here.insert(cycleOf[&i]);
		for (uint32_t cycle : here)
			chainOf(b, cycle);
	}
	for (BasicBlock &b : f)
		describeBranch(b);
	for (auto &[i, flow] : flows) {
		const auto slot = slots.find(i);

		if (slot != slots.end())
			flow.slot = slot->second;
	}
}

const Flow &FlowOfFunction::of(const Instruction &hooked) const
{
	return flows.at(&hooked);
}

const Flow &FlowOfFunction::ofBlock(const BasicBlock &block) const
{
	static const Flow none;
	const auto at = blocks.find(&block);

	return at == blocks.end() ? none : at->second;
}
