/* Bounds what is left of constraints, and names it by a key. */
#include "kernel/space_parts.h"

enum { KEY_FAILED = 1, KEY_VALUE, KEY_TERM };

typedef struct state {
    const gt_terms *terms;
    const int64_t *slots;
    uint32_t known;
} state;

/* splitmix64's finalizer. */
static uint64_t mix(uint64_t key, uint64_t value)
{
    uint64_t z = (key ^ value) + UINT64_C(0x9e3779b97f4a7c15) + (key << 6) + (key >> 2);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* What is left is nothing but a value when that is certain; else its key is made of `what` (the
 * term, and in code the place) and of the keys of what it is made of. */
static gt_residue residue(gt_interval range, uint64_t what, uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t key = gt_interval_is_value(range)   ? mix(KEY_VALUE, (uint64_t)range.low)
                   : gt_interval_is_empty(range) ? mix(KEY_FAILED, 0)
                                                 : mix(mix(mix(mix(KEY_TERM, what), a), b), c);
    return (gt_residue){range, key};
}

static gt_residue value_of(int64_t value)
{
    return residue(gt_interval_of(value), 0, 0, 0, 0);
}

static gt_residue evaluate(const state *s, int term);

/* Code that is run. */
typedef struct program {
    const state *state;
    const gt_instruction *code;
    uint64_t term;
} program;

static uint64_t name_of(const program *p, int at)
{
    return p->term << 32 | (uint64_t)at;
}

static gt_residue run(const program *p, int at);

/* "left && …" and "left || …". */
static gt_residue run_logical(const program *p, gt_residue left, int at)
{
    const bool stops = p->code[at].operation == GT_DO_OR;
    gt_interval truth = gt_interval_unary(GT_DO_TRUTH, left.range);
    if (gt_interval_is_empty(truth) || (truth.low == truth.high && truth.low == stops)) {
        return residue(truth, name_of(p, at), left.key, 0, 0);
    }
    gt_residue right = run(p, at - 1);
    right = residue(gt_interval_unary(GT_DO_TRUTH, right.range), name_of(p, at), right.key, 0, 1);
    if (gt_interval_is_value(truth)) { /* it is the right side alone */
        return right;
    }
    if (truth.low != truth.high) { /* the left side may stop it */
        right.range = gt_interval_join(gt_interval_of(stops), right.range);
    }
    right.range.may_fail |= truth.may_fail;
    return residue(right.range, name_of(p, at), left.key, right.key, 1);
}

/* "condition ? a : b" */
static gt_residue run_choice(const program *p, gt_residue condition, int at)
{
    const int first = p->code[at - 1].target, second = at - 2;
    gt_interval truth = gt_interval_unary(GT_DO_TRUTH, condition.range);
    if (gt_interval_is_empty(truth)) {
        return residue(truth, 0, 0, 0, 0);
    }
    if (gt_interval_is_value(truth)) {
        return run(p, truth.low ? first : second);
    }
    gt_residue a = run(p, first), b = run(p, second);
    gt_interval range = truth.low     ? a.range
                        : !truth.high ? b.range
                                      : gt_interval_join(a.range, b.range);
    range.may_fail |= truth.may_fail;
    return residue(range, name_of(p, at), condition.key, a.key, b.key);
}

static gt_residue run_slot(const state *s, int slot)
{
    const int term = s->terms->of_slot[slot];
    return term < 0 ? value_of(s->slots[slot]) : evaluate(s, term);
}

static gt_residue run(const program *p, int at)
{
    const gt_instruction *step = &p->code[at];
    const int operands = gt_operation_operands(step->operation);
    if (operands == 0) {
        return step->operation == GT_DO_SLOT ? run_slot(p->state, step->target)
                                             : value_of(step->integer);
    }
    const gt_residue a = run(p, operands == 1 ? at - 1 : step->target);
    if (step->operation == GT_DO_CHOOSE) {
        return run_choice(p, a, at);
    }
    if (step->operation >= GT_DO_AND) {
        return run_logical(p, a, at);
    }
    if (operands == 1) {
        return residue(gt_interval_unary(step->operation, a.range), name_of(p, at), a.key, 0, 0);
    }
    const gt_residue b = run(p, at - 1);
    return residue(gt_interval_binary(step->operation, a.range, b.range), name_of(p, at), a.key,
                   b.key, 0);
}

static gt_residue evaluate(const state *s, int term)
{
    const gt_term *t = &s->terms->items.items[term];
    if (t->kind == GT_TERM_CODE) {
        const program p = {s, t->expression->code, (uint64_t)term};
        return run(&p, t->at);
    }
    if (t->kind == GT_TERM_JOIN) {
        uint64_t a = evaluate(s, t->operands[0]).key, b = evaluate(s, t->operands[1]).key;
        return residue(gt_interval_any(), (uint64_t)term, a, b, 0);
    }
    if (!(t->axes & ~s->known)) {
        return value_of(s->slots[t->slot]);
    }
    uint64_t left = t->kind == GT_TERM_LAUNCH ? evaluate(s, t->operands[0]).key : 0;
    return residue(t->range, (uint64_t)term, left, 0, 0);
}

gt_residue gt_terms_evaluate(const gt_terms *terms, int term, const int64_t *slots, uint32_t known)
{
    const state s = {terms, slots, known};
    return evaluate(&s, term);
}
