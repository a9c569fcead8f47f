/* Reads the files of a program as tokens, and where in them functions, macros and names are. */
#include "draft/program.h"

#include <string.h>

/* ---- names ----------------------------------------------------------------------------------- */

/* By their names, the shorter ones first, and then by their places. */
static int by_name(const void *a, const void *b)
{
    const gt_occurrence *x = a, *y = b;
    const int longer = (x->name.length > y->name.length) - (x->name.length < y->name.length);
    const int order = longer ? longer : memcmp(x->name.text, y->name.text, x->name.length);
    return order ? order : (x->at > y->at) - (x->at < y->at);
}

/* How many of p->names come before the name at that place. */
static size_t count_before(const gt_program *p, const gt_token *name, size_t at)
{
    const gt_occurrence own = {*name, at};
    size_t low = 0, high = p->names.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const bool is_before = by_name(&p->names.items[middle], &own) < 0;
        low = is_before ? middle + 1 : low;
        high = is_before ? high : middle;
    }
    return low;
}

size_t gt_program_named(const gt_program *p, gt_span span, const gt_token *name)
{
    const size_t i = count_before(p, name, span.first);
    const bool is = i < p->names.count && gt_token_equals(&p->names.items[i].name, name) &&
                    p->names.items[i].at < span.end;
    return is ? p->names.items[i].at : span.end;
}

bool gt_program_next(const gt_program *p, gt_span *rest, const gt_token *name, size_t *at)
{
    *at = gt_program_named(p, *rest, name);
    rest->first = *at + 1;
    return *at < rest->end;
}

size_t gt_program_last_named(const gt_program *p, gt_span span, const gt_token *name)
{
    const size_t i = count_before(p, name, span.end);
    const bool is = i > 0 && gt_token_equals(&p->names.items[i - 1].name, name) &&
                    p->names.items[i - 1].at >= span.first;
    return is ? p->names.items[i - 1].at : span.end;
}

/* ---- reading --------------------------------------------------------------------------------- */

static void push(gt_program *p, const gt_token *token)
{
    p->failed |= gt_array_push(&p->tokens, *token) != GPUTUNE_OK;
}

/* `#define NAME(a, b) value`; with the lexer behind the word. */
static void read_macro(gt_program *p, gt_lexer *line)
{
    gt_macro macro = {.name = p->tokens.count};
    if (line->token.kind != GT_TOKEN_NAME) {
        return;
    }
    const char *behind = line->token.text + line->token.length;
    for (; line->token.kind != GT_TOKEN_END; gt_lexer_next(line)) {
        push(p, &line->token);
    }
    size_t first = macro.name + 1, end = p->tokens.count;
    if (gt_program_is(p, first, "(") && gt_token_at(p, first)->text == behind) {
        size_t close = gt_program_close(p, first);
        macro.takes_arguments = true;
        macro.parameters = (gt_span){first + 1, close};
        first = close + 1 < end ? close + 1 : end;
    }
    macro.value = (gt_span){first, end};
    p->failed |= gt_array_push(&p->macros, macro) != GPUTUNE_OK;
}

static void read_tokens(gt_program *p, const char *text, bool macros)
{
    gt_lexer lexer = gt_lexer_of(text), line;
    while (lexer.token.kind != GT_TOKEN_END && !p->failed) {
        if (lexer.token.kind != GT_TOKEN_DIRECTIVE) {
            if (!macros) {
                push(p, &lexer.token);
            }
            gt_lexer_next(&lexer);
            continue;
        }
        gt_lexer_directive(&lexer, &line);
        if (macros && gt_lexer_accept(&line, "define")) {
            read_macro(p, &line);
        }
    }
}

gt_span gt_program_push(gt_program *p, const char *text)
{
    const size_t first = p->tokens.count;
    read_tokens(p, text, false);
    return (gt_span){first, p->tokens.count};
}

/* NAME(…) {…}: with `open` on the first bracket. */
static bool read_function(gt_program *p, size_t open, size_t statement)
{
    size_t close = gt_program_close(p, open);
    size_t body = close + 1 + gt_program_is(p, close + 1, "const");
    if (!gt_program_is(p, body, "{")) {
        return false;
    }
    const gt_program_function function = {
        .name = open - 1,
        .parameters = {open + 1, close},
        .body = {body + 1, gt_program_close(p, body)},
        .is_device =
            gt_program_first(p, (gt_span){statement, open}, "__global__ __device__") < open};
    p->failed |= gt_array_push(&p->functions, function) != GPUTUNE_OK;
    return !p->failed;
}

static void read_functions(gt_program *p)
{
    size_t statement = 0;
    for (size_t i = 1; i < p->code && !p->failed; i++) {
        bool opens = gt_program_is(p, i, "(") && gt_token_at(p, i - 1)->kind == GT_TOKEN_NAME;
        if (opens && read_function(p, i, statement)) {
            i = p->functions.items[p->functions.count - 1].body.end;
        }
        if (gt_program_is(p, i, "; { }")) {
            statement = i + 1;
        }
    }
}

void gt_program_read(gt_program *p, const char *const *texts, size_t count)
{
    for (int macros = 0; macros < 2; macros++) {
        for (size_t i = 0; i < count; i++) {
            read_tokens(p, texts[i], macros);
            p->own = macros || i > 0 ? p->own : p->tokens.count;
        }
        p->code = macros ? p->code : p->tokens.count;
    }
    for (size_t i = 0; i < p->tokens.count && !p->failed; i++) {
        const gt_occurrence own = {*gt_token_at(p, i), i};
        p->failed |= own.name.kind == GT_TOKEN_NAME && gt_array_push(&p->names, own) != GPUTUNE_OK;
    }
    gt_array_sort(&p->names, by_name);
    read_functions(p);
}

void gt_program_free(gt_program *p)
{
    gt_array_free(&p->tokens);
    gt_array_free(&p->names);
    gt_array_free(&p->functions);
    gt_array_free(&p->macros);
}
