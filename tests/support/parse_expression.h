/* Parses a text that consists of one expression. */
#pragma once

#include "kernel/text/lexer.h"

#include <string.h>

/* Like gt_expression_read(), but also fails with ETEMPLATE if anything follows the expression. */
static inline gputune_status parse_expression(gt_expression **out, const char *text, gt_place place,
                                              const gt_scope *scope)
{
    gt_lexer lexer;
    gt_expression *expression;
    gt_lexer_open(&lexer, text, strlen(text), place);
    GT_TRY(gt_expression_read(&expression, &lexer, scope));
    if (lexer.token.kind != GT_TOKEN_END) {
        free(expression);
        return gt_fail_expected(&lexer, "an operator or the expression's end");
    }
    *out = expression;
    return GPUTUNE_OK;
}
