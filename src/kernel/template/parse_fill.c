/* Parses the initial contents of buffers, which are fills or lists in braces. */
#include "kernel/template/parse.h"
#include "kernel/text/types.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char fills_expected[] =
    "uniform(low, high), sorted(low, high), permutation, prefix(total), index, zero, "
    "constant(value), file(\"name.npy\"), or an expression of index";

/* A fill, with the number of values that its parentheses may contain. */
typedef struct fill_word {
    const char *word;
    gt_fill_kind kind;
    int least, most;
    const char *form;
} fill_word;

static const fill_word words[] = {
    {"uniform", GT_FILL_UNIFORM, 2, 2, "uniform(low, high)"},
    {"index", GT_FILL_INDEX, 0, 0, "index"},
    {"zero", GT_FILL_ZERO, 0, 0, "zero"},
    {"constant", GT_FILL_CONSTANT, 1, 1, "constant(value)"},
    {"sorted", GT_FILL_SORTED, 0, 2, "sorted or sorted(low, high)"},
    {"prefix", GT_FILL_PREFIX, 1, 1, "prefix(total)"},
    {"permutation", GT_FILL_PERMUTATION, 0, 0, "permutation"},
};
enum { WORD_COUNT = sizeof words / sizeof *words };

/* Finds the fill whose word is the current token. `index` before an operator is not a fill, but the
 * beginning of an expression. */
static const fill_word *find_word(const gt_lexer *lexer)
{
    const gt_token next = gt_lexer_peek(*lexer);
    bool alone = next.kind == GT_TOKEN_END || gt_token_is_any(&next, ", ) } nan_ok");
    const size_t i = gt_index_of(GT_TOKEN_TEXT(&lexer->token), words, WORD_COUNT);
    return i < WORD_COUNT && (words[i].kind != GT_FILL_INDEX || alone) ? &words[i] : NULL;
}

static gputune_status expect_mark(gt_lexer *lexer, const char *mark, const char *form)
{
    const char *const outer = lexer->form;
    lexer->form = form;
    GT_TRY(gt_lexer_expect(lexer, mark));
    lexer->form = outer;
    return GPUTUNE_OK;
}

static gputune_status read_value(const gt_expression **out, const char *mark, const fill_word *word,
                                 gt_parse *p)
{
    GT_TRY(expect_mark(&p->at, mark, word->form));
    return gt_read_expression(out, p, GT_USE_PROBLEM, true);
}

static gputune_status read_values(gt_fill *out, const fill_word *word, gt_parse *p)
{
    out->kind = word->kind;
    gt_lexer_next(&p->at);
    GT_EXPECT(word->most > 0 || !gt_lexer_is(&p->at, "("), &p->at,
              "only the word, as in = permutation");
    if (word->most == 0 || (word->least == 0 && !gt_lexer_is(&p->at, "("))) {
        return GPUTUNE_OK;
    }
    GT_TRY(read_value(&out->low, "(", word, p));
    if (word->most > 1) {
        GT_TRY(read_value(&out->high, ",", word, p));
    }
    return expect_mark(&p->at, ")", word->form);
}

gputune_status gt_read_file_name(const char **out, gt_parse *p)
{
    static const char form[] = "file(\"a.npy\")";
    GT_TRY(expect_mark(&p->at, "file", form));
    GT_TRY(expect_mark(&p->at, "(", form));
    const gt_token *token = &p->at.token;
    GT_EXPECT(!*out && gt_token_is_string(token) && token->length >= 3 &&
                  !memchr(token->text, '\\', token->length),
              &p->at, "a file's name in quotes, as in file(\"a.npy\")");
    GT_TRY(gt_keep_text(out, p->parts, token->text + 1, token->length - 2));
    gt_lexer_next(&p->at);
    return expect_mark(&p->at, ")", form);
}

static bool begins_expression(const gt_parse *p)
{
    const char *name = GT_TOKEN_TEXT(&p->at.token);
    gt_symbols symbols = {p->template, GT_USE_PROBLEM | GT_USE_ELEMENT, &p->found};
    gt_scope scope = gt_symbols_scope(&symbols);
    const gt_token next = gt_lexer_peek(p->at);
    if (p->at.token.kind == GT_TOKEN_STRING || p->at.token.kind == GT_TOKEN_END ||
        gt_lexer_is(&p->at, ",")) {
        return false;
    }
    return gt_token_is(&next, "(") || p->at.token.kind != GT_TOKEN_NAME || !name[0] ||
           scope.slot(scope.user, name) >= 0;
}

static gputune_status read_fill(gt_fill *out, gt_parse *p)
{
    out->place = gt_lexer_place(&p->at);
    const fill_word *word = find_word(&p->at);
    if (word) {
        return read_values(out, word, p);
    }
    if (gt_lexer_is(&p->at, "file")) {
        out->kind = GT_FILL_FILE;
        return gt_read_file_name(&out->file, p);
    }
    GT_EXPECT(begins_expression(p), &p->at, fills_expected);
    out->kind = GT_FILL_EXPRESSION;
    return gt_read_expression(&out->low, p, GT_USE_PROBLEM | GT_USE_ELEMENT, true);
}

enum { ITEMS_MAX = 64 };

typedef struct list_reader {
    gt_initialisers *out;
    gt_parse *p;
    bool fills; /* true: the items are fills; false: they are values */
} list_reader;

/* Reads a designator such as `.pos.x =`, and appends "pos.x" to the path of the member. */
static gputune_status read_path(char path[GT_NAME_MAX], gt_lexer *lexer)
{
    gt_place place = gt_lexer_place(lexer);
    bool fits = gt_append_within(path, GT_NAME_MAX, ".", path[0] ? 1 : 0), some = false;
    for (; !gt_lexer_is(lexer, "=") && lexer->token.kind != GT_TOKEN_END && fits; some = true) {
        fits = gt_append_within(path, GT_NAME_MAX, lexer->token.text, lexer->token.length);
        gt_lexer_next(lexer);
    }
    GT_REFUSE_AT(!fits, place, "the member's path is too long; expected '.member = …'");
    return some ? GPUTUNE_OK : gt_fail_expected(lexer, "a member's name, as in .x = …");
}

static gputune_status read_number(gt_initialiser *out, const list_reader *reader,
                                  const char *separator)
{
    GT_TRY(gt_lexer_expect(&reader->p->at, separator));
    if (!reader->fills) {
        return gt_read_expression(&out->value, reader->p, GT_USE_PROBLEM, true);
    }
    GT_TRY(read_fill(&out->fill, reader->p));
    return out->fill.kind <= GT_FILL_CONSTANT
               ? GPUTUNE_OK
               : gt_fail_at(out->fill.place, "a part of an element cannot have this fill; expected "
                                             "uniform(low, high), index, zero or constant(value)");
}

static gputune_status read_list(const list_reader *reader, const char *outer);

/* If a list follows `mark`, as in T{…}, (T){…} or make_float3(…), moves to its opening bracket. */
static bool open_list(gt_lexer *lexer, const char *mark)
{
    gt_lexer ahead = *lexer;
    if (!gt_lexer_accept(&ahead, mark)) {
        return false;
    }
    bool is_literal = gt_lexer_accept(&ahead, "(");
    bool is_made = ahead.token.length > 5 && memcmp(ahead.token.text, "make_", 5) == 0;
    if (ahead.token.kind == GT_TOKEN_NAME) {
        gt_lexer_next(&ahead);
    }
    if ((is_literal && !gt_lexer_accept(&ahead, ")")) ||
        !gt_lexer_is(&ahead, is_made ? "(" : "{")) {
        return false;
    }
    *lexer = ahead;
    return true;
}

static gputune_status read_item(const list_reader *reader, const char *outer, const char *separator,
                                uint32_t place)
{
    char path[GT_NAME_MAX], by_place[16];
    gt_lexer *lexer = &reader->p->at, ahead = *lexer;
    memcpy(path, outer, strlen(outer) + 1);
    gt_lexer_next(&ahead);
    if (gt_lexer_accept(&ahead, ".")) {
        *lexer = ahead;
        separator = "=";
        GT_TRY(read_path(path, lexer));
    } else {
        int length = snprintf(by_place, sizeof by_place, "#%u", place);
        GT_REFUSE_AT(!gt_append_within(path, GT_NAME_MAX, by_place, (size_t)length),
                     gt_lexer_place(lexer),
                     "a list that is nested too deeply; expected fewer braces");
    }
    if (open_list(lexer, separator)) {
        return read_list(reader, path);
    }
    gt_initialisers *out = reader->out;
    GT_TRY(gt_check_room(out->count, ITEMS_MAX, "items", gt_lexer_place(lexer)));
    gt_initialiser *item = &out->items[out->count++];
    memcpy(item->path, path, sizeof path);
    return read_number(item, reader, separator);
}

static gputune_status read_list(const list_reader *reader, const char *outer)
{
    gt_lexer *lexer = &reader->p->at;
    const bool is_made = gt_lexer_is(lexer, "(");
    uint32_t place = 0;
    do {
        GT_TRY(read_item(reader, outer, place ? "," : is_made ? "(" : "{", place));
        place++;
    } while (gt_lexer_is(lexer, ","));
    return gt_lexer_expect(lexer, is_made ? ")" : "}");
}

gputune_status gt_read_initialisers(gt_initialisers *out, gt_parse *p, const char *sign, bool fills)
{
    const list_reader reader = {out, p, fills};
    if (!open_list(&p->at, sign)) {
        return GPUTUNE_OK;
    }
    out->items = calloc(ITEMS_MAX, sizeof *out->items);
    GT_TRY(gt_keep(p->parts, out->items));
    return read_list(&reader, "");
}

gputune_status gt_read_contents(gt_argument *out, gt_parse *p, const char *sign, gt_place place)
{
    GT_TRY(gt_read_initialisers(&out->initialisers, p, sign, true));
    out->initialisers.single = !out->initialisers.items && gt_lexer_accept(&p->at, sign);
    if (out->initialisers.items || out->initialisers.single ||
        !gt_element_may_be_integer(p->template, out->type)) {
        return out->initialisers.single ? read_fill(&out->fill, p) : GPUTUNE_OK;
    }
    if (p->parts->init.present) {
        out->fill.kind = GT_FILL_ZERO; /* init() fills the buffer later */
        out->initialisers.single = true;
        return GPUTUNE_OK;
    }
    GT_REFUSE_AT(out->direction != GT_OUT, place,
                 "'%s' has integers but no fill; expected '%s uniform(low, high)', '%s index', '%s "
                 "zero', '%s constant(value)' or another fill%s",
                 out->name, sign, sign, sign, sign, *sign == '=' ? ", or an init() kernel" : "");
    return GPUTUNE_OK;
}
