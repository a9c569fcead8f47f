/* Evaluates the branches of a text's directives. */
#include "kernel/branches.h"

#include <stdlib.h>
#include <string.h>

enum { LEVELS_MAX = 64 };

typedef struct macro {
    gt_token name;
    gt_lexer value;
} macro;

/* One #if: which of its branches is read. */
typedef struct level {
    bool is_outside; /* in a branch that is left out itself */
    bool is_active, was_active;
} level;

typedef struct reader {
    GT_ARRAY(macro) macros;
    level levels[LEVELS_MAX];
    int depth;
    const char *since; /* where what is left out begins; NULL: nothing is */
    bool failed;
} reader;

static const macro *find_macro(const reader *r, const char *name, size_t length)
{
    for (size_t i = r->macros.count; i > 0; i--) {
        const macro *found = &r->macros.items[i - 1];
        if (found->name.length == length && memcmp(found->name.text, name, length) == 0) {
            return found;
        }
    }
    return NULL;
}

static bool is_defined(const reader *r, const gt_token *name)
{
    return find_macro(r, name->text, name->length) ||
           gt_token_is_any(name, "__CUDACC__ __NVCC__ __cplusplus");
}

/* A name without a value is 0. */
static int slot_of(void *user, const char *name)
{
    return find_macro(user, name, strlen(name)) ? -1 : 0;
}

static bool meaning_of(void *user, const char *name, gt_lexer *value)
{
    const macro *found = find_macro(user, name, strlen(name));
    if (found) {
        *value = found->value;
    }
    return found && found->value.token.kind != GT_TOKEN_END;
}

/* 1, 0, or -1: not understood. */
static int evaluate(const reader *r, gt_lexer line)
{
    const int64_t slots[GT_SLOT_MAX] = {0};
    gt_expression *expression = NULL;
    gt_scope scope = {.slot = slot_of, .meaning = meaning_of, .user = (void *)r};
    int64_t value = 0;
    gt_lexer at = line;
    bool negated = gt_lexer_accept(&at, "!");
    if (gt_lexer_accept(&at, "defined")) { /* alone */
        (void)gt_lexer_accept(&at, "(");
        gt_token name = at.token;
        gt_lexer_next(&at);
        (void)gt_lexer_accept(&at, ")");
        return at.token.kind == GT_TOKEN_END ? is_defined(r, &name) != negated : -1;
    }
    bool read = gt_expression_read(&expression, &line, &scope) == GPUTUNE_OK &&
                line.token.kind == GT_TOKEN_END &&
                gt_expression_try(&value, expression, slots) == NULL;
    gt_expression_free(expression);
    return !read ? -1 : value != 0;
}

static bool is_read(const reader *r)
{
    return r->depth == 0 ||
           (r->levels[r->depth - 1].is_active && !r->levels[r->depth - 1].is_outside);
}

static void open_level(reader *r, int condition)
{
    if (r->depth < LEVELS_MAX) {
        bool outside = !is_read(r);
        r->levels[r->depth++] = (level){outside, condition != 0, condition > 0};
    } else {
        r->failed = true;
    }
}

static void read_define(reader *r, gt_lexer line)
{
    macro added = {.name = line.token};
    gt_lexer_next(&line);
    added.value = line;
    if (is_read(r) && added.name.kind == GT_TOKEN_NAME) {
        r->failed |= gt_array_push(&r->macros, added) != GPUTUNE_OK;
    }
}

static void read_directive(reader *r, gt_lexer line)
{
    level *top = r->depth > 0 ? &r->levels[r->depth - 1] : NULL;
    bool negated = gt_lexer_is(&line, "ifndef");
    if (gt_lexer_accept(&line, "ifdef") || gt_lexer_accept(&line, "ifndef")) {
        open_level(r, is_defined(r, &line.token) != negated);
    } else if (gt_lexer_accept(&line, "if")) {
        open_level(r, evaluate(r, line));
    } else if (gt_lexer_accept(&line, "elif") && top) {
        int condition = top->was_active ? 0 : evaluate(r, line);
        top->is_active = condition != 0;
        top->was_active |= condition > 0;
    } else if (gt_lexer_accept(&line, "else") && top) {
        top->is_active = !top->was_active;
    } else if (gt_lexer_accept(&line, "endif") && top) {
        r->depth--;
    } else if (gt_lexer_accept(&line, "define")) {
        read_define(r, line);
    }
}

gputune_status gt_branches_read(gt_branches *branches, const char *text)
{
    reader r = {0};
    gt_lexer lexer, line;
    gt_lexer_open(&lexer, text, strlen(text), (gt_place){"", 1, 1});
    while (lexer.token.kind != GT_TOKEN_END && !r.failed) {
        const char *at = lexer.token.text;
        if (lexer.token.kind != GT_TOKEN_DIRECTIVE) {
            gt_lexer_next(&lexer);
            continue;
        }
        gt_lexer_directive(&lexer, &line);
        read_directive(&r, line);
        if (!is_read(&r) && !r.since) {
            r.since = at + 1; /* the directive itself is read */
        } else if (is_read(&r) && r.since) {
            gt_left_out left = {r.since, at};
            r.failed |= gt_array_push(branches, left) != GPUTUNE_OK;
            r.since = NULL;
        }
    }
    gt_array_free(&r.macros);
    return r.failed && r.depth < LEVELS_MAX ? gt_fail_memory() : GPUTUNE_OK;
}

bool gt_branches_leave_out(const gt_branches *branches, const char *at)
{
    for (size_t i = 0; i < branches->count; i++) {
        if (at >= branches->items[i].begin && at < branches->items[i].end) {
            return true;
        }
    }
    return false;
}
