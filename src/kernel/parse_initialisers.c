/* Lists in braces: what the numbers of an element hold, one by one. */
#include "kernel/parse.h"
#include "kernel/types.h"

#include <stdlib.h>
#include <string.h>

enum { ITEMS_MAX = 64 };

/* `pos.x`, up to the `=`. */
static gputune_status read_path(char out[GT_NAME_MAX], gt_lexer *lexer)
{
    size_t length = 0;
    gt_place place = gt_lexer_place(lexer);
    while (!gt_lexer_is(lexer, "=") && lexer->token.kind != GT_TOKEN_END) {
        const gt_token *token = &lexer->token;
        if (length + token->length >= GT_NAME_MAX) {
            return gt_fail_at(place, "a path of too many characters; expected '.member = …'");
        }
        memcpy(out + length, token->text, token->length);
        length += token->length;
        gt_lexer_next(lexer);
    }
    out[length] = '\0';
    return length > 0 ? GPUTUNE_OK : gt_fail_expected(lexer, "a member's name, as in .x = …");
}

static gputune_status read_item(gt_initialiser *out, gt_parse *parse, gt_lexer *lexer,
                                const char *separator, bool fills)
{
    bool stated = true;
    gt_expression *value = NULL;
    gt_lexer ahead = *lexer;
    gt_lexer_next(&ahead);
    if (gt_lexer_accept(&ahead, ".")) {
        *lexer = ahead;
        separator = "=";
        GT_TRY(read_path(out->path, lexer));
    }
    if (!fills) {
        GT_TRY(gt_lexer_expect(lexer, separator));
        gputune_status status = gt_read_real_expression(&value, parse, lexer, GT_USE_PROBLEM);
        out->value = value;
        return status;
    }
    GT_TRY(gt_read_fill(&out->fill, &stated, parse, lexer, separator));
    if (!stated) {
        return gt_lexer_expect(lexer, separator);
    }
    return out->fill.kind <= GT_FILL_CONSTANT
               ? GPUTUNE_OK
               : gt_fail_at(out->fill.place, "a part of an element cannot be filled so; expected "
                                             "uniform(low, high), index, zero or constant(value)");
}

gputune_status gt_read_initialisers(gt_initialisers *out, bool *stated, gt_parse *parse,
                                    gt_lexer *lexer, const char *sign, bool fills)
{
    gt_lexer ahead = *lexer;
    *stated = gt_lexer_accept(&ahead, sign) && gt_lexer_is(&ahead, "{");
    if (!*stated) {
        return GPUTUNE_OK;
    }
    *lexer = ahead;
    out->items = calloc(ITEMS_MAX, sizeof *out->items);
    if (!out->items) {
        return gt_fail_memory();
    }
    do {
        if (out->count == ITEMS_MAX) {
            return gt_fail_at(gt_lexer_place(lexer), "more than %d items; expected fewer",
                              ITEMS_MAX);
        }
        gt_initialiser *item = &out->items[out->count];
        item->member = out->count++;
        GT_TRY(read_item(item, parse, lexer, item->member == 0 ? "{" : ",", fills));
    } while (gt_lexer_is(lexer, ","));
    return gt_lexer_expect(lexer, "}");
}

void gt_initialisers_free(gt_initialisers *initialisers)
{
    for (uint32_t i = 0; i < initialisers->count; i++) {
        gt_expression_free((gt_expression *)initialisers->items[i].fill.low);
        gt_expression_free((gt_expression *)initialisers->items[i].fill.high);
        gt_expression_free((gt_expression *)initialisers->items[i].value);
        free((char *)initialisers->items[i].fill.file);
    }
    free(initialisers->items);
}
