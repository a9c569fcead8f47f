/* Tracks values that come from unset shared or local memory, or from unset registers. A thread
 * beyond the edge of the data may load such a value and never use it. The load is therefore
 * reported only if the value reaches global memory, or if a branch or store depends on it. For each
 * register, the line that loaded its value is stored. Values are not tracked through calls. */
#include "emulator/check_stretch.h"

#include "base/number.h"

typedef struct step {
    emu_warp *warp;
    const emu_op *op;
    emu_frame *frame;
    const ptx_instruction *in;
    /* used registers: twice the register's index, plus one if the use is a write */
    const uint32_t *touches;
    uint32_t count;
    uint32_t mask;
} step;

static emu_unset *register_of(const step *s, uint32_t touch)
{
    return &s->frame->unset[touch >> 1];
}

/* Returns the lanes in which an operand is unset, and the origin of one unset value. */
static emu_unset read_of(const step *s)
{
    emu_unset all = {0};
    for (uint32_t i = 0; i < s->count; i++) {
        const emu_unset *one = register_of(s, s->touches[i]);
        if (!(s->touches[i] & 1) && one->lanes & s->mask) {
            all.lanes |= one->lanes & s->mask;
            all.line = one->line;
            all.shuffled = one->shuffled;
        }
    }
    return all;
}

static bool is_opcode(const step *s, const char *opcode)
{
    return strncmp(s->in->opcode, opcode, strlen(opcode)) == 0;
}

static uint32_t lanes_of(const step *s, size_t operand)
{
    const ptx_operand *o = &s->in->operands[operand];
    return o->kind == PTX_OPERAND_REGISTER ? s->frame->unset[o->reg].lanes : 0;
}

/* Returns the lanes in which an operand is unset and affects the result. */
static uint32_t dependent_lanes(const step *s, uint32_t lanes)
{
    static const char *const apart[] = {"shfl",  "vote",  "match", "redux", "bar",  "atom", "call",
                                        "elect", "setp.", "lop3",  "mma",   "wmma", "wgmma"};
    const emu_op *op = s->op;
    if (is_opcode(s, "selp.") && s->in->operand_count == 4) {
        uint32_t chosen = emu_predicate(s->warp, op->c);
        return lanes & ((lanes_of(s, 1) & chosen) | (lanes_of(s, 2) & ~chosen) | lanes_of(s, 3));
    }
    if (is_opcode(s, "and.pred") || is_opcode(s, "or.pred")) {
        uint32_t decides = is_opcode(s, "or.pred") ? UINT32_MAX : 0;
        uint32_t a = lanes_of(s, 1), b = lanes_of(s, 2);
        uint32_t known_a = ~a & ~(emu_predicate(s->warp, op->a) ^ decides);
        uint32_t known_b = ~b & ~(emu_predicate(s->warp, op->b) ^ decides);
        return lanes & ~known_a & ~known_b;
    }
    for (size_t i = 0; i < sizeof apart / sizeof *apart; i++) {
        bool plain = is_opcode(s, "setp.") && s->in->operand_count == 3;
        if (is_opcode(s, apart[i]) && !plain)
            return 0; /* the result may not depend on the unset operand, so it counts as set */
    }
    return lanes;
}

/* Finds the registers of a load's or store's elements, which are the last ones in s->touches. */
static bool find_elements(const step *s, bool writes, const uint32_t **out)
{
    uint32_t found = 0, count = s->op->count;
    for (uint32_t i = s->count; i && found < count && (s->touches[i - 1] & 1) == writes; i--)
        found++;
    *out = s->touches + s->count - found;
    return count && found == count && count <= EMU_UNSET_ELEMENTS;
}

/* Sets a register in the lanes of `mask`. In the lanes value.lanes, the new value is unset. */
static void set_lanes(emu_unset *to, uint32_t mask, emu_unset value)
{
    value.lanes |= to->lanes & ~mask;
    if (!(value.lanes & mask)) {
        value.line = to->line;
        value.shuffled = to->shuffled;
    }
    *to = value;
}

static void note_loaded(const step *s, const emu_warp_order *order)
{
    const uint32_t *elements;
    bool known = find_elements(s, true, &elements);
    for (uint32_t i = 0; i < s->count; i++)
        if (s->touches[i] & 1)
            set_lanes(register_of(s, s->touches[i]), s->mask, (emu_unset){0});
    for (uint32_t k = 0; known && k < s->op->count; k++) {
        emu_unset *to = register_of(s, elements[k]);
        to->lanes |= order->loaded[k] & s->mask;
        if (order->loaded[k] & s->mask)
            *to = (emu_unset){.lanes = to->lanes, .line = s->op->line};
    }
}

static void note_storing(const step *s, emu_warp_order *order)
{
    const uint32_t *elements;
    bool known = find_elements(s, false, &elements);
    for (uint32_t k = 0; known && k < s->op->count; k++) {
        const emu_unset *from = register_of(s, elements[k]);
        order->storing[k] = *from;
        order->storing[k].lanes &= s->mask;
    }
}

static void note_adding(const step *s, emu_warp_order *order)
{
    const ptx_operand *value = &s->in->operands[is_opcode(s, "red.") ? 1 : 2];
    if (value->kind == PTX_OPERAND_REGISTER) {
        order->storing[0] = s->frame->unset[value->reg];
        order->storing[0].lanes &= s->mask;
    }
}

void emu_check_report_unset(const emu_warp *warp, const emu_op *op, unsigned lane,
                            const char *where, const emu_unset *unset)
{
    char what[160];
    const char *from = unset->shuffled ? "a thread that takes no part in the shuffle"
                       : unset->line   ? "shared or local memory that nothing has set"
                                       : "a register that nothing has set";
    const emu_stamp here = {.warp = warp->block->order->warps[warp->index].index + 1,
                            .line = op->line,
                            .lane = (uint8_t)lane};
    emu_op origin = *op;
    origin.line = unset->line ? unset->line : op->line;
    gt_snprintf(what, sizeof what,
                *where ? "gets a value from %s" : "the control flow depends on a value from %s",
                from);
    emu_check_report(warp, &origin, lane, unset->shuffled ? "shuffle" : "unset", where,
                     unset->line ? &here : NULL, what);
}

/* Reports a use of a wgmma's sum before the warp has waited for the wgmma. Moves, and wgmmas that
 * add to the sum, may use it. Returns the `product` of the instruction's result. */
static uint32_t look_at_products(const step *s, const emu_warp_order *order)
{
    uint32_t product = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t of = register_of(s, s->touches[i])->product;
        if (!(s->touches[i] & 1) && of > product && of - 1 > order->products[0].waited)
            product = of;
    }
    if (is_opcode(s, "wgmma.mma_async"))
        return order->products[0].group + 1;
    if (product && !is_opcode(s, "mov."))
        emu_check_report(s->warp, s->op, (unsigned)__builtin_ctz(s->mask), "race", "", NULL,
                         "uses a sum of wgmma without an earlier wgmma.wait_group");
    return is_opcode(s, "mov.") ? product : 0;
}

static void look_at_condition(const step *s)
{
    const ptx_operand *guard = &s->in->guard;
    if (!s->in->has_guard || guard->kind != PTX_OPERAND_REGISTER)
        return;
    const emu_unset *unset = &s->frame->unset[guard->reg];
    uint32_t lanes = unset->lanes & s->warp->active;
    if (!lanes)
        return;
    emu_check_report_unset(s->warp, s->op, (unsigned)__builtin_ctz(lanes), "", unset);
}

static void mark_touched(const step *s, emu_unset read)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (s->touches[i] & 1)
            set_lanes(register_of(s, s->touches[i]), s->mask, read);
}

static emu_unset value_of_shuffle(const step *s)
{
    const ptx_operand *value = &s->in->operands[1];
    return is_opcode(s, "shfl") && value->kind == PTX_OPERAND_REGISTER ? s->frame->unset[value->reg]
                                                                       : (emu_unset){0};
}

/* Marks results of a shuffle that come from unset values or from threads that do not take part. */
static void note_shuffled(const step *s, const emu_warp_order *order, emu_unset value)
{
    const ptx_operand *result = &s->in->operands[0];
    EMU_FOR_LANES(lane, result->kind == PTX_OPERAND_REGISTER ? order->shuffled : 0)
    {
        uint32_t here = 1u << lane, from = 1u << order->from[lane];
        emu_unset absent = {.lanes = here, .line = s->op->line, .shuffled = true};
        emu_unset unset = {.lanes = here, .line = value.line, .shuffled = value.shuffled};
        if (!(s->mask & from))
            set_lanes(&s->frame->unset[result->reg], here, absent);
        else if (value.lanes & from)
            set_lanes(&s->frame->unset[result->reg], here, unset);
    }
}

/* Returns false if the operation is not tracked. */
static bool begin_step(step *out, emu_warp *warp, const emu_op *op)
{
    const emu_function *function = warp->frame->function;
    uint32_t at = (uint32_t)(op - warp->worker->run->launch->program->ops) - function->first;
    if (!function->touches || !warp->frame->unset || at >= function->source->instruction_count)
        return false;
    *out = (step){.warp = warp,
                  .op = op,
                  .frame = warp->frame,
                  .in = &function->source->instructions[at],
                  .touches = function->touches + function->first_touch[at],
                  .count = function->first_touch[at + 1] - function->first_touch[at],
                  .mask = warp->mask};
    return true;
}

void emu_check_skip(emu_warp *warp, const emu_op *op)
{
    step s;
    if (begin_step(&s, warp, op) && (is_opcode(&s, "st.") || is_opcode(&s, "bra")))
        look_at_condition(&s);
}

void emu_check_run(emu_warp *warp, const emu_op *op)
{
    step s;
    emu_warp_order *order = &warp->block->order->warps[warp->index];
    if (!begin_step(&s, warp, op)) {
        op->run(warp, op);
        return;
    }
    bool is_load = is_opcode(&s, "ld"), is_store = is_opcode(&s, "st."),
         ends = is_opcode(&s, "ret") || is_opcode(&s, "exit");
    emu_unset read = is_load || ends ? (emu_unset){0} : read_of(&s);
    read.lanes = read.lanes ? dependent_lanes(&s, read.lanes) : 0;
    read.product = look_at_products(&s, order);
    emu_unset value = value_of_shuffle(&s);
    memset(order->loaded, 0, sizeof order->loaded);
    memset(order->storing, 0, sizeof order->storing);
    order->shuffled = 0;
    if (is_store && read.lanes)
        note_storing(&s, order);
    if (is_opcode(&s, "red.") || is_opcode(&s, "atom."))
        note_adding(&s, order);
    if (is_store || is_opcode(&s, "bra"))
        look_at_condition(&s);
    op->run(warp, op);
    if (is_load)
        note_loaded(&s, order);
    else if (!ends)
        mark_touched(&s, read);
    if (order->shuffled)
        note_shuffled(&s, order, value);
}
