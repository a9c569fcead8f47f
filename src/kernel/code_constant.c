/* Finds constants in code. */
#include "kernel/code_constant.h"

#include <string.h>

/* Whether both lines go on in the same way: a header that is included twice. */
static bool is_same(gt_lexer a, gt_lexer b)
{
    while (a.token.kind != GT_TOKEN_END && gt_token_equals(&a.token, &b.token)) {
        gt_lexer_next(&a);
        gt_lexer_next(&b);
    }
    return a.token.kind == GT_TOKEN_END && b.token.kind == GT_TOKEN_END;
}

/* With a directive's line: `#define NAME value`, unless NAME takes arguments. */
static bool defines(gt_lexer *line, const char *name)
{
    if (!gt_lexer_accept(line, "define") || !gt_lexer_is(line, name)) {
        return false;
    }
    const char *behind = line->token.text + line->token.length;
    gt_lexer_next(line);
    bool is_function = gt_lexer_is(line, "(") && line->token.text == behind;
    return !is_function && line->token.kind != GT_TOKEN_END;
}

bool gt_code_constant(gt_lexer *value, const char *code, const char *path, const char *name)
{
    gt_lexer lexer, line;
    int found = 0, braces = 0; /* open ones, from a function's on */
    bool behind_parenthesis = false, is_constant = false;
    gt_lexer_open(&lexer, code, strlen(code), (gt_place){path, 1, 1});
    while (lexer.token.kind != GT_TOKEN_END) {
        bool hit;
        const gt_lexer *at = &line;
        if (lexer.token.kind == GT_TOKEN_DIRECTIVE) {
            gt_lexer_directive(&lexer, &line);
            hit = defines(&line, name);
        } else {
            is_constant |= gt_token_is_any(&lexer.token, "constexpr const enum");
            is_constant &= !gt_token_is_any(&lexer.token, "; )");
            hit = is_constant && !braces && gt_lexer_is(&lexer, name);
            braces += gt_lexer_is(&lexer, "{") && (braces > 0 || behind_parenthesis);
            braces -= gt_lexer_is(&lexer, "}") && braces > 0;
            behind_parenthesis = gt_lexer_is(&lexer, ")");
            gt_lexer_next(&lexer);
            hit = hit && gt_lexer_accept(&lexer, "=");
            at = &lexer;
        }
        if (hit && (found == 0 || !is_same(*value, *at))) {
            *value = *at;
            found++;
        }
    }
    return found == 1;
}
