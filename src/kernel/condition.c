/* Follows #if, #elif, #else and #endif with three answers: surely, perhaps and never. */
#include "kernel/condition.h"

static gt_verdict opposite(gt_verdict verdict)
{
    return (gt_verdict)(GT_SURELY - verdict);
}

static gt_verdict both(gt_verdict a, gt_verdict b)
{
    return a < b ? a : b;
}

static gt_verdict either(gt_verdict a, gt_verdict b)
{
    return a > b ? a : b;
}

enum { NESTING = 64 };

static gt_verdict read_chain(const gt_conditions *conditions, gt_lexer *line, int depth,
                             bool is_or);

/* `defined NAME` and `defined(NAME)`. */
static gt_verdict read_defined(const gt_conditions *conditions, gt_lexer *line)
{
    bool parenthesis = gt_lexer_accept(line, "(");
    gt_verdict verdict = conditions->defined(conditions->user, &line->token);
    gt_lexer_next(line);
    return parenthesis && !gt_lexer_accept(line, ")") ? GT_PERHAPS : verdict;
}

static gt_verdict read_operand(const gt_conditions *conditions, gt_lexer *line, int depth)
{
    bool inverse = false;
    while (gt_lexer_accept(line, "!")) {
        inverse = !inverse;
    }
    gt_verdict verdict = GT_PERHAPS;
    if (gt_lexer_accept(line, "defined")) {
        verdict = read_defined(conditions, line);
    } else if (depth < NESTING && gt_lexer_accept(line, "(")) {
        verdict = read_chain(conditions, line, depth + 1, true);
        verdict = gt_lexer_accept(line, ")") ? verdict : GT_PERHAPS;
    } else if (gt_lexer_is(line, "0") || gt_lexer_is(line, "1")) {
        verdict = gt_lexer_is(line, "1") ? GT_SURELY : GT_NEVER;
        gt_lexer_next(line);
    }
    return inverse ? opposite(verdict) : verdict;
}

static gt_verdict read_term(const gt_conditions *conditions, gt_lexer *line, int depth)
{
    gt_lexer term = *line;
    gt_verdict verdict = read_operand(conditions, line, depth);
    bool is_more = false;
    int open = 0;
    while (line->token.kind != GT_TOKEN_END &&
           (open > 0 || !gt_token_is_any(&line->token, "&& || )"))) {
        open += gt_lexer_is(line, "(") - gt_lexer_is(line, ")");
        is_more = true;
        gt_lexer_next(line);
    }
    term.end = line->token.kind == GT_TOKEN_END ? term.end : line->token.text;
    return !is_more           ? verdict
           : conditions->term ? conditions->term(conditions->user, term)
                              : GT_PERHAPS;
}

/* Terms between && or, one level up, between ||. */
static gt_verdict read_chain(const gt_conditions *conditions, gt_lexer *line, int depth, bool is_or)
{
    gt_verdict verdict =
        is_or ? read_chain(conditions, line, depth, false) : read_term(conditions, line, depth);
    while (gt_lexer_accept(line, is_or ? "||" : "&&")) {
        verdict = is_or ? either(verdict, read_chain(conditions, line, depth, false))
                        : both(verdict, read_term(conditions, line, depth));
    }
    return verdict;
}

static void open_branch(gt_conditions *conditions, gt_verdict verdict)
{
    unsigned slot = conditions->depth++ % GT_CONDITIONS_MAX;
    conditions->open[slot].outside = conditions->now;
    conditions->open[slot].taken = verdict;
    conditions->now = both(conditions->now, verdict);
}

static void next_branch(gt_conditions *conditions, gt_verdict verdict)
{
    if (conditions->depth == 0) {
        return;
    }
    unsigned slot = (conditions->depth - 1) % GT_CONDITIONS_MAX;
    gt_verdict taken = conditions->open[slot].taken;
    conditions->now = both(conditions->open[slot].outside, both(opposite(taken), verdict));
    conditions->open[slot].taken = either(taken, verdict);
}

void gt_conditions_open(gt_conditions *conditions, gt_defined_fn defined, gt_term_fn term,
                        const void *user)
{
    *conditions = (gt_conditions){.now = GT_SURELY, .defined = defined, .term = term, .user = user};
}

void gt_conditions_read(gt_conditions *conditions, gt_lexer line)
{
    if (gt_lexer_accept(&line, "ifdef")) {
        open_branch(conditions, conditions->defined(conditions->user, &line.token));
    } else if (gt_lexer_accept(&line, "ifndef")) {
        open_branch(conditions, opposite(conditions->defined(conditions->user, &line.token)));
    } else if (gt_lexer_accept(&line, "if")) {
        open_branch(conditions, read_chain(conditions, &line, 0, true));
    } else if (gt_lexer_accept(&line, "elif")) {
        next_branch(conditions, read_chain(conditions, &line, 0, true));
    } else if (gt_lexer_accept(&line, "else")) {
        next_branch(conditions, GT_SURELY);
    } else if (gt_lexer_accept(&line, "endif") && conditions->depth > 0) {
        conditions->now = conditions->open[--conditions->depth % GT_CONDITIONS_MAX].outside;
    }
}
