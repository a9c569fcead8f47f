/* The pragma kernel, and how clauses name kernels. */
#include "kernel/parse.h"
#include "kernel/types.h"

#include <stdio.h>
#include <string.h>

/* With the lexer behind the '<': moves behind the '>' that closes it. */
static gputune_status read_arguments(gt_lexer *out, gt_lexer *lexer)
{
    int depth = 1, parentheses = 0;
    *out = *lexer;
    for (; lexer->token.kind != GT_TOKEN_END; gt_lexer_next(lexer)) {
        parentheses += gt_lexer_is(lexer, "(") - gt_lexer_is(lexer, ")");
        depth += parentheses > 0 ? 0 : gt_token_angles(&lexer->token);
        if (depth < 0) {
            break;
        }
        if (depth == 0) {
            /* a second reading that stops at the bracket */
            gt_lexer_end_at(out, lexer->token.text + lexer->token.length - 1);
            gt_lexer_next(lexer);
            return GPUTUNE_OK;
        }
    }
    return gt_fail_expected(lexer, "'>' behind the template arguments");
}

gputune_status gt_read_kernel_name(gt_kernel_name *out, gt_lexer *lexer, const char *what)
{
    char part[GT_NAME_MAX];
    size_t length = 0;
    out->place = gt_lexer_place(lexer);
    do {
        GT_TRY(gt_name_read(part, sizeof part, lexer, what));
        GT_REFUSE_AT(length + strlen(part) + 3 > sizeof out->name, out->place,
                     "the name is too long; expected fewer than %d characters", GT_NAME_MAX);
        length += (size_t)snprintf(out->name + length, sizeof out->name - length, "%s%s",
                                   length ? "::" : "", part);
    } while (gt_lexer_accept(lexer, "::"));
    out->is_template = gt_lexer_accept(lexer, "<");
    return out->is_template ? read_arguments(&out->arguments, lexer) : GPUTUNE_OK;
}

gputune_status gt_parse_kernel(gt_parse *p)
{
    gt_kernel_name *kernel = &p->parts->kernel;
    GT_TRY(gt_read_kernel_name(kernel, &p->at, "the kernel function's name"));
    memcpy(p->template->name, kernel->name, sizeof kernel->name);
    kernel->place = p->clause->place;
    p->parts->steps[0].kernel = *kernel;
    p->parts->step_count = 1;
    return GPUTUNE_OK;
}

static gputune_status bind_name(gt_parse *p, gt_body *body, const gt_lexer *lexer)
{
    char name[GT_NAME_MAX];
    gt_lexer reading = *lexer;
    GT_TRY(gt_name_read(name, sizeof name, &reading, "a template argument"));
    const int index = gt_name_index(p->template, name);
    GT_REFUSE_AT(index >= 0 && gt_name_at(p->template, (uint32_t)index).is_size,
                 gt_lexer_place(lexer),
                 "'%s' is a run-time size; expected a tunable, a compile-time problem "
                 "value or a constant as template argument",
                 name);
    GT_REFUSE_AT(gt_symbol_is_reserved(name), gt_lexer_place(lexer),
                 "'%s' is a device property; expected a tunable, a compile-time problem "
                 "value or a constant as template argument",
                 name);
    body->arguments |= index >= 0 ? UINT64_C(1) << index : 0;
    return GPUTUNE_OK;
}

gputune_status gt_bind_kernel_arguments(gt_parse *p, gt_body *body, const gt_kernel_name *kernel)
{
    gt_lexer lexer = kernel->arguments;
    bool colons = false;
    if (!kernel->is_template) {
        return GPUTUNE_OK;
    }
    for (; lexer.token.kind != GT_TOKEN_END; gt_lexer_next(&lexer)) {
        const gt_token next = gt_lexer_peek(lexer);
        const bool qualified = colons || gt_token_is(&next, "::"); /* `ns::N`, `N::type` */
        if (lexer.token.kind == GT_TOKEN_NAME && !qualified) {
            GT_TRY(bind_name(p, body, &lexer));
        }
        colons = gt_lexer_is(&lexer, "::");
    }
    return GPUTUNE_OK;
}
