/* The pragmas block, grid, shared, cooperative, require, launch_bounds, maxreg and define. */
#include "kernel/parse.h"
#include "kernel/types.h"

#include <string.h>

enum { USE_PLAN = GT_USE_PROBLEM | GT_USE_AXIS };

gputune_status gt_parse_block(gt_parse *parse, const gt_clause *clause, gt_lexer *body)
{
    (void)clause;
    return gt_read_dimensions(&parse->parts->block, parse, body, USE_PLAN);
}

gputune_status gt_parse_grid(gt_parse *parse, const gt_clause *clause, gt_lexer *body)
{
    (void)clause;
    return gt_read_dimensions(&parse->parts->grid, parse, body,
                              USE_PLAN | GT_USE_BLOCK | GT_USE_OCCUPANCY);
}

gputune_status gt_parse_shared(gt_parse *parse, const gt_clause *clause, gt_lexer *body)
{
    (void)clause;
    return gt_read_integer_expression(&parse->parts->shared, parse, body, USE_PLAN | GT_USE_BLOCK);
}

/* Without an expression: always. */
gputune_status gt_parse_cooperative(gt_parse *parse, const gt_clause *clause, gt_lexer *body)
{
    gt_lexer always;
    gt_lexer_open(&always, "1", 1, clause->place);
    bool stated = body->token.kind != GT_TOKEN_END;
    return gt_read_integer_expression(&parse->parts->cooperative, parse, stated ? body : &always,
                                      GT_USE_CONST | GT_USE_AXIS | GT_USE_DEVICE);
}

gputune_status gt_parse_require(gt_parse *parse, const gt_clause *clause, gt_lexer *body)
{
    gt_template_parts *parts = parse->parts;
    if (parts->require_count == GT_REQUIRE_MAX) {
        return gt_fail_at(clause->place, "more than %d require(); expected fewer", GT_REQUIRE_MAX);
    }
    return gt_read_integer_expression(&parts->requires[parts->require_count++], parse, body,
                                      USE_PLAN | GT_USE_BLOCK | GT_USE_OCCUPANCY | GT_USE_GRID);
}

/* What the source is made of must not depend on run-time sizes: a plan serves other sizes too. */
enum { USE_SOURCE = GT_USE_CONST | GT_USE_AXIS | GT_USE_DEVICE };

gputune_status gt_parse_launch_bounds(gt_parse *parse, const gt_clause *clause, gt_lexer *body)
{
    (void)clause;
    GT_TRY(gt_read_integer_expression(&parse->parts->launch_bounds[0], parse, body, USE_SOURCE));
    return gt_lexer_accept(body, ",") ? gt_read_integer_expression(&parse->parts->launch_bounds[1],
                                                                   parse, body, USE_SOURCE)
                                      : GPUTUNE_OK;
}

gputune_status gt_parse_maxreg(gt_parse *parse, const gt_clause *clause, gt_lexer *body)
{
    (void)clause;
    return gt_read_integer_expression(&parse->parts->maxreg, parse, body, USE_SOURCE);
}

static gputune_status read_define_value(gt_define *define, gt_parse *parse, gt_lexer *body)
{
    if (body->token.kind == GT_TOKEN_STRING && body->token.text[0] == '"') {
        GT_TRY(gt_strndup(&define->text, body->token.text + 1, body->token.length - 2));
        if (strpbrk(define->text, "\n\\")) {
            return gt_fail_expected(body, "a text without backslashes");
        }
        gt_lexer_next(body);
        return GPUTUNE_OK;
    }
    return gt_read_integer_expression(&define->value, parse, body, USE_SOURCE);
}

gputune_status gt_parse_define(gt_parse *parse, const gt_clause *clause, gt_lexer *body)
{
    gt_template_parts *parts = parse->parts;
    do {
        if (parts->define_count == GT_DEFINE_MAX) {
            return gt_fail_at(clause->place, "more than %d macros; expected fewer", GT_DEFINE_MAX);
        }
        gt_define *define = &parts->defines[parts->define_count];
        gt_place place = gt_lexer_place(body);
        GT_TRY(gt_read_new_name(define->name, parse, body, "NAME = value"));
        for (uint32_t i = 0; i < parts->define_count; i++) {
            if (strcmp(parts->defines[i].name, define->name) == 0) {
                return gt_fail_at(place, "'%s' declared twice; expected another name",
                                  define->name);
            }
        }
        parts->define_count++;
        if (gt_lexer_accept(body, "=")) {
            GT_TRY(read_define_value(define, parse, body));
        }
    } while (gt_lexer_accept(body, ","));
    return GPUTUNE_OK;
}
