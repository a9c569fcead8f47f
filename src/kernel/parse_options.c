/* The pragma options: strings, and strings that depend on conditions. */
#include "kernel/compiler_options.h"
#include "kernel/parse.h"

#include "base/text.h"

#include <string.h>

/* Plans of one source serve other sizes too, so that options cannot depend on those. */
enum { USE_SOURCE = GT_USE_CONST | GT_USE_AXIS | GT_USE_DEVICE };

static bool is_text(const gt_lexer *lexer)
{
    return lexer->token.kind == GT_TOKEN_STRING && lexer->token.text[0] == '"';
}

static gputune_status new_option(gt_option **out, gt_parse *parse, uint32_t item, gt_place place)
{
    gt_template_parts *parts = parse->parts;
    if (parts->option_count == GT_OPTION_MAX) {
        return gt_fail_at(place, "more than %d compiler options; expected fewer", GT_OPTION_MAX);
    }
    *out = &parts->options[parts->option_count++];
    (*out)->item = item;
    return GPUTUNE_OK;
}

static gputune_status read_text(gt_option *option, gt_parse *parse, gt_lexer *body)
{
    if (!is_text(body)) {
        return gt_fail_expected(body, "an option such as \"--use_fast_math\", or CONDITION ? "
                                      "\"--option\" : \"\"");
    }
    gt_place place = gt_lexer_place(body);
    GT_TRY(gt_keep_text(&option->text, parse->parts, body->token.text + 1, body->token.length - 2));
    gt_lexer_next(body);
    return *option->text ? gt_compiler_option_check(option->text, place) : GPUTUNE_OK;
}

/* Opens `condition` on what stands before the '?' that a string follows; `body` is left on that
 * string. False: the item has no condition. */
static bool split_condition(gt_lexer *condition, gt_lexer *body)
{
    *condition = *body;
    gt_lexer at = *body;
    for (int depth = 0; at.token.kind != GT_TOKEN_END; gt_lexer_next(&at)) {
        depth += gt_lexer_is(&at, "(");
        depth -= gt_lexer_is(&at, ")");
        if (depth == 0 && (gt_lexer_is(&at, ",") || is_text(&at))) {
            return false;
        }
        if (depth == 0 && gt_lexer_is(&at, "?")) {
            condition->end = at.token.text;
            gt_lexer_next(&at);
            *body = at;
            return true;
        }
    }
    return false;
}

/* A tunable is a macro of the engine's. */
static gputune_status check_macro(const gt_template *template, const char *option, gt_place place)
{
    static const char *const defining[] = {"-D", "--define-macro=", "-U", "--undefine-macro="};
    for (size_t i = 0; i < sizeof defining / sizeof *defining; i++) {
        size_t length = strlen(defining[i]);
        const char *name = strncmp(option, defining[i], length) == 0 ? option + length : "";
        for (uint32_t k = 0; k < template->axis_count; k++) {
            const char *axis = template->axes[k].name;
            size_t own = strlen(axis);
            if (strncmp(name, axis, own) == 0 && (name[own] == '\0' || name[own] == '=')) {
                return gt_fail_at(place,
                                  "'%s' defines a tunable; expected its values in the clause that "
                                  "declares it",
                                  option);
            }
        }
    }
    return GPUTUNE_OK;
}

/* CONDITION ? "a" : CONDITION ? "b" : "c", or "c" alone. */
static gputune_status read_item(gt_parse *parse, uint32_t item, gt_lexer *body)
{
    gt_lexer condition;
    gt_option *option = NULL;
    while (split_condition(&condition, body)) {
        GT_TRY(new_option(&option, parse, item, gt_lexer_place(&condition)));
        GT_TRY(gt_read_integer_expression(&option->condition, parse, &condition, USE_SOURCE));
        if (condition.token.kind != GT_TOKEN_END) {
            return gt_fail_expected(&condition, "'?'");
        }
        gt_place place = gt_lexer_place(body);
        GT_TRY(read_text(option, parse, body));
        GT_TRY(check_macro(parse->template, option->text, place));
        GT_TRY(gt_lexer_expect(body, ":"));
    }
    GT_TRY(new_option(&option, parse, item, gt_lexer_place(body)));
    gt_place place = gt_lexer_place(body);
    GT_TRY(read_text(option, parse, body));
    return check_macro(parse->template, option->text, place);
}

gputune_status gt_parse_options(gt_parse *parse, gt_lexer *body)
{
    do {
        GT_TRY(read_item(parse, parse->parts->option_items++, body));
    } while (gt_lexer_accept(body, ","));
    return GPUTUNE_OK;
}
