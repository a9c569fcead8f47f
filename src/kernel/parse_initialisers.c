/* Lists in braces: what the numbers of an element hold, one by one. */
#include "kernel/parse.h"
#include "kernel/types.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITEMS_MAX = 64 };

/* Where a list is read into. */
typedef struct list_reader {
    gt_initialisers *out;
    gt_parse *parse;
    bool fills; /* else values */
} list_reader;

static bool append(char path[GT_NAME_MAX], const char *text, size_t length)
{
    size_t before = strlen(path);
    bool fits = before + length < GT_NAME_MAX;
    if (fits) {
        memcpy(path + before, text, length);
        path[before + length] = '\0';
    }
    return fits;
}

/* Adds `pos.x`, up to the `=`, to a path. */
static gputune_status read_path(char path[GT_NAME_MAX], gt_lexer *lexer)
{
    gt_place place = gt_lexer_place(lexer);
    bool fits = append(path, ".", path[0] ? 1 : 0), some = false;
    for (; !gt_lexer_is(lexer, "=") && lexer->token.kind != GT_TOKEN_END && fits; some = true) {
        fits = append(path, lexer->token.text, lexer->token.length);
        gt_lexer_next(lexer);
    }
    if (!fits) {
        return gt_fail_at(place, "a path of too many characters; expected '.member = …'");
    }
    return some ? GPUTUNE_OK : gt_fail_expected(lexer, "a member's name, as in .x = …");
}

/* The number behind a separator. */
static gputune_status read_number(gt_initialiser *out, const list_reader *reader, gt_lexer *lexer,
                                  const char *separator)
{
    bool stated = true;
    if (!reader->fills) {
        GT_TRY(gt_lexer_expect(lexer, separator));
        return gt_read_real_expression(&out->value, reader->parse, lexer, GT_USE_PROBLEM);
    }
    GT_TRY(gt_read_fill(&out->fill, &stated, reader->parse, lexer, separator));
    if (!stated) {
        return gt_lexer_expect(lexer, separator);
    }
    return out->fill.kind <= GT_FILL_CONSTANT
               ? GPUTUNE_OK
               : gt_fail_at(out->fill.place, "a part of an element cannot be filled so; expected "
                                             "uniform(low, high), index, zero or constant(value)");
}

static gputune_status read_list(const list_reader *reader, gt_lexer *lexer, const char *outer);

/* Steps over a mark to the bracket of the list behind it, which may have its type as in C++: T{…},
 * (T){…} or make_float3(…). False, and nothing done: there is no list. */
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

/* The item behind `separator`, at `place` of a list that belongs to the path `outer`. */
static gputune_status read_item(const list_reader *reader, gt_lexer *lexer, const char *outer,
                                const char *separator, uint32_t place)
{
    char path[GT_NAME_MAX], by_place[16];
    gt_lexer ahead = *lexer;
    memcpy(path, outer, strlen(outer) + 1);
    gt_lexer_next(&ahead);
    if (gt_lexer_accept(&ahead, ".")) {
        *lexer = ahead;
        separator = "=";
        GT_TRY(read_path(path, lexer));
    } else {
        int length = snprintf(by_place, sizeof by_place, "#%u", place);
        if (!append(path, by_place, (size_t)length)) {
            return gt_fail_at(gt_lexer_place(lexer),
                              "a list that is nested too deep; expected fewer braces");
        }
    }
    if (open_list(lexer, separator)) {
        return read_list(reader, lexer, path);
    }
    gt_initialisers *out = reader->out;
    if (out->count == ITEMS_MAX) {
        return gt_fail_at(gt_lexer_place(lexer), "more than %d items; expected fewer", ITEMS_MAX);
    }
    gt_initialiser *item = &out->items[out->count++];
    memcpy(item->path, path, sizeof path);
    return read_number(item, reader, lexer, separator);
}

/* From a bracket to behind that which closes it. */
static gputune_status read_list(const list_reader *reader, gt_lexer *lexer, const char *outer)
{
    const bool is_made = gt_lexer_is(lexer, "(");
    uint32_t place = 0;
    do {
        GT_TRY(read_item(reader, lexer, outer, place ? "," : is_made ? "(" : "{", place));
        place++;
    } while (gt_lexer_is(lexer, ","));
    return gt_lexer_expect(lexer, is_made ? ")" : "}");
}

gputune_status gt_read_initialisers(gt_initialisers *out, bool *stated, gt_parse *parse,
                                    gt_lexer *lexer, const char *sign, bool fills)
{
    const list_reader reader = {out, parse, fills};
    *stated = open_list(lexer, sign);
    if (!*stated) {
        return GPUTUNE_OK;
    }
    out->items = calloc(ITEMS_MAX, sizeof *out->items);
    GT_TRY(gt_keep(parse->parts, out->items));
    return read_list(&reader, lexer, "");
}
