/* Finds constants in code. */
#include "kernel/code_constant.h"

#include <string.h>

typedef struct finder {
    gt_lexer lexer;
    const char *name;
    gt_lexer *value;
    int found;
    int function; /* open braces from a function's on; 0: outside of all functions */
    bool behind_parenthesis, is_constant;
} finder;

/* Whether both lines go on in the same way: a header that is included twice. */
static bool is_same(gt_lexer a, gt_lexer b)
{
    while (a.token.kind != GT_TOKEN_END && gt_token_equals(&a.token, &b.token)) {
        gt_lexer_next(&a);
        gt_lexer_next(&b);
    }
    return a.token.kind == GT_TOKEN_END && b.token.kind == GT_TOKEN_END;
}

static void hit(finder *f, const gt_lexer *value)
{
    if (f->found == 0 || !is_same(*f->value, *value)) {
        *f->value = *value;
        f->found++;
    }
}

/* `#define NAME value`, unless NAME takes arguments. */
static void read_directive(finder *f)
{
    gt_lexer line;
    gt_lexer_directive(&f->lexer, &line);
    if (!gt_lexer_accept(&line, "define") || !gt_lexer_is(&line, f->name)) {
        return;
    }
    const char *behind = line.token.text + line.token.length;
    gt_lexer_next(&line);
    bool is_function = gt_lexer_is(&line, "(") && line.token.text == behind;
    if (!is_function && line.token.kind != GT_TOKEN_END) {
        hit(f, &line);
    }
}

static void note_brace(finder *f)
{
    if (gt_lexer_is(&f->lexer, "{")) {
        f->function += f->function > 0 || f->behind_parenthesis;
    } else if (gt_lexer_is(&f->lexer, "}")) {
        f->function -= f->function > 0;
    }
    f->behind_parenthesis = gt_lexer_is(&f->lexer, ")");
}

static void read_code(finder *f)
{
    f->is_constant |= gt_token_is_any(&f->lexer.token, "constexpr const enum");
    f->is_constant &= !gt_token_is_any(&f->lexer.token, "; )");
    bool named = f->is_constant && !f->function && gt_lexer_is(&f->lexer, f->name);
    note_brace(f);
    gt_lexer_next(&f->lexer);
    if (named && gt_lexer_accept(&f->lexer, "=")) {
        hit(f, &f->lexer);
    }
}

bool gt_code_constant(gt_lexer *value, const char *code, const char *path, const char *name)
{
    finder f = {.name = name, .value = value};
    gt_lexer_open(&f.lexer, code, strlen(code), (gt_place){path, 1, 1});
    while (f.lexer.token.kind != GT_TOKEN_END) {
        if (f.lexer.token.kind == GT_TOKEN_DIRECTIVE) {
            read_directive(&f);
        } else {
            read_code(&f);
        }
    }
    return f.found == 1;
}
