/* The pragmas that say how kernels are launched and compiled: launch, the settings of settings.h as
 * clauses of their own, require, define and options. */
#include "kernel/compiler_options.h"
#include "kernel/parse.h"
#include "kernel/settings.h"
#include "kernel/types.h"

#include "base/text.h"

#include <string.h>

/* Reads what a setting is set to. */
static gputune_status read_setting(const gt_setting *setting, gt_parse *parse,
                                   gt_template_step *step, gt_lexer *body, unsigned use)
{
    const gt_expression **values = gt_setting_values(setting, parse->parts, step);
    if (setting->most == 3) {
        return gt_read_dimensions((gt_dimensions *)(void *)values, parse, body, use);
    }
    for (uint32_t i = 0; i < setting->most && (i == 0 || gt_lexer_accept(body, ",")); i++) {
        GT_TRY(gt_read_integer_expression(&values[i], parse, body, use));
    }
    return GPUTUNE_OK;
}

gputune_status gt_parse_setting(gt_parse *parse, gt_lexer *body)
{
    uint32_t i = 0;
    while (strcmp(gt_setting_at(i)->word, parse->clause->word) != 0) {
        i++;
    }
    const gt_setting *setting = gt_setting_at(i);
    return read_setting(setting, parse, &parse->parts->steps[0], body, setting->clause_use);
}

/* Without an expression: always. */
gputune_status gt_parse_cooperative(gt_parse *parse, gt_lexer *body)
{
    gt_lexer always;
    gt_lexer_open(&always, "1", 1, parse->clause->place);
    bool stated = body->token.kind != GT_TOKEN_END;
    return gt_parse_setting(parse, stated ? body : &always);
}

gputune_status gt_parse_require(gt_parse *parse, gt_lexer *body)
{
    gt_template_parts *parts = parse->parts;
    GT_TRY(gt_check_room(parts->require_count, GT_REQUIRE_MAX, "require()", parse->clause->place));
    return gt_read_integer_expression(&parts->requires[parts->require_count++], parse, body,
                                      GT_USE_PROBLEM | GT_USE_AXIS | GT_USE_BLOCK |
                                          GT_USE_OCCUPANCY | GT_USE_GRID);
}

static gputune_status read_define_value(gt_define *define, gt_parse *parse, gt_lexer *body)
{
    if (body->token.kind == GT_TOKEN_STRING && body->token.text[0] == '"') {
        GT_TRY(gt_keep_text(&define->text, parse->parts, body->token.text + 1,
                            body->token.length - 2));
        GT_EXPECT(!strpbrk(define->text, "\n\\"), body, "a text without backslashes");
        gt_lexer_next(body);
        return GPUTUNE_OK;
    }
    GT_TRY(gt_read_integer_expression(&define->value, parse, body, GT_USE_PROBLEM | GT_USE_AXIS));
    for (uint32_t i = 0; i < parse->template->problem_count; i++) {
        define->is_name |= parse->template->problem[i].kind == GT_PROBLEM_SIZE &&
                           gt_expression_uses(define->value, GT_SLOT_PROBLEM + (int)i);
    }
    return GPUTUNE_OK;
}

gputune_status gt_parse_define(gt_parse *parse, gt_lexer *body)
{
    gt_template_parts *parts = parse->parts;
    GT_TRY(gt_check_room(parts->define_count, GT_DEFINE_MAX, "macros", parse->clause->place));
    gt_define *define = &parts->defines[parts->define_count];
    gt_place place = gt_lexer_place(body);
    GT_TRY(gt_read_new_name(define->name, parse, body, "NAME = value"));
    GT_REFUSE_AT(GT_NAMED(parts->defines, parts->define_count, define->name) >= 0, place,
                 "'%s' declared twice; expected another name", define->name);
    parts->define_count++;
    if (gt_lexer_accept(body, "=")) {
        GT_TRY(read_define_value(define, parse, body));
    }
    return GPUTUNE_OK;
}

/* ---- launch() -------------------------------------------------------------------------------- */

int gt_parse_parameter_index(const gt_parse *parse, const char *name)
{
    const gt_template *template = parse->template;
    const int own = GT_NAMED(template->arguments, template->argument_count, name);
    const int scratch = GT_NAMED(parse->parts->scratch, parse->parts->scratch_count, name);
    return own >= 0 || scratch < 0 ? own : scratch + (int)template->argument_count;
}

gputune_status gt_read_buffer(uint32_t *out, const gt_parse *parse, gt_lexer *body, bool scratch,
                              const char *expected)
{
    char name[GT_NAME_MAX];
    const gt_place place = gt_lexer_place(body);
    GT_TRY(gt_argument_name_read(name, body, expected));
    const int index = gt_parse_parameter_index(parse, name);
    *out = (uint32_t)index;
    GT_REFUSE_AT(index < 0 || !gt_template_parameter(parse->template, *out)->is_buffer ||
                     (!scratch && *out >= parse->template->argument_count),
                 place, "'%s' is not a buffer; expected one of args()%s", name,
                 scratch ? " or scratch()" : "");
    return GPUTUNE_OK;
}

gputune_status gt_read_taken_buffer(uint32_t *out, const gt_parse *parse, gt_lexer *body,
                                    bool scratch, const char *expected)
{
    const gt_template *template = parse->template;
    const gt_place place = gt_lexer_place(body);
    GT_TRY(gt_read_buffer(out, parse, body, scratch, expected));
    return *out >= template->taken_count && *out < template->argument_count
               ? gt_fail_at(place, "a struct points to '%s'; expected a buffer that is a parameter",
                            template->arguments[*out].name)
               : GPUTUNE_OK;
}

/* Whether a name stands here in front of one of these tokens, and what it may be: -1, or an
 * argument's or scratch's index. */
static bool is_name(int *index, const gt_parse *parse, const gt_lexer *body, const char *behind)
{
    char name[GT_NAME_MAX];
    const gt_token next = gt_lexer_peek(*body);
    bool alone = gt_token_copy(name, sizeof name, &body->token) && gt_token_is_any(&next, behind);
    *index = alone ? gt_parse_parameter_index(parse, name) : -1;
    return alone;
}

/* An argument that is an expression; the kernel's parameter says later how many bytes it has. */
static gputune_status read_value(uint32_t *out, gt_parse *parse, gt_lexer *body)
{
    gt_template_parts *parts = parse->parts;
    GT_TRY(gt_check_room(parts->computed_count, GT_VALUES_MAX, "arguments that are expressions",
                         gt_lexer_place(body)));
    gt_template_value *value = &parts->computed[parts->computed_count];
    const uint32_t arguments = parse->template->argument_count;
    int base = -1;
    *out = arguments + parts->scratch_count + parts->computed_count++;
    parts->has_loops = true;
    if (is_name(&base, parse, body, "+") && base >= 0 &&
        ((uint32_t)base >= arguments || parse->template->arguments[base].is_buffer)) {
        gt_lexer_next(body);
        gt_lexer_next(body);
        value->base = (uint32_t)base + 1;
    }
    return gt_read_integer_expression(&value->value, parse, body,
                                      GT_USE_PROBLEM | GT_USE_AXIS | GT_USE_COUNTER);
}

static gputune_status read_argument(gt_template_step *step, gt_parse *parse, gt_lexer *body)
{
    int index;
    gt_symbols symbols = {parse->template, GT_USE_PROBLEM | GT_USE_AXIS | GT_USE_COUNTER,
                          parse->code};
    const gt_place place = gt_lexer_place(body);
    const bool name = is_name(&index, parse, body, ", )");
    GT_TRY(gt_check_room(step->argument_count, GT_STEP_ARGUMENTS, "arguments", place));
    uint32_t *argument = &step->arguments[step->argument_count++];
    if (index >= 0) {
        *argument = (uint32_t)index;
        gt_lexer_next(body);
        return GPUTUNE_OK;
    }
    GT_EXPECT(body->token.kind != GT_TOKEN_END && !gt_token_is_any(&body->token, ", )"), body,
              "the name of an argument or scratch, or an expression");
    GT_REFUSE_AT(name && !gt_symbol_is_known(&symbols, &body->token), place,
                 "unknown argument '%.*s'; expected one of args() or scratch(), a loop's counter, "
                 "a tunable or a problem value",
                 (int)body->token.length, body->token.text);
    return read_value(argument, parse, body);
}

/* `(y, x, n)`, or `()` */
static gputune_status read_arguments(gt_template_step *step, gt_parse *parse, gt_lexer *body)
{
    GT_TRY(gt_lexer_expect(body, "("));
    step->takes_none = gt_lexer_accept(body, ")");
    if (step->takes_none) {
        return GPUTUNE_OK;
    }
    do {
        GT_TRY(read_argument(step, parse, body));
    } while (gt_lexer_accept(body, ","));
    return gt_lexer_expect(body, ")");
}

/* A step without args = (…) takes what a single kernel would. */
static gputune_status take_all(gt_template_step *step, const gt_parse *parse)
{
    const gt_template *template = parse->template;
    const uint32_t all = template->argument_count + parse->parts->scratch_count;
    GT_REFUSE_AT(all - template->argument_count + template->taken_count > GT_STEP_ARGUMENTS,
                 step->kernel.place, "more than %d arguments; expected args = (…)",
                 GT_STEP_ARGUMENTS);
    for (uint32_t i = 0; i < all; i++) {
        if (i < template->taken_count || i >= template->argument_count) {
            step->arguments[step->argument_count++] = i;
        }
    }
    return GPUTUNE_OK;
}

/* `NAME = …`: a setting, or args behind all of them. */
static gputune_status read_named(gt_template_step *step, gt_parse *parse, gt_lexer *body)
{
    enum { NAMES_MAX = 16 };
    const char *names[NAMES_MAX];
    const gt_setting *settings[NAMES_MAX], *one;
    uint32_t count = 0, given = 0, which;
    const gt_place place = gt_lexer_place(body);
    for (uint32_t i = 0; (one = gt_setting_at(i)); i++) {
        if (one->launch_use) {
            bool has = one->most > 1 && *gt_setting_values(one, parse->parts, step);
            given |= (uint32_t)has << count;
            settings[count] = one;
            names[count++] = one->word;
        }
    }
    names[count] = "args";
    given |= (uint32_t)(step->argument_count || step->takes_none) << count;
    GT_TRY(gt_setting_name_read(&which, given, body, names, count + 1,
                                "a setting such as block = 256"));
    if (which == count) {
        return read_arguments(step, parse, body);
    }
    GT_REFUSE_AT(step == parse->parts->steps && strcmp(names[which], "programmatic") == 0, place,
                 "the first launch() has none before it; expected 'programmatic' in a later one");
    return read_setting(settings[which], parse, step, body, settings[which]->launch_use);
}

/* The first launch() takes the place of the kernel that kernel() would name. */
static gputune_status add_step(gt_template_step **out, gt_parse *parse, gt_place place)
{
    gt_template_parts *parts = parse->parts;
    if (!parts->is_pipeline) {
        parts->is_pipeline = true;
        parts->step_count = 0;
    }
    GT_TRY(gt_check_room(parts->step_count, GT_STEPS_MAX, "launch()", place));
    *out = &parts->steps[parts->step_count++];
    **out = (gt_template_step){.argument_count = 0};
    return GPUTUNE_OK;
}

gputune_status gt_parse_launch(gt_parse *parse, gt_lexer *body)
{
    gt_template_step *step;
    gt_order *order;
    GT_TRY(add_step(&step, parse, parse->clause->place));
    GT_TRY(gt_parse_order(&order, parse, GT_ORDER_LAUNCH, parse->parts->step_count - 1,
                          parse->clause->place));
    GT_TRY(gt_read_kernel_name(&step->kernel, body, "a __global__ function's name"));
    step->kernel.place = parse->clause->place;
    while (gt_lexer_accept(body, ",")) {
        GT_TRY(read_named(step, parse, body));
    }
    GT_EXPECT(body->token.kind == GT_TOKEN_END, body, "',' or ')'");
    parse->parts->has_loops |= step->when != NULL;
    GT_REFUSE_AT(!step->block.count || !step->grid.count, parse->clause->place,
                 "launch(%s) without %s; expected launch(%s, block = 256, grid = ceil_div(n, 256))",
                 step->kernel.name, step->block.count ? "grid" : "block", step->kernel.name);
    return step->argument_count || step->takes_none ? GPUTUNE_OK : take_all(step, parse);
}

/* ---- options() ------------------------------------------------------------------------------- */

/* Plans of one source serve other sizes too, so that options cannot depend on those. */
enum { USE_SOURCE = GT_USE_CONST | GT_USE_AXIS | GT_USE_DEVICE };

static bool is_text(const gt_lexer *lexer)
{
    return lexer->token.kind == GT_TOKEN_STRING && lexer->token.text[0] == '"';
}

static gputune_status new_option(gt_option **out, gt_parse *parse, uint32_t item, gt_place place)
{
    gt_template_parts *parts = parse->parts;
    GT_TRY(gt_check_room(parts->option_count, GT_OPTION_MAX, "compiler options", place));
    *out = &parts->options[parts->option_count++];
    (*out)->item = item;
    return GPUTUNE_OK;
}

static gputune_status read_text(gt_option *option, gt_parse *parse, gt_lexer *body)
{
    GT_EXPECT(is_text(body), body,
              "an option such as \"--use_fast_math\", or CONDITION ? \"--option\" : \"\"");
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
            gt_lexer_end_at(condition, at.token.text);
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
    const char *name = gt_compiler_option_macro(option, true);
    for (uint32_t i = 0; name && i < template->axis_count; i++) {
        const char *axis = template->axes[i].name;
        GT_REFUSE_AT(
            strcspn(name, "=") == strlen(axis) && strncmp(name, axis, strlen(axis)) == 0, place,
            "'%s' defines a tunable; expected its values in the clause that declares it", option);
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
        GT_EXPECT(condition.token.kind == GT_TOKEN_END, &condition, "'?'");
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
    return read_item(parse, parse->parts->option_items++, body);
}
