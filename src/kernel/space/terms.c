/* Evaluates constraints when only some axes have values. The result is a value, a failure, or a
 * key. */
#include "kernel/space/internal.h"

enum { KEY_FAILED = 1, KEY_VALUE, KEY_TERM };

typedef struct state {
    const gt_term_list *terms;
    const int64_t *slots;
    uint32_t known;
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
    return (gt_residue){GT_LEFT_VALUE, value, mix(KEY_VALUE, (uint64_t)value)};
}

static gt_residue failed(void)
{
    return (gt_residue){GT_LEFT_FAILED, 0, mix(KEY_FAILED, 0)};
}

/* Makes the residue of an open term. `a`, `b` and `c` are the keys of its operands. */
static gt_residue open_term(uint64_t what, uint64_t a, uint64_t b, uint64_t c)
{
    return (gt_residue){GT_LEFT_OPEN, 0, mix(mix(mix(mix(KEY_TERM, what), a), b), c)};
}

static gt_residue evaluate_term(const state *s, int term);

typedef struct program {
    const state *state;
    const gt_instruction *code;
    uint64_t term;
} program;

static uint64_t name_of(const program *p, int at)
{
    return p->term << 32 | (uint64_t)at;
}

static gt_residue run_program(const program *p, int at);

static gt_residue run_unary(const program *p, gt_operation operation, gt_residue a, int at)
{
    int64_t value = a.value;
    if (a.left == GT_LEFT_OPEN) {
        return open_term(name_of(p, at), a.key, 0, 0);
    }
    return a.left == GT_LEFT_FAILED || gt_operation_unary(&value, operation) ? failed()
                                                                             : value_of(value);
}

static gt_residue run_binary(const program *p, gt_residue a, gt_residue b, int at)
{
    int64_t value;
    if (a.left == GT_LEFT_FAILED || b.left == GT_LEFT_FAILED) {
        return failed();
    }
    if (a.left == GT_LEFT_OPEN || b.left == GT_LEFT_OPEN) {
        return open_term(name_of(p, at), a.key, b.key, 0);
    }
    return gt_operation_binary(&value, p->code[at].operation, a.value, b.value) ? failed()
                                                                                : value_of(value);
}

static gt_residue run_logical(const program *p, gt_residue left, int at)
{
    const bool stops = p->code[at].operation == GT_DO_OR;
    if (left.left == GT_LEFT_FAILED) {
        return left;
    }
    if (left.left == GT_LEFT_VALUE && (left.value != 0) == stops) {
        return value_of(stops);
    }
    const gt_residue right = run_unary(p, GT_DO_TRUTH, run_program(p, at - 1), at);
    return left.left == GT_LEFT_VALUE ? right : open_term(name_of(p, at), left.key, right.key, 1);
}

static gt_residue run_choice(const program *p, gt_residue condition, int at)
{
    const int first = p->code[at - 1].target, second = at - 2;
    if (condition.left == GT_LEFT_OPEN) {
        return open_term(name_of(p, at), condition.key, run_program(p, first).key,
                         run_program(p, second).key);
    }
    return condition.left == GT_LEFT_FAILED ? condition
                                            : run_program(p, condition.value ? first : second);
}

static gt_residue run_slot(const state *s, int slot)
{
    const int term = s->terms->of_slot[slot];
    return term < 0 ? value_of(s->slots[slot]) : evaluate_term(s, term);
}

static gt_residue run_program(const program *p, int at)
{
    const gt_instruction *step = &p->code[at];
    const int operands = gt_operation_operands(step->operation);
    if (operands == 0) {
        return step->operation == GT_DO_SLOT ? run_slot(p->state, step->target)
                                             : value_of(step->integer);
    }
    const gt_residue a = run_program(p, operands == 1 ? at - 1 : step->target);
    if (step->operation == GT_DO_CHOOSE) {
        return run_choice(p, a, at);
    }
    if (step->operation >= GT_DO_AND) {
        return run_logical(p, a, at);
    }
    return operands == 1 ? run_unary(p, step->operation, a, at)
                         : run_binary(p, a, run_program(p, at - 1), at);
}

static gt_residue evaluate_term(const state *s, int term)
{
    const gt_term *t = &s->terms->items.items[term];
    if (t->kind == GT_TERM_CODE) {
        const program p = {s, t->expression->code, (uint64_t)term};
        return run_program(&p, t->at);
    }
    if (t->kind == GT_TERM_JOIN) {
        uint64_t a = evaluate_term(s, t->operands[0]).key, b = evaluate_term(s, t->operands[1]).key;
        return open_term((uint64_t)term, a, b, 0);
    }
    if (!(t->axes & ~s->known)) {
        return value_of(s->slots[t->slot]);
    }
    uint64_t left = t->kind == GT_TERM_LAUNCH ? evaluate_term(s, t->operands[0]).key : 0;
    return open_term((uint64_t)term, left, 0, 0);
}

gt_residue gt_terms_evaluate(const gt_term_list *terms, int term, const int64_t *slots,
                             uint32_t known)
{
    const state s = {terms, slots, known};
    return evaluate_term(&s, term);
}
