/* Builds and evaluates the trees of constraints. */
#include "kernel/space_terms.h"

enum { KEY_FAILED = 1, KEY_VALUE, KEY_TERM };

void gt_terms_free(gt_terms *terms)
{
    gt_array_free(&terms->items);
}

gputune_status gt_terms_add(int *out, gt_terms *terms, gt_term term)
{
    *out = (int)terms->items.count;
    return gt_array_push(&terms->items, term) == GPUTUNE_OK ? GPUTUNE_OK : gt_fail_memory();
}

static gputune_status add(int *out, gt_terms *terms, gt_term_kind kind, gt_operation operation,
                          const int operands[3])
{
    gt_term term = {.kind = kind, .operation = operation};
    for (int i = 0; i < 3; i++) {
        term.operands[i] = operands[i];
        term.axes |= operands[i] < 0 ? 0 : terms->items.items[operands[i]].axes;
    }
    return gt_terms_add(out, terms, term);
}

gputune_status gt_terms_join(int *out, gt_terms *terms, int a, int b)
{
    if (a < 0) {
        *out = b;
        return GPUTUNE_OK;
    }
    return add(out, terms, GT_TERM_JOIN, GT_DO_LITERAL, (const int[]){a, b, -1});
}

/* --- from the stack machine's code ------------------------------------------------------------ */

typedef struct reader {
    gt_terms *terms;
    const gt_expression *expression;
    const gt_term_scope *scope;
} reader;

static gputune_status read_leaf(int *out, const reader *r, const gt_instruction *step)
{
    bool slot = step->operation == GT_DO_SLOT;
    int known = slot ? r->scope->term_of_slot[step->target] : -1;
    if (known >= 0) {
        *out = known;
        return GPUTUNE_OK;
    }
    int64_t value = slot ? r->scope->slots[step->target] : step->integer;
    return gt_terms_add(out, r->terms,
                        (gt_term){.kind = GT_TERM_CONSTANT, .range = gt_interval_of(value)});
}

static gputune_status read_range(int *out, const reader *r, int from, int to);

/* "left && …" and "left || …": the right side ends where the jump leads. */
static gputune_status read_shortcut(int *top, const reader *r, int *at)
{
    const gt_instruction *jump = &r->expression->code[*at];
    int right;
    GT_TRY(read_range(&right, r, *at + 1, jump->target));
    *at = jump->target;
    return add(top, r->terms, jump->operation == GT_DO_AND_SHORTCUT ? GT_TERM_AND : GT_TERM_OR,
               jump->operation, (const int[]){*top, right, -1});
}

/* "condition ? a : b": a jump over b stands behind a. */
static gputune_status read_choice(int *top, const reader *r, int *at)
{
    int otherwise = r->expression->code[*at].target;
    int end = r->expression->code[otherwise - 1].target, a, b;
    GT_TRY(read_range(&a, r, *at + 1, otherwise - 1));
    GT_TRY(read_range(&b, r, otherwise, end));
    *at = end;
    return add(top, r->terms, GT_TERM_CHOICE, GT_DO_BRANCH, (const int[]){*top, a, b});
}

/* Takes one step of the code, or a whole construct of jumps, with the terms on a stack. */
static gputune_status read_step(int *stack, int *depth, const reader *r, int *at)
{
    const gt_instruction *step = &r->expression->code[*at];
    if (step->operation <= GT_DO_SLOT) {
        ++*at;
        return read_leaf(&stack[(*depth)++], r, step);
    }
    int *top = &stack[*depth - 1];
    if (step->operation == GT_DO_AND_SHORTCUT || step->operation == GT_DO_OR_SHORTCUT) {
        return read_shortcut(top, r, at);
    }
    if (step->operation == GT_DO_BRANCH) {
        return read_choice(top, r, at);
    }
    ++*at;
    if (step->operation >= GT_DO_BINARY && step->operation < GT_DO_SQRT) {
        --*depth;
        return add(top - 1, r->terms, GT_TERM_BINARY, step->operation,
                   (const int[]){top[-1], top[0], -1});
    }
    return add(top, r->terms, GT_TERM_UNARY, step->operation, (const int[]){*top, -1, -1});
}

static gputune_status read_range(int *out, const reader *r, int from, int to)
{
    int stack[GT_CODE_STACK] = {0}, depth = 0;
    for (int at = from; at < to;) {
        GT_TRY(read_step(stack, &depth, r, &at));
    }
    *out = stack[0];
    return GPUTUNE_OK;
}

gputune_status gt_terms_expression(int *out, gt_terms *terms, const gt_expression *expression,
                                   const gt_term_scope *scope)
{
    const reader r = {terms, expression, scope};
    return read_range(out, &r, 0, expression->count);
}

static int without_truth(const gt_terms *terms, int term)
{
    const gt_term *t = &terms->items.items[term];
    return t->kind == GT_TERM_UNARY && t->operation == GT_DO_TRUTH ? t->operands[0] : term;
}

bool gt_terms_split(const gt_terms *terms, int term, int *left, int *right)
{
    const gt_term *t = &terms->items.items[without_truth(terms, term)];
    if (t->kind != GT_TERM_AND) {
        return false;
    }
    *left = t->operands[0];
    *right = without_truth(terms, t->operands[1]);
    return true;
}

/* --- evaluating ------------------------------------------------------------------------------- */

typedef struct state {
    const gt_term *terms;
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

static uint64_t mix_term(int term, uint64_t a, uint64_t b, uint64_t c)
{
    return mix(mix(mix(mix(KEY_TERM, (uint64_t)term), a), b), c);
}

/* What is left is no tree when its value is certain. */
static gt_residue residue(gt_interval range, uint64_t key)
{
    if (gt_interval_is_empty(range)) {
        key = mix(KEY_FAILED, 0);
    } else if (gt_interval_is_value(range)) {
        key = mix(KEY_VALUE, (uint64_t)range.low);
    }
    return (gt_residue){range, key};
}

static gt_residue evaluate(const state *s, int term);

/* && with the left side's certain value `stops` (0), || with 1. */
static gt_residue evaluate_shortcut(const state *s, int term, bool stops)
{
    const gt_term *t = &s->terms[term];
    gt_residue left = evaluate(s, t->operands[0]);
    gt_interval truth = gt_interval_unary(GT_DO_TRUTH, left.range);
    if (gt_interval_is_empty(truth) || (truth.low == truth.high && truth.low == stops)) {
        return residue(truth, left.key);
    }
    gt_residue right = evaluate(s, t->operands[1]);
    gt_interval range = gt_interval_unary(GT_DO_TRUTH, right.range);
    if (gt_interval_is_value(truth)) { /* it is the right side alone */
        return residue(range, mix_term(term, 0, right.key, 0));
    }
    if (truth.low != truth.high) { /* the left side may stop it */
        range = gt_interval_join(gt_interval_of(stops), range);
    }
    range.may_fail |= truth.may_fail;
    return residue(range, mix_term(term, left.key, right.key, 1));
}

static gt_residue evaluate_choice(const state *s, int term)
{
    const gt_term *t = &s->terms[term];
    gt_residue condition = evaluate(s, t->operands[0]);
    gt_interval truth = gt_interval_unary(GT_DO_TRUTH, condition.range);
    if (gt_interval_is_empty(truth)) {
        return residue(truth, 0);
    }
    if (gt_interval_is_value(truth)) {
        return evaluate(s, t->operands[truth.low ? 1 : 2]);
    }
    gt_residue a = evaluate(s, t->operands[1]), b = evaluate(s, t->operands[2]);
    gt_interval range = truth.low     ? a.range
                        : !truth.high ? b.range
                                      : gt_interval_join(a.range, b.range);
    range.may_fail |= truth.may_fail;
    return residue(range, mix_term(term, condition.key, a.key, b.key));
}

static gt_residue evaluate_operation(const state *s, int term)
{
    const gt_term *t = &s->terms[term];
    gt_residue a = evaluate(s, t->operands[0]);
    if (t->kind == GT_TERM_UNARY) {
        return residue(gt_interval_unary(t->operation, a.range), mix_term(term, a.key, 0, 0));
    }
    gt_residue b = evaluate(s, t->operands[1]);
    gt_interval range = t->kind == GT_TERM_JOIN
                            ? gt_interval_any()
                            : gt_interval_binary(t->operation, a.range, b.range);
    return residue(range, mix_term(term, a.key, b.key, 0));
}

static gt_residue evaluate_slot(const state *s, int term)
{
    const gt_term *t = &s->terms[term];
    if (!(t->axes & ~s->known)) {
        return residue(gt_interval_of(s->slots[t->slot]), 0);
    }
    uint64_t left = t->kind == GT_TERM_LAUNCH ? evaluate(s, t->operands[0]).key : 0;
    return residue(t->range, mix_term(term, left, 0, 0));
}

static gt_residue evaluate(const state *s, int term)
{
    const gt_term *t = &s->terms[term];
    switch (t->kind) {
    case GT_TERM_CONSTANT:
        return residue(t->range, 0);
    case GT_TERM_SLOT:
    case GT_TERM_LAUNCH:
        return evaluate_slot(s, term);
    case GT_TERM_AND:
        return evaluate_shortcut(s, term, false);
    case GT_TERM_OR:
        return evaluate_shortcut(s, term, true);
    case GT_TERM_CHOICE:
        return evaluate_choice(s, term);
    default:
        return evaluate_operation(s, term);
    }
}

gt_residue gt_terms_evaluate(const gt_terms *terms, int term, const int64_t *slots, uint32_t known)
{
    const state s = {terms->items.items, slots, known};
    return evaluate(&s, term);
}
