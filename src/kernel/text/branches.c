/* Evaluates #if directives and blanks the lines that they disable. */
#include "kernel/text/branches.h"

#include "base/array.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

static gt_truth opposite(gt_truth verdict)
{
    return (gt_truth)(GT_SURELY - verdict);
}

static gt_truth both(gt_truth a, gt_truth b)
{
    return a < b ? a : b;
}

static gt_truth either(gt_truth a, gt_truth b)
{
    return a > b ? a : b;
}

enum { NESTING = 64 };

static gt_truth read_chain(const gt_conditions *conditions, gt_lexer *line, int depth, bool is_or);

static gt_truth read_operand(const gt_conditions *conditions, gt_lexer *line, int depth)
{
    bool inverse = false;
    while (gt_lexer_accept(line, "!")) {
        inverse = !inverse;
    }
    gt_truth verdict = GT_PERHAPS;
    if (gt_lexer_accept(line, "defined")) {
        const bool parenthesis = gt_lexer_accept(line, "(");
        verdict = conditions->defined(conditions->user, &line->token);
        gt_lexer_next(line);
        verdict = parenthesis && !gt_lexer_accept(line, ")") ? GT_PERHAPS : verdict;
    } else if (depth < NESTING && gt_lexer_accept(line, "(")) {
        verdict = read_chain(conditions, line, depth + 1, true);
        verdict = gt_lexer_accept(line, ")") ? verdict : GT_PERHAPS;
    } else if (gt_lexer_is(line, "0") || gt_lexer_is(line, "1")) {
        verdict = gt_lexer_is(line, "1") ? GT_SURELY : GT_NEVER;
        gt_lexer_next(line);
    }
    return inverse ? opposite(verdict) : verdict;
}

static gt_truth read_term(const gt_conditions *conditions, gt_lexer *line, int depth)
{
    gt_lexer term = *line;
    gt_truth verdict = read_operand(conditions, line, depth);
    bool is_more = false;
    int open = 0;
    while (line->token.kind != GT_TOKEN_END &&
           (open > 0 || !gt_token_is_any(&line->token, "&& || )"))) {
        open += gt_lexer_is(line, "(") - gt_lexer_is(line, ")");
        is_more = true;
        gt_lexer_next(line);
    }
    term.end = line->token.kind == GT_TOKEN_END ? term.end : line->token.text;
    if (!is_more) {
        return verdict;
    }
    return conditions->term ? conditions->term(conditions->user, term) : GT_PERHAPS;
}

/* Evaluates terms that are joined by &&. If `is_or`, the terms may also be joined by ||. */
static gt_truth read_chain(const gt_conditions *conditions, gt_lexer *line, int depth, bool is_or)
{
    gt_truth verdict =
        is_or ? read_chain(conditions, line, depth, false) : read_term(conditions, line, depth);
    while (gt_lexer_accept(line, is_or ? "||" : "&&")) {
        verdict = is_or ? either(verdict, read_chain(conditions, line, depth, false))
                        : both(verdict, read_term(conditions, line, depth));
    }
    return verdict;
}

static void open_branch(gt_conditions *conditions, gt_truth verdict)
{
    const unsigned depth = conditions->depth++;
    const bool is_deep = depth >= GT_CONDITIONS_MAX;
    if (depth <= GT_CONDITIONS_MAX) {
        conditions->open[depth].outside = conditions->now;
        conditions->open[depth].taken = is_deep ? GT_PERHAPS : verdict;
    }
    conditions->now = both(conditions->now, is_deep ? GT_PERHAPS : verdict);
}

static void next_branch(gt_conditions *conditions, gt_truth verdict)
{
    if (conditions->depth == 0 || conditions->depth > GT_CONDITIONS_MAX) {
        return;
    }
    const unsigned slot = conditions->depth - 1;
    gt_truth taken = conditions->open[slot].taken;
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
    } else if (gt_lexer_accept(&line, "elifdef")) {
        next_branch(conditions, conditions->defined(conditions->user, &line.token));
    } else if (gt_lexer_accept(&line, "elifndef")) {
        next_branch(conditions, opposite(conditions->defined(conditions->user, &line.token)));
    } else if (gt_lexer_accept(&line, "else")) {
        next_branch(conditions, GT_SURELY);
    } else if (gt_lexer_accept(&line, "endif") && conditions->depth > 0) {
        conditions->depth--;
        if (conditions->depth <= GT_CONDITIONS_MAX) {
            conditions->now = conditions->open[conditions->depth].outside;
        }
    }
}

typedef struct macro {
    gt_token name;
    gt_lexer value;
    gt_truth defined; /* state of the macro after this directive */
} macro;

/* A directive of an open #if, from the offset of its '#' to the offset of the end of its line. */
typedef struct mark {
    unsigned depth;
    size_t begin, end;
} mark;

typedef struct reader {
    char *left; /* copy of the text in which disabled lines are blank */
    gt_meaning_fn meaning;
    const void *user;
    GT_ARRAY(macro) macros;
    GT_ARRAY(mark) marks;
    gt_conditions conditions;
    uint64_t doubtful; /* bit i: the #if at depth i has a condition whose value is unknown */
    gt_token guarded;  /* name of the current #ifndef if it is an include guard */
    bool failed;
} reader;

static const macro *find_macro(const reader *r, const gt_token *name)
{
    for (size_t i = r->macros.count; i > 0; i--) {
        if (gt_token_equals(&r->macros.items[i - 1].name, name)) {
            return &r->macros.items[i - 1];
        }
    }
    return NULL;
}

static gt_truth is_defined(const void *user, const gt_token *name)
{
    const reader *r = user;
    int64_t value;
    const macro *found = find_macro(r, name);
    const gt_meaning meaning = r->meaning(r->user, name, &value);
    if (meaning == GT_VALUED || gt_token_is_any(name, "__CUDACC__ __NVCC__ __cplusplus")) {
        return GT_SURELY;
    }
    const bool is_unknown = meaning == GT_UNKNOWN && !gt_token_equals(name, &r->guarded);
    return meaning == GT_OPEN ? GT_PERHAPS
           : found            ? found->defined
           : is_unknown       ? GT_PERHAPS
                              : GT_NEVER;
}

typedef struct values {
    const reader *reader;
    int64_t slots[GT_SLOT_MAX];
    int count;
} values;

/* Like the preprocessor, evaluates a name that is not a macro as 0. */
static int slot_of(void *user, const char *name)
{
    values *v = user;
    const gt_token token = gt_token_of(name);
    const gt_meaning meaning = v->reader->meaning(v->reader->user, &token, &v->slots[v->count]);
    const macro *found = find_macro(v->reader, &token);
    const bool has_value =
        meaning == GT_VALUED || (meaning == GT_UNDEFINED && (!found || found->defined == GT_NEVER));
    return has_value && v->count < GT_SLOT_MAX - 1 ? v->count++ : -1;
}

static bool text_of(void *user, const char *name, gt_lexer *value, int64_t *above)
{
    const values *v = user;
    const gt_token token = gt_token_of(name);
    const macro *found = find_macro(v->reader, &token);
    int64_t given;
    *above = 0;
    const gt_meaning meaning = v->reader->meaning(v->reader->user, &token, &given);
    bool is_macro = found && found->defined == GT_SURELY &&
                    (meaning == GT_UNDEFINED || meaning == GT_UNKNOWN) &&
                    found->value.token.kind != GT_TOKEN_END;
    if (is_macro) {
        *value = found->value;
    }
    return is_macro;
}

static gt_truth evaluate_term(const void *user, gt_lexer term)
{
    values v = {.reader = user};
    GT_FREED gt_expression *expression = NULL;
    gt_scope scope = {.slot = slot_of, .meaning = text_of, .user = &v};
    int64_t value = 0;
    bool read = gt_expression_read(&expression, &term, &scope) == GPUTUNE_OK &&
                term.token.kind == GT_TOKEN_END &&
                gt_expression_try(&value, expression, v.slots) == NULL;
    const gt_truth truth = value != 0 ? GT_SURELY : GT_NEVER;
    return read ? truth : GT_PERHAPS;
}

void gt_blank(char *text, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++) {
        text[i] = text[i] == '\n' ? '\n' : ' ';
    }
}

static void read_define(reader *r, gt_lexer line)
{
    const int directive = gt_lexer_accept_any(&line, "undef define");
    macro added = {.name = line.token, .defined = directive ? GT_SURELY : GT_NEVER};
    gt_lexer_next(&line);
    added.value = line;
    added.defined = r->conditions.now == GT_SURELY ? added.defined : GT_PERHAPS;
    if (directive >= 0 && added.name.kind == GT_TOKEN_NAME) {
        r->failed |= gt_array_push(&r->macros, added) != GPUTUNE_OK;
    }
}

/* Records the name of an include guard: an #ifndef that is followed by a #define of the same name.
 * A header that was not read cannot have defined this name. */
static void note_guard(reader *r, gt_lexer line, gt_lexer behind)
{
    gt_lexer next;
    const bool is_negative = gt_lexer_accept(&line, "ifndef");
    const bool defines = is_negative && gt_lexer_find_directive(&behind, &next) &&
                         gt_lexer_accept(&next, "define") &&
                         gt_token_equals(&next.token, &line.token);
    r->guarded = defines ? line.token : (gt_token){0};
}

/* Records a directive of an #if. When the #endif is reached and all conditions of the #if were
 * known, blanks its directives. */
static void note_condition(reader *r, unsigned before, size_t begin, size_t end)
{
    const gt_conditions *c = &r->conditions;
    unsigned depth = before > c->depth ? before : c->depth;
    const mark own = {depth, begin, end};
    const uint64_t bit = depth < GT_CONDITIONS_MAX ? UINT64_C(1) << depth : 0;
    r->failed |= gt_array_push(&r->marks, own) != GPUTUNE_OK;
    if (c->depth > before) {
        r->doubtful &= ~bit;
    }
    if (c->depth >= before && depth > 0) {
        r->doubtful |= bit && c->open[depth - 1].taken == GT_PERHAPS ? bit : 0;
        return;
    }
    while (!r->failed && r->marks.count > 0 && r->marks.items[r->marks.count - 1].depth == depth) {
        const mark *one = &r->marks.items[--r->marks.count];
        if (bit && !(r->doubtful & bit)) {
            gt_blank(r->left, one->begin, one->end);
        }
    }
}

static void read_text(reader *r, const char *text)
{
    size_t since = 0; /* offset at which the disabled part begins; 0: none */
    gt_lexer lexer = gt_lexer_of(text), line;
    while (!r->failed && gt_lexer_find_directive(&lexer, &line)) {
        if (!gt_token_is_any(&line.token, "if ifdef ifndef elif elifdef elifndef else endif")) {
            if (r->conditions.now != GT_NEVER) {
                read_define(r, line);
            }
            continue;
        }
        const char *from = line.token.text;
        while (from > text && *from != '#') {
            from--;
        }
        size_t begin = (size_t)(from - text), end = (size_t)(line.end - text);
        unsigned before = r->conditions.depth;
        note_guard(r, line, lexer);
        gt_conditions_read(&r->conditions, line);
        if (since > 0) {
            gt_blank(r->left, since, begin);
        }
        note_condition(r, before, begin, end);
        since = r->conditions.now == GT_NEVER ? end : 0;
    }
}

gputune_status gt_branches_cut(char **out, const char *text, gt_meaning_fn meaning,
                               const void *user)
{
    reader r = {.meaning = meaning, .user = user};
    GT_TRY(gt_strdup(&r.left, text));
    gt_conditions_open(&r.conditions, is_defined, evaluate_term, &r);
    read_text(&r, text);
    gt_array_free(&r.macros);
    gt_array_free(&r.marks);
    if (r.failed) {
        free(r.left);
        return gt_fail_memory();
    }
    *out = r.left;
    return GPUTUNE_OK;
}
