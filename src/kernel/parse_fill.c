/* What a buffer holds before a launch: the grammar of fills. */
#include "kernel/parse.h"

#include <stdio.h>
#include <string.h>

static const char fills_expected[] =
    "uniform(low, high), sorted(low, high), permutation, prefix(total), index, zero, "
    "constant(value), file(\"name.npy\"), or an expression of index";

/* A fill that is a word, with its values in parentheses. */
typedef struct fill_word {
    const char *word;
    gt_fill_kind kind;
    int least, most; /* values */
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

/* Whether the fill ends behind the current token: `index` alone is a word, and else a number in an
 * expression. */
static bool stands_alone(const gt_lexer *lexer)
{
    gt_lexer ahead = *lexer;
    gt_lexer_next(&ahead);
    return ahead.token.kind == GT_TOKEN_END || gt_token_is_any(&ahead.token, ", ) } nan_ok");
}

static const fill_word *find_word(const gt_lexer *lexer)
{
    for (int i = 0; i < WORD_COUNT; i++) {
        bool found = gt_lexer_is(lexer, words[i].word);
        if (found && (words[i].kind != GT_FILL_INDEX || stands_alone(lexer))) {
            return &words[i];
        }
    }
    return NULL;
}

/* Steps over `mark`, or fails with the form that has it. */
static gputune_status expect_mark(gt_lexer *lexer, const char *mark, const char *form)
{
    char what[96];
    if (gt_lexer_accept(lexer, mark)) {
        return GPUTUNE_OK;
    }
    (void)snprintf(what, sizeof what, "'%s', as in %s", mark, form);
    return gt_fail_expected(lexer, what);
}

/* One value of a word behind its mark. */
static gputune_status read_value(const gt_expression **out, const char *mark, const fill_word *word,
                                 gt_parse *parse, gt_lexer *lexer)
{
    GT_TRY(expect_mark(lexer, mark, word->form));
    return gt_read_real_expression(out, parse, lexer, GT_USE_PROBLEM);
}

static gputune_status read_values(gt_fill *out, const fill_word *word, gt_parse *parse,
                                  gt_lexer *lexer)
{
    out->kind = word->kind;
    gt_lexer_next(lexer);
    if (word->most == 0 && gt_lexer_is(lexer, "(")) {
        return gt_fail_expected(lexer, "the word alone, as in = permutation");
    }
    if (word->most == 0 || (word->least == 0 && !gt_lexer_is(lexer, "("))) {
        return GPUTUNE_OK;
    }
    GT_TRY(read_value(&out->low, "(", word, parse, lexer));
    if (word->most > 1) {
        GT_TRY(read_value(&out->high, ",", word, parse, lexer));
    }
    return expect_mark(lexer, ")", word->form);
}

gputune_status gt_read_file_name(const char **out, gt_parse *parse, gt_lexer *lexer)
{
    static const char form[] = "file(\"a.npy\")";
    GT_TRY(expect_mark(lexer, "file", form));
    GT_TRY(expect_mark(lexer, "(", form));
    if (*out || lexer->token.kind != GT_TOKEN_STRING || lexer->token.text[0] != '"' ||
        lexer->token.length < 3 || memchr(lexer->token.text, '\\', lexer->token.length)) {
        return gt_fail_expected(lexer, "a file's name in quotes, as in file(\"a.npy\")");
    }
    GT_TRY(gt_keep_text(out, parse->parts, lexer->token.text + 1, lexer->token.length - 2));
    gt_lexer_next(lexer);
    return expect_mark(lexer, ")", form);
}

/* A name begins one if it has a value, or is a function's; strings and nothing do not. */
static bool begins_expression(gt_parse *parse, const gt_lexer *lexer)
{
    char name[GT_NAME_MAX];
    gt_symbols symbols = {parse->template, GT_USE_PROBLEM | GT_USE_ELEMENT, parse->code};
    gt_scope scope = gt_symbols_scope(&symbols);
    gt_lexer ahead = *lexer;
    gt_lexer_next(&ahead);
    if (lexer->token.kind == GT_TOKEN_STRING || lexer->token.kind == GT_TOKEN_END ||
        gt_lexer_is(lexer, ",")) {
        return false;
    }
    return gt_lexer_is(&ahead, "(") || !gt_token_copy(name, sizeof name, &lexer->token) ||
           scope.slot(scope.user, name) >= 0;
}

static gputune_status read_expression(gt_fill *out, gt_parse *parse, gt_lexer *lexer)
{
    if (!begins_expression(parse, lexer)) {
        return gt_fail_expected(lexer, fills_expected);
    }
    out->kind = GT_FILL_EXPRESSION;
    return gt_read_real_expression(&out->low, parse, lexer, GT_USE_PROBLEM | GT_USE_ELEMENT);
}

gputune_status gt_read_fill(gt_fill *out, bool *stated, gt_parse *parse, gt_lexer *lexer,
                            const char *sign)
{
    *stated = gt_lexer_accept(lexer, sign);
    if (!*stated) {
        return GPUTUNE_OK;
    }
    out->place = gt_lexer_place(lexer);
    const fill_word *word = find_word(lexer);
    if (word) {
        return read_values(out, word, parse, lexer);
    }
    if (gt_lexer_is(lexer, "file")) {
        out->kind = GT_FILL_FILE;
        return gt_read_file_name(&out->file, parse, lexer);
    }
    return read_expression(out, parse, lexer);
}
