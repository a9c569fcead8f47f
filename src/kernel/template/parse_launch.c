/* Parses kernel, launch, for, end, swap, require, define, options, and clauses such as block. */
#include "kernel/template/parse.h"
#include "kernel/text/compiler_options.h"
#include "kernel/text/functions.h"
#include "kernel/text/types.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

/* The first SETTINGS_OF_LAUNCH settings affect the launch, and the others the code. */
enum { SETTINGS_OF_LAUNCH = 9, SETTINGS = 11 };

enum {
    PLAN = GT_USE_PROBLEM | GT_USE_AXIS,
    IN_LOOP = PLAN | GT_USE_COUNTER,
    /* run-time sizes are not allowed, because a plan uses the same code for several sizes */
    SOURCE = GT_USE_CONST | GT_USE_AXIS | GT_USE_DEVICE
};

static const gt_setting kernel_settings[SETTINGS] = {
    {"block", offsetof(gt_template_step, block), 3, .clause_use = PLAN, .launch_use = IN_LOOP},
    {"grid", offsetof(gt_template_step, grid), 3,
     .clause_use = PLAN | GT_USE_BLOCK | GT_USE_OCCUPANCY, .launch_use = IN_LOOP},
    {"shared", offsetof(gt_template_step, shared), 1, .clause_use = PLAN | GT_USE_BLOCK,
     .launch_use = PLAN},
    {"cluster", offsetof(gt_template_step, cluster), 3, .launch_use = PLAN},
    {"cooperative", offsetof(gt_template_step, cooperative), 1, .clause_use = SOURCE,
     .launch_use = PLAN},
    {"times", offsetof(gt_template_step, times), 1, .launch_use = IN_LOOP},
    {"programmatic", offsetof(gt_template_step, programmatic), 1, .launch_use = PLAN},
    {"when", offsetof(gt_template_step, when), 1, .launch_use = IN_LOOP},
    {.word = "args"},
    {"launch_bounds", offsetof(gt_template_parts, launch_bounds), 2, .clause_use = SOURCE,
     .in_source = true},
    {"maxreg", offsetof(gt_template_parts, maxreg), 1, .clause_use = SOURCE, .in_source = true},
};

static const gt_settings launch_settings = {kernel_settings, SETTINGS_OF_LAUNCH,
                                            "a setting such as block = 256"};

static gputune_status read_values(void *to, const gt_setting *setting, unsigned use, gt_parse *p)
{
    void *member = (char *)to + setting->offset;
    const gt_expression **values = member;
    if (setting->most >= 3) {
        return gt_read_dimensions(member, setting->most, p, use);
    }
    if (setting->words && setting->most == 0) {
        const int word = gt_lexer_accept_any(&p->at, setting->words);
        GT_EXPECT(word >= 0, &p->at, setting->expected);
        *(uint32_t *)member = (uint32_t)word;
        return GPUTUNE_OK;
    }
    const gt_token next = gt_lexer_peek(p->at);
    const bool is_number = p->at.token.kind == GT_TOKEN_NUMBER &&
                           (next.kind == GT_TOKEN_END || gt_token_is(&next, ","));
    GT_EXPECT(!setting->words || !is_number || gt_token_is_any(&p->at.token, setting->words),
              &p->at, setting->expected);
    for (uint32_t i = 0; i < setting->most && (i == 0 || gt_lexer_accept(&p->at, ",")); i++) {
        GT_TRY(gt_read_expression(&values[i], p, use, setting->is_real));
    }
    return GPUTUNE_OK;
}

gputune_status gt_parse_setting(gt_parse *p)
{
    const gt_setting *setting =
        &kernel_settings[gt_index_of(p->clause->word, kernel_settings, SETTINGS)];
    void *to = setting->in_source ? (void *)p->parts : &p->parts->steps[0];
    return read_values(to, setting, setting->clause_use, p);
}

/* Reads cooperative(). If it contains no expression, its value is true. */
gputune_status gt_parse_cooperative(gt_parse *p)
{
    if (p->at.token.kind == GT_TOKEN_END) {
        gt_lexer_open(&p->at, "1", 1, p->clause->place);
    }
    return gt_parse_setting(p);
}

gputune_status gt_parse_require(gt_parse *p)
{
    gt_template_parts *parts = p->parts;
    GT_TRY(gt_check_room(parts->constraint_count, GT_REQUIRE_MAX, "require()", p->clause->place));
    return gt_read_expression(&parts->constraints[parts->constraint_count++], p,
                              PLAN | GT_USE_BLOCK | GT_USE_OCCUPANCY | GT_USE_GRID, false);
}

static gputune_status read_define_value(gt_define *define, gt_parse *p)
{
    if (gt_token_is_string(&p->at.token)) {
        GT_TRY(gt_keep_text(&define->text, p->parts, p->at.token.text + 1, p->at.token.length - 2));
        GT_EXPECT(!strpbrk(define->text, "\n\\"), &p->at, "a text without backslashes");
        gt_lexer_next(&p->at);
        return GPUTUNE_OK;
    }
    GT_TRY(gt_read_expression(&define->value, p, PLAN, false));
    for (uint32_t i = 0; i < p->template->problem_count; i++) {
        define->is_name |= p->template->problem[i].kind == GT_PROBLEM_SIZE &&
                           gt_expression_uses(define->value, GT_SLOT_PROBLEM + (int)i);
    }
    return GPUTUNE_OK;
}

gputune_status gt_parse_define(gt_parse *p)
{
    gt_template_parts *parts = p->parts;
    GT_TRY(gt_check_room(parts->define_count, GT_DEFINE_MAX, "macros", p->clause->place));
    gt_define *define = &parts->defines[parts->define_count];
    gt_place place = gt_lexer_place(&p->at);
    GT_TRY(gt_read_new_name(define->name, p, "NAME = value"));
    GT_REFUSE_AT(GT_NAMED(parts->defines, parts->define_count, define->name) >= 0, place,
                 "'%s' is declared twice; expected another name", define->name);
    parts->define_count++;
    if (gt_lexer_accept(&p->at, "=")) {
        GT_TRY(read_define_value(define, p));
    }
    return GPUTUNE_OK;
}

/* ---- launch() ---- */

gt_argument *gt_parse_parameter(const gt_parse *p, const char *name)
{
    const int index = GT_NAMED(p->template->arguments, p->template->parameter_count, name);
    return index < 0 ? NULL : &p->template->arguments[index];
}

gputune_status gt_read_buffer(uint32_t *out, gt_parse *p, unsigned kinds, const char *example,
                              const char *what)
{
    char name[GT_NAME_MAX];
    const gt_template *template = p->template;
    const gt_place place = gt_lexer_place(&p->at);
    GT_TRY(gt_argument_name_read(name, &p->at, example));
    const gt_argument *buffer = gt_parse_parameter(p, name);
    *out = buffer ? (uint32_t)(buffer - template->arguments) : 0;
    const bool is_scratch = *out >= template->argument_count;
    const unsigned kind = !buffer || !buffer->is_buffer ? 0
                          : is_scratch                  ? GT_BUFFER_SCRATCH
                                                        : 1u << buffer->direction;
    GT_REFUSE_AT(!(kind & kinds), place, "'%s' is not %s", name, what);
    GT_REFUSE_AT(kinds & GT_BUFFER_TAKEN && *out >= template->taken_count && !is_scratch, place,
                 "a struct points to '%s'; expected a buffer that is a parameter", name);
    return GPUTUNE_OK;
}

/* Finds a tensor map by name, except maps that replace a buffer. Sets *out to its index in
 * gt_template_step.arguments. Returns false if there is none. */
static bool find_map(uint32_t *out, const gt_template *template, const char *name)
{
    const gt_template_parts *parts = template->parts;
    *out = template->parameter_count;
    for (uint32_t i = 0; i < parts->map_count; i++) {
        if (!parts->maps[i].replaces && strcmp(parts->maps[i].name, name) == 0) {
            return true;
        }
        *out += !parts->maps[i].replaces;
    }
    return false;
}

/* Returns true if a name is followed by one of the tokens in `after`. Sets *argument to the
 * argument with this name, or to NULL. */
static bool is_name(const gt_argument **argument, const gt_parse *p, const char *after)
{
    const gt_token next = gt_lexer_peek(p->at);
    const bool is = p->at.token.kind == GT_TOKEN_NAME && gt_token_is_any(&next, after);
    *argument = is ? gt_parse_parameter(p, GT_TOKEN_TEXT(&p->at.token)) : NULL;
    return is;
}

/* Reads an argument that is an expression. Its type is set later, from the kernel's parameter. */
static gputune_status read_value(uint32_t *out, gt_parse *p)
{
    gt_template_parts *parts = p->parts;
    GT_TRY(gt_check_room(parts->computed_count, GT_VALUES_MAX, "arguments that are expressions",
                         gt_lexer_place(&p->at)));
    gt_template_value *value = &parts->computed[parts->computed_count];
    const gt_argument *base;
    *out = gt_first_computed(p->template) + parts->computed_count++;
    if (is_name(&base, p, "+") && base && base->is_buffer) {
        gt_lexer_next(&p->at);
        gt_lexer_next(&p->at);
        value->base = (uint32_t)(base - p->template->arguments) + 1;
        parts->has_loops = true;
    }
    return gt_read_expression(&value->value, p, IN_LOOP, false);
}

static gputune_status read_argument(gt_template_step *step, gt_parse *p)
{
    const gt_argument *named;
    gt_symbols symbols = {p->template, IN_LOOP, &p->found};
    const gt_place place = gt_lexer_place(&p->at);
    const bool name = is_name(&named, p, ", )");
    GT_TRY(gt_check_room(step->argument_count, GT_PARAMETER_MAX, "arguments", place));
    uint32_t *argument = &step->arguments[step->argument_count++];
    if (named) {
        *argument = (uint32_t)(named - p->template->arguments);
    }
    if (named || (name && find_map(argument, p->template, GT_TOKEN_TEXT(&p->at.token)))) {
        gt_lexer_next(&p->at);
        return GPUTUNE_OK;
    }
    GT_EXPECT(p->at.token.kind != GT_TOKEN_END && !gt_token_is_any(&p->at.token, ", )"), &p->at,
              "the name of an argument or scratch, or an expression");
    GT_REFUSE_AT(name && !gt_symbol_is_known(&symbols, &p->at.token), place,
                 "unknown argument '%.*s'; expected one of args(), scratch() or tensormap(), a "
                 "loop's counter, a tunable or a problem value",
                 (int)p->at.token.length, p->at.token.text);
    return read_value(argument, p);
}

/* Reads a list of arguments such as `(y, x, n)` or `()`. */
static gputune_status read_arguments(gt_template_step *step, gt_parse *p)
{
    GT_TRY(gt_lexer_expect(&p->at, "("));
    step->takes_none = gt_lexer_accept(&p->at, ")");
    if (step->takes_none) {
        return GPUTUNE_OK;
    }
    do {
        GT_TRY(read_argument(step, p));
    } while (gt_lexer_accept(&p->at, ","));
    return gt_lexer_expect(&p->at, ")");
}

static void take_all(gt_template_step *step, const gt_template *template)
{
    for (uint32_t i = 0; i < gt_first_computed(template); i++) {
        if (i < template->taken_count || i >= template->argument_count) {
            step->arguments[step->argument_count++] = i;
        }
    }
}

gputune_status gt_read_setting(void *to, const gt_settings *settings, uint32_t *given, gt_parse *p)
{
    char name[GT_NAME_MAX];
    const gt_setting *items = settings->items;
    const gt_place place = gt_lexer_place(&p->at);
    GT_TRY(gt_name_read(name, sizeof name, &p->at, settings->example));
    const uint32_t which = (uint32_t)gt_index_of(name, items, settings->count);
    const char *near = which < settings->count ? NULL : gt_nearest(name, items, settings->count);
    GT_REFUSE_AT(which == settings->count, place, "unknown setting '%s'; expected '%s'", name,
                 near ? near : items->word);
    GT_REFUSE_AT(*given >> which & 1, place, "'%s' is given twice; expected it once", name);
    GT_TRY(gt_lexer_expect(&p->at, "="));
    const gt_setting *setting = &items[which];
    const bool is_args = setting->most == 0 && !setting->words;
    /* do not record settings with one expression: read_values() already refuses a second one */
    *given |= (uint32_t)(setting->most != 1 || setting->words) << which;
    return is_args ? read_arguments(to, p) : read_values(to, setting, setting->launch_use, p);
}

static gputune_status add_order(gt_order **out, gt_parse *p, gt_order_kind kind, uint32_t index,
                                gt_place place)
{
    gt_template_parts *parts = p->parts;
    GT_TRY(gt_check_room(parts->order_count, GT_ORDERS_MAX, "launch(), for(), end() and swap()",
                         place));
    parts->has_loops |= kind != GT_ORDER_LAUNCH;
    *out = &parts->orders[parts->order_count++];
    **out = (gt_order){.kind = kind, .index = index, .place = place};
    return GPUTUNE_OK;
}

gputune_status gt_parse_launch(gt_parse *p)
{
    gt_template_parts *parts = p->parts;
    gt_order *order;
    uint32_t given = 0;
    /* the first launch() replaces the step that kernel() has added */
    parts->step_count = parts->is_pipeline ? parts->step_count : 0;
    parts->is_pipeline = true;
    GT_TRY(gt_check_room(parts->step_count, GT_STEPS_MAX, "launch()", p->clause->place));
    gt_template_step *step = &parts->steps[parts->step_count++];
    *step = (gt_template_step){.argument_count = 0};
    GT_TRY(add_order(&order, p, GT_ORDER_LAUNCH, parts->step_count - 1, p->clause->place));
    GT_TRY(gt_read_kernel_name(&step->kernel, &p->at, "a __global__ function's name"));
    step->kernel.place = p->clause->place;
    while (gt_lexer_accept(&p->at, ",")) {
        GT_REFUSE_AT(step == parts->steps && gt_lexer_is(&p->at, "programmatic"),
                     gt_lexer_place(&p->at),
                     "the first launch() cannot be programmatic, because no launch precedes it; "
                     "expected 'programmatic' in a later one");
        GT_TRY(gt_read_setting(step, &launch_settings, &given, p));
    }
    GT_TRY(gt_read_end(p));
    parts->has_loops |= step->when != NULL;
    GT_REFUSE_AT(!step->block.count || !step->grid.count, p->clause->place,
                 "launch(%s) without %s; expected launch(%s, block = 256, grid = ceil_div(n, 256))",
                 step->kernel.name, step->block.count ? "grid" : "block", step->kernel.name);
    if (!step->argument_count && !step->takes_none) {
        take_all(step, p->template);
    }
    return GPUTUNE_OK;
}

/* ---- options() ---- */

static gputune_status new_option(gt_option **out, gt_parse *p, uint32_t item, gt_place place)
{
    gt_template_parts *parts = p->parts;
    GT_TRY(gt_check_room(parts->option_count, GT_OPTION_MAX, "compiler options", place));
    *out = &parts->options[parts->option_count++];
    (*out)->item = item;
    return GPUTUNE_OK;
}

/* If the text contains a '?', opens `condition` on the text before it, and moves `body` to the text
 * after it. Otherwise returns false. */
static bool split_condition(gt_lexer *condition, gt_lexer *body)
{
    gt_lexer at = *body;
    gt_lexer_skip_to(&at, ", ?");
    if (gt_token_is_string(&body->token) || !gt_lexer_is(&at, "?")) {
        return false;
    }
    gt_lexer_end_at(condition, at.token.text);
    gt_lexer_next(&at);
    *body = at;
    return true;
}

/* Refuses an option -D or -U for a macro that gputune defines itself. */
static gputune_status check_macro(const char *option, const gt_parse *p, gt_place place)
{
    char name[GT_NAME_MAX] = "";
    const gt_template_parts *parts = p->parts;
    const char *macro = gt_compiler_option_macro(option, true);
    (void)gt_append_within(name, sizeof name, macro ? macro : "", macro ? strcspn(macro, "=(") : 0);
    const int index = gt_name_index(p->template, name);
    const gt_chosen_name own =
        index < 0 ? (gt_chosen_name){.is_size = true} : gt_name_at(p->template, (uint32_t)index);
    const char *what = GT_NAMED(parts->defines, parts->define_count, name) >= 0 ? "name of define()"
                       : own.is_size                                            ? NULL
                       : own.is_axis                                            ? "tunable"
                                                                                : "problem value";
    GT_REFUSE_AT(what, place,
                 "'%s' defines a %s; expected its values in the clause that declares it", option,
                 what);
    return GPUTUNE_OK;
}

static gputune_status read_option_text(gt_option *option, gt_parse *p)
{
    const gt_place place = gt_lexer_place(&p->at);
    GT_EXPECT(gt_token_is_string(&p->at.token), &p->at,
              "an option such as \"--use_fast_math\", or CONDITION ? \"--option\" : \"\"");
    GT_TRY(gt_keep_text(&option->text, p->parts, p->at.token.text + 1, p->at.token.length - 2));
    gt_lexer_next(&p->at);
    if (*option->text) {
        GT_TRY(gt_compiler_option_check(option->text, place));
    }
    return check_macro(option->text, p, place);
}

/* Reads a choice such as CONDITION ? "a" : CONDITION ? "b" : "c", or a single "c". */
static gputune_status read_item(gt_parse *p, uint32_t item)
{
    gt_lexer after = p->at;
    gt_option *option = NULL;
    while (split_condition(&p->at, &after)) {
        GT_TRY(new_option(&option, p, item, gt_lexer_place(&p->at)));
        GT_TRY(gt_read_expression(&option->condition, p, SOURCE, false));
        GT_EXPECT(p->at.token.kind == GT_TOKEN_END, &p->at, "'?'");
        p->at = after;
        GT_TRY(read_option_text(option, p));
        GT_TRY(gt_lexer_expect(&p->at, ":"));
        after = p->at;
    }
    GT_TRY(new_option(&option, p, item, gt_lexer_place(&p->at)));
    return read_option_text(option, p);
}

gputune_status gt_parse_options(gt_parse *p)
{
    return read_item(p, p->parts->option_items++);
}

/* ---- names of kernels ------------------------------------------------------------------------ */

static gputune_status read_template_arguments(gt_lexer *out, gt_lexer *lexer)
{
    *out = *lexer;
    gt_lexer_next(out);
    const char *end = gt_lexer_skip_angles(lexer);
    GT_EXPECT(end, lexer, "'>' after the template arguments");
    gt_lexer_end_at(out, end);
    return GPUTUNE_OK;
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
    out->is_template = gt_lexer_is(lexer, "<");
    return out->is_template ? read_template_arguments(&out->arguments, lexer) : GPUTUNE_OK;
}

gputune_status gt_parse_kernel(gt_parse *p)
{
    gt_kernel_name *kernel = &p->parts->kernel;
    GT_TRY(gt_read_kernel_name(kernel, &p->at, "the kernel function's name"));
    memcpy(p->template->name, kernel->name, sizeof kernel->name);
    const char *name = kernel->name;
    GT_FREED gt_function_list all = {0};
    GT_TRY(gt_functions_find(&all, p->code, &name, 1));
    if (all.count > 0) {
        memcpy(p->kernel_scope, all.items[0].scope, sizeof p->kernel_scope);
        p->scope = p->kernel_scope;
    }
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
    const uint64_t bit = index >= 0 ? UINT64_C(1) << index : 0;
    body->instances |= bit;
    body->arguments |= bit;
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
        const bool qualified = colons || gt_token_is(&next, "::");
        if (lexer.token.kind == GT_TOKEN_NAME && !qualified) {
            GT_TRY(bind_name(p, body, &lexer));
        }
        colons = gt_lexer_is(&lexer, "::");
    }
    return GPUTUNE_OK;
}

/* ---- for(), end() and swap() ----------------------------------------------------------------- */

/* Reads the last part of for(): `++i`, `i++`, `i += e` or `i = e`. Sets *out to the next value. */
static gputune_status read_next(const gt_expression **out, gt_parse *p, const char *counter)
{
    GT_SCOPED(gt_text_free) gt_text text = {0};
    gt_place place = gt_lexer_place(&p->at);
    int step = gt_lexer_accept_any(&p->at, "-- ++");
    GT_EXPECT(gt_lexer_accept(&p->at, counter), &p->at,
              "the counter's next value, as in ++i, i += 2 or i /= 2");
    step = step < 0 ? gt_lexer_accept_any(&p->at, "-- ++") : step;
    if (step >= 0) {
        gt_text_printf(&text, "%s %c 1", counter, "-+"[step]);
    } else {
        const gt_token sign = p->at.token;
        GT_EXPECT(gt_lexer_accept_any(&p->at, "+= -= *= /= <<= >>= =") >= 0, &p->at,
                  "++, --, = or an assignment such as +=, *= or >>=");
        if (sign.length == 1) {
            return gt_read_expression(out, p, IN_LOOP, false);
        }
        place = gt_lexer_place(&p->at);
        gt_text_printf(&text, "%s %.*s (", counter, (int)sign.length - 1, sign.text);
        place.column -= (int)text.length; /* columns in messages are the template's */
        gt_text_printf(&text, "%.*s)", (int)(p->at.end - p->at.token.text), p->at.token.text);
        while (p->at.token.kind != GT_TOKEN_END) {
            gt_lexer_next(&p->at);
        }
    }
    return text.failed ? gt_fail_memory()
                       : gt_read_text(out, p, gt_text_string(&text), text.length, place, IN_LOOP);
}

gputune_status gt_parse_for(gt_parse *p)
{
    gt_template_parts *parts = p->parts;
    gt_order *order;
    char name[GT_NAME_MAX];
    GT_TRY(gt_check_room(parts->open_loops, GT_COUNTERS_MAX, "nested loops", p->clause->place));
    const gt_place place = gt_lexer_place(&p->at);
    GT_TRY(gt_read_new_name(name, p, "a counter, as in for(i = 0; i < n; ++i)"));
    GT_REFUSE_AT(GT_NAMED(parts->counters, parts->open_loops, name) >= 0, place,
                 "'%s' counts the loop around this one; expected another name", name);
    GT_TRY(add_order(&order, p, GT_ORDER_FOR, parts->open_loops, p->clause->place));
    GT_TRY(gt_lexer_expect(&p->at, "="));
    GT_TRY(gt_read_expression(&order->begin, p, IN_LOOP, false));
    memcpy(parts->counters[parts->open_loops++], name, sizeof name);
    GT_TRY(gt_lexer_expect(&p->at, ";"));
    GT_TRY(gt_read_expression(&order->condition, p, IN_LOOP, false));
    GT_TRY(gt_lexer_expect(&p->at, ";"));
    return read_next(&order->next, p, name);
}

static gputune_status end_loop(gt_parse *p, gt_place place)
{
    gt_template_parts *parts = p->parts;
    gt_order *order;
    const gt_order *last = &parts->orders[parts->order_count - 1];
    GT_REFUSE_AT(last->kind == GT_ORDER_FOR, last->place,
                 "for(%s) without a launch(); expected one after it",
                 parts->counters[parts->open_loops - 1]);
    parts->open_loops--;
    return add_order(&order, p, GT_ORDER_END, parts->open_loops, place);
}

gputune_status gt_parse_end(gt_parse *p)
{
    gt_template_parts *parts = p->parts;
    char name[GT_NAME_MAX];
    const gt_place place = gt_lexer_place(&p->at);
    GT_TRY(gt_name_read(name, sizeof name, &p->at, "the counter of a for()"));
    GT_REFUSE_AT(parts->open_loops == 0, place, "end(%s) without a for(%s); expected one before it",
                 name, name);
    const char *inner = parts->counters[parts->open_loops - 1];
    return strcmp(inner, name) == 0
               ? end_loop(p, p->clause->place)
               : gt_fail_at(place, "end(%s) in for(%s); expected end(%s)", name, inner, inner);
}

static gputune_status read_swapped(uint32_t *index, gt_parse *p)
{
    return gt_read_buffer(index, p, GT_BUFFER_WRITTEN | GT_BUFFER_TAKEN,
                          "two buffers, as in swap(next, now)",
                          "a buffer that kernels may write; expected an inout or scratch buffer");
}

gputune_status gt_parse_swap(gt_parse *p)
{
    gt_order *order;
    uint32_t first, second;
    GT_TRY(read_swapped(&first, p));
    GT_TRY(gt_lexer_expect(&p->at, ","));
    const gt_place place = gt_lexer_place(&p->at);
    GT_TRY(read_swapped(&second, p));
    const char *type = p->template->arguments[first].type;
    const char *other = p->template->arguments[second].type;
    GT_REFUSE_AT(first == second, place, "a buffer swapped with itself; expected another one");
    GT_REFUSE_AT(strcmp(type, other) != 0, place,
                 "a buffer of %s swapped with one of %s; expected equal types", other, type);
    GT_TRY(add_order(&order, p, GT_ORDER_SWAP, first, p->clause->place));
    order->other = second;
    return GPUTUNE_OK;
}

/* Refuses an expression that uses the grid or block of the first launch() if a loop changes them,
 * because the expression is evaluated outside of the loop. */
static gputune_status check_known(const gt_parse *p, const gt_expression *expression)
{
    const gt_template_step *first = &p->parts->steps[0];
    for (int i = 0; expression && i < 3; i++) {
        bool uses = (gt_counters_used(first->grid.items[i]) &&
                     gt_expression_uses(expression, GT_SLOT_GRID + i)) ||
                    (gt_counters_used(first->block.items[i]) &&
                     gt_expression_uses(expression, GT_SLOT_BLOCK + i));
        GT_REFUSE_AT(uses, expression->place,
                     "'%s' uses the grid or block of the first launch(), which changes in "
                     "its loop; expected problem values and tunables",
                     expression->text);
    }
    return GPUTUNE_OK;
}

/* If a buffer of a vector axis is swapped with another buffer, adds the other buffer to the axis,
 * because both of them need the same alignment. */
static void join_vectors(gt_template *template, const gt_template_parts *parts)
{
    for (uint32_t o = 0; o < parts->order_count; o++) {
        const gt_order *order = &parts->orders[o];
        const uint64_t both = UINT64_C(1) << order->index | UINT64_C(1) << order->other;
        for (uint32_t i = 0; order->kind == GT_ORDER_SWAP && i < template->axis_count; i++) {
            gt_axis *axis = &template->axes[i];
            bool touches = axis->kind == GT_AXIS_VECTOR && (axis->buffers & both);
            axis->buffers |= touches ? both : 0;
        }
    }
}

gputune_status gt_loops_finish(gt_parse *p)
{
    gt_template_parts *parts = p->parts;
    GT_REFUSE_AT(parts->has_loops && !parts->is_pipeline, parts->orders[0].place,
                 "a loop without launch(); expected launch(KERNEL, …) in it");
    while (parts->open_loops > 0) {
        GT_TRY(end_loop(p, parts->orders[parts->order_count - 1].place));
    }
    for (uint32_t i = 0; i < parts->constraint_count; i++) {
        GT_TRY(check_known(p, parts->constraints[i]));
    }
    for (uint32_t i = p->template->argument_count; i < p->template->parameter_count; i++) {
        for (int k = 0; k < 3; k++) {
            GT_TRY(check_known(p, p->template->arguments[i].extents[k]));
        }
    }
    join_vectors(p->template, parts);
    return GPUTUNE_OK;
}
