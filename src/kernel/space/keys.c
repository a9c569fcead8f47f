/* Evaluates filters when only some axes have values. The result is a value, a failure, or a key.
 * Equal keys of a filter mean that it accepts the same values of the other axes. */
#include "kernel/space/internal.h"

typedef struct state {
    const gt_space *space;
    const int64_t *slots;
    uint32_t known;
    const gt_instruction *code;
} state;

static uint64_t mix(uint64_t key, uint64_t value)
{
    uint64_t z = (key ^ value) + UINT64_C(0x9e3779b97f4a7c15) + (key << 6) + (key >> 2);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static gt_residue value_of(int64_t value)
{
    return (gt_residue){GT_LEFT_VALUE, value, mix(1, (uint64_t)value)};
}

static gt_residue failed(void)
{
    return (gt_residue){GT_LEFT_FAILED, 0, 2};
}

static gt_residue open_operation(int at, uint64_t a, uint64_t b)
{
    return (gt_residue){GT_LEFT_OPEN, 0, mix(mix(mix(3, (uint64_t)at), a), b)};
}

/* Computes a key from the values of those `axes` that already have a value. */
static uint64_t key_of_values(const state *s, uint32_t axes)
{
    uint64_t key = 4;
    for (uint32_t left = axes & s->known; left; left &= left - 1) {
        const int axis = __builtin_ctz(left);
        key = mix(mix(key, (uint64_t)axis), (uint64_t)s->slots[GT_SLOT_AXIS + axis]);
    }
    return key;
}

static gt_residue run_slot(const state *s, int slot)
{
    const uint32_t axes = s->space->slot_axes[slot];
    return axes & ~s->known ? open_operation(-slot, key_of_values(s, axes), 0)
                            : value_of(s->slots[slot]);
}

static gt_residue run_program(const state *s, int at);

static gt_residue run_unary(gt_operation operation, gt_residue a, int at)
{
    int64_t value = a.value;
    if (a.left == GT_LEFT_OPEN) {
        return open_operation(at, a.key, 0);
    }
    return a.left == GT_LEFT_FAILED || gt_operation_unary(&value, operation) ? failed()
                                                                             : value_of(value);
}

static gt_residue run_binary(const state *s, gt_residue a, gt_residue b, int at)
{
    int64_t value;
    if (a.left == GT_LEFT_FAILED || b.left == GT_LEFT_FAILED) {
        return failed();
    }
    if (a.left == GT_LEFT_OPEN || b.left == GT_LEFT_OPEN) {
        return open_operation(at, a.key, b.key);
    }
    return gt_operation_binary(&value, s->code[at].operation, a.value, b.value) ? failed()
                                                                                : value_of(value);
}

static gt_residue run_logical(const state *s, gt_residue left, int at)
{
    const bool stops = s->code[at].operation == GT_DO_OR;
    if (left.left == GT_LEFT_FAILED) {
        return left;
    }
    if (left.left == GT_LEFT_VALUE && (left.value != 0) == stops) {
        return value_of(stops);
    }
    const gt_residue right = run_unary(GT_DO_TRUTH, run_program(s, at - 1), at);
    return left.left == GT_LEFT_VALUE ? right : open_operation(at, left.key, right.key);
}

static gt_residue run_choice(const state *s, gt_residue condition, int at)
{
    const int first = s->code[at - 1].target, second = at - 2;
    if (condition.left == GT_LEFT_OPEN) {
        const uint64_t key = run_program(s, first).key;
        return open_operation(at, condition.key, mix(key, run_program(s, second).key));
    }
    return condition.left == GT_LEFT_FAILED ? condition
                                            : run_program(s, condition.value ? first : second);
}

static gt_residue run_program(const state *s, int at)
{
    const gt_instruction *step = &s->code[at];
    const int operands = gt_operation_operands(step->operation);
    if (operands == 0) {
        return step->operation == GT_DO_SLOT ? run_slot(s, step->target) : value_of(step->integer);
    }
    const gt_residue a = run_program(s, operands == 1 ? at - 1 : step->target);
    if (step->operation == GT_DO_CHOOSE) {
        return run_choice(s, a, at);
    }
    if (step->operation >= GT_DO_AND) {
        return run_logical(s, a, at);
    }
    return operands == 1 ? run_unary(step->operation, a, at)
                         : run_binary(s, a, run_program(s, at - 1), at);
}

gt_residue gt_filter_evaluate(const gt_space *space, const gt_filter *filter, const int64_t *slots,
                              uint32_t known)
{
    state s = {.space = space, .slots = slots, .known = known};
    uint64_t key = key_of_values(&s, filter->raw);
    if (!filter->bind) {
        s.code = space->inputs.items[filter->first]->code;
        return run_program(&s, filter->at);
    }
    for (size_t i = filter->first; i < filter->first + filter->inputs; i++) {
        s.code = space->inputs.items[i]->code;
        key = mix(key, run_program(&s, space->inputs.items[i]->count - 1).key);
    }
    return (gt_residue){GT_LEFT_OPEN, 0, key};
}
