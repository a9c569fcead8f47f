/* Holds the functions that a template's clauses name against their definitions. */
#include "kernel/body.h"

#include "kernel/binding.h"
#include "kernel/branches.h"
#include "kernel/functions.h"
#include "kernel/structure.h"
#include "kernel/tensormap.h"
#include "kernel/types.h"

#include <stdio.h>
#include <string.h>

/* The name in images: with all namespaces, unless extern "C" drops them. */
static gputune_status note_entry(gt_kernel_name *kernel, const gt_function *function)
{
    const char *last = strrchr(kernel->name, ':');
    last = last ? last + 1 : kernel->name;
    bool scoped = kernel->is_template && function->scope[0];
    int length = snprintf(kernel->entry, sizeof kernel->entry, "%s%s%s",
                          scoped ? function->scope : "", scoped ? "::" : "", last);
    GT_REFUSE_AT(length < 0 || (size_t)length >= sizeof kernel->entry, kernel->place,
                 "the name with its namespaces is too long; expected fewer than %d characters",
                 GT_ENTRY_MAX);
    return GPUTUNE_OK;
}

static size_t count_arguments(gt_lexer arguments)
{
    gt_lexer item;
    size_t count = 0;
    while (gt_lexer_item(&item, &arguments)) {
        count++;
    }
    return count;
}

/* An instance has an argument for each parameter without a default: what it could tell from a
 * call's arguments has no call here. */
static gputune_status check_instance(const gt_kernel_name *kernel, const gt_function *function,
                                     const char *text)
{
    char missing[GT_NAME_MAX];
    size_t given = count_arguments(kernel->arguments);
    size_t needed = gt_function_needs(missing, text, function, given);
    GT_REFUSE_AT(given < needed, kernel->place,
                 "'%s' has %zu template argument%s; expected %zu, the next for '%s'", kernel->name,
                 given, gt_plural(given), needed, missing);
    return GPUTUNE_OK;
}

static gputune_status find_function(gt_function *out, const char *text, gt_kernel_name *kernel)
{
    GT_REFUSE_AT(!gt_function_definition(out, text, kernel->name), kernel->place,
                 "no __global__ function '%s'; expected its definition in this file", kernel->name);
    GT_REFUSE_AT(out->is_template && !kernel->is_template, kernel->place,
                 "'%s' is a C++ template; expected its arguments, as in %s<T, BLOCK>, each a "
                 "tunable, a compile-time problem value or a constant",
                 kernel->name, kernel->name);
    GT_REFUSE_AT(kernel->is_template && !out->is_template, kernel->place,
                 "'%s' is no C++ template; expected it without template arguments", kernel->name);
    GT_TRY(kernel->is_template ? check_instance(kernel, out, text) : GPUTUNE_OK);
    return note_entry(kernel, out);
}

/* The element of an argument, unless it depends on the problem. */
static bool fixed_element(gt_element *out, const gt_argument *argument)
{
    return gt_element_from_name(out, argument->type);
}

static const char texture[] = "cudaTextureObject_t";

/* Whether the parameter is of the type that stands in a buffer's place. */
static bool stands_for(const gt_function_parameter *given, const char *type)
{
    return strcmp(given->words, type) == 0 && !given->pointer;
}

static gputune_status check_parameter(const gt_parse *parse, const gt_function_parameter *given,
                                      const gt_argument *argument, const char *function,
                                      bool may_be_double, gt_place place)
{
    gt_element element;
    const gt_structure *structure = gt_structure_of(parse->template, argument->type);
    bool is_struct = structure && !structure->alias[0];
    if (argument->pointee[0]) {
        GT_REFUSE_AT(!given->pointer, place,
                     "'%s' takes '%s' as a value; expected a pointer, as args() says", function,
                     given->name);
        return GPUTUNE_OK;
    }
    GT_REFUSE_AT(given->has_type && given->pointer != argument->is_buffer, place,
                 "'%s' takes '%s' as a %s; expected a %s, as args() says", function, given->name,
                 given->pointer ? "pointer" : "value", argument->is_buffer ? "pointer" : "value");
    GT_REFUSE_AT(stands_for(given, texture), place,
                 "'%s' takes '%s' as a texture; expected texture(%s) beside args()", function,
                 given->name, argument->name);
    bool as_double = may_be_double && given->has_type && given->element.type == GT_TYPE_F64;
    bool known = given->has_type && !given->is_unusual && fixed_element(&element, argument);
    as_double = as_double && (!known || given->element.lanes == element.lanes);
    GT_REFUSE_AT((given->has_type && !given->is_unusual && is_struct) ||
                     (known && !as_double && element.bytes != given->element.bytes),
                 place, "'%s' takes '%s' as %s; expected %s, as args() says", function, given->name,
                 given->words, argument->type);
    return GPUTUNE_OK;
}

/* An offset of 0 is no flag, which is proved with 1 as well: its value is a stated one. */
static void note_offset(gt_argument *argument, const gt_function_parameter *given, const char *text,
                        const gt_function *function)
{
    gt_element element;
    bool may_be = !argument->is_buffer && function->plain && fixed_element(&element, argument) &&
                  !gt_type_is_float(element.type) && element.type != GT_TYPE_BOOL;
    argument->is_stated |= may_be && gt_function_adds(text, function, given->name);
}

static gputune_status check_count(size_t given, size_t expected, const char *function,
                                  const char *more, gt_place place)
{
    return given == expected ? GPUTUNE_OK
                             : gt_fail_at(place, "'%s' takes %zu parameter%s; expected %zu%s",
                                          function, given, gt_plural(given), expected, more);
}

static gputune_status check_type(const gt_function_parameter *given, const char *type,
                                 const char *expected, const char *function, gt_place place)
{
    GT_REFUSE_AT(!stands_for(given, type), place, "'%s' takes '%s' as %s%s; expected %s", function,
                 given->name, given->words, given->pointer ? " *" : "", expected);
    return GPUTUNE_OK;
}

static gputune_status check_shared(const gt_function *function, const gt_kernel_name *kernel,
                                   const gt_expression *shared, const char *form, const char *text)
{
    GT_REFUSE_AT(!shared && function->plain && gt_function_has_dynamic_shared(text, function),
                 kernel->place,
                 "'%s' has an array 'extern __shared__', which has no bytes here; expected %s",
                 kernel->name, form);
    return GPUTUNE_OK;
}

bool gt_template_lacks_shared(const gt_template *template)
{
    const gt_template_parts *parts = template->parts;
    const gt_function all = {.end = strlen(parts->kernel_body.text)};
    bool lacks = gt_function_has_dynamic_shared(parts->kernel_body.text, &all);
    for (uint32_t i = 0; i < parts->step_count; i++) {
        lacks = lacks && !parts->steps[i].shared;
    }
    return lacks;
}

static void append_block(gt_text *out, const char *name)
{
    gt_text_printf(out, "%sGPUTUNE_PARAM(%s)", out->length ? " " : "", name);
}

/* What a single kernel's parameters begin and end with, beside args() and scratch(). */
static gputune_status check_surroundings(const gt_parse *parse, const gt_template_step *step,
                                         const gt_signature *given)
{
    const gt_template *template = parse->template;
    const gt_place place = step->kernel.place;
    GT_SCOPED(gt_text_free) gt_text found = {0};
    GT_SCOPED(gt_text_free) gt_text expected = {0};
    uint32_t maps = 0;
    for (uint32_t i = 0; i < given->block_count; i++) {
        append_block(&found, given->blocks[i]);
        gt_text_append(&found, given->has_comma[i] ? " and a comma" : "");
    }
    for (uint32_t i = 0; i < template->pass_count; i++) {
        if (template->passes[i].axis >= 0) {
            append_block(&expected, template->passes[i].name);
        }
    }
    GT_TRY(found.failed || expected.failed ? gt_fail_memory() : GPUTUNE_OK);
    GT_REFUSE_AT(strcmp(gt_text_string(&found), gt_text_string(&expected)) != 0, place,
                 "the parameters of '%s' begin with %s; expected %s", template->name,
                 found.length ? found.data : "no block",
                 expected.length ? expected.data : "no block");
    for (uint32_t i = 0; i < parse->parts->map_count; i++) {
        maps += !parse->parts->maps[i].replaces;
    }
    return check_count(
        given->count, template->taken_count + parse->parts->scratch_count + maps, template->name,
        maps ? ", those of args(), scratch() and tensormap()" : ", those of args() and scratch()",
        place);
}

/* The parameter that takes an expression is an integer of a type that is known here. What the
 * expression uses reaches the code as a template argument does: its names may be parameters'. */
static gputune_status check_value(gt_body *body, gt_template_value *value,
                                  const gt_function_parameter *given, const char *function)
{
    const gt_element *element = &given->element;
    body->arguments |= gt_axes_used(value->value);
    GT_REFUSE_AT(value->base ? !given->pointer
                             : !given->has_type || given->pointer || element->lanes != 1 ||
                                   gt_type_is_float(element->type),
                 value->value->place, "'%s' takes '%s' as %s%s; expected %s, which '%s%s' gives it",
                 function, given->name, given->words, given->pointer ? " *" : "",
                 value->base ? "a pointer" : "an integer type such as int", value->base ? "+ " : "",
                 value->value->text);
    if (value->base) {
        *value = (gt_template_value){value->value, 8, true, value->base};
        return GPUTUNE_OK;
    }
    value->bytes = element->bytes;
    value->is_signed = !gt_type_holds(element->type, INT64_MAX) ? gt_type_holds(element->type, -1)
                                                                : element->type == GT_TYPE_I64;
    return GPUTUNE_OK;
}

/* The parameters of one step; scratch is a pointer. */
static gputune_status check_step(gt_template_step *step, const gt_parse *parse, const char *text)
{
    const gt_template *template = parse->template;
    const bool one = !parse->parts->is_pipeline;
    const uint32_t values = template->argument_count + parse->parts->scratch_count;
    gt_function function;
    gt_signature given;
    const gt_place place = step->kernel.place;
    GT_TRY(find_function(&function, text, &step->kernel));
    GT_TRY(check_shared(&function, &step->kernel, step->shared,
                        one ? "shared(BYTES), as in shared(4 * BLOCK)"
                            : "it in launch(), as in launch(KERNEL, shared = 4 * BLOCK, …)",
                        text));
    if (!gt_function_signature(&given, text, &function)) {
        return GPUTUNE_OK;
    }
    const gt_function_parameter *parameters = given.items;
    GT_TRY(one ? check_surroundings(parse, step, &given)
               : check_count(given.count, step->argument_count, step->kernel.name,
                             ", those of args = (…), or without it those of args() and scratch()",
                             place));
    for (uint32_t i = 0; i < (one ? template->taken_count : step->argument_count); i++) {
        uint32_t index = one ? i : step->arguments[i];
        if (index >= values) {
            gt_template_value *value = &parse->parts->computed[index - values];
            GT_TRY(
                check_value(&parse->parts->kernel_body, value, &parameters[i], step->kernel.name));
            index = value->base ? value->base - 1 : index;
        }
        if (gt_map_of_argument(template, index) >= 0) {
            GT_TRY(check_type(&parameters[i], "CUtensorMap",
                              "const __grid_constant__ CUtensorMap, as tensormap() says",
                              step->kernel.name, place));
        } else if (gt_texture_of_argument(template, index) >= 0) {
            GT_TRY(check_type(&parameters[i], texture, "cudaTextureObject_t, as texture() says",
                              step->kernel.name, place));
        } else if (index < template->argument_count) {
            gt_argument *argument = &parse->template->arguments[index];
            GT_TRY(
                check_parameter(parse, &parameters[i], argument, step->kernel.name, false, place));
            note_offset(argument, &parameters[i], text, &function);
        }
    }
    return GPUTUNE_OK;
}

/* The name of a pipeline is that of no function. */
static gputune_status check_steps(const gt_parse *parse, const char *text)
{
    gt_template_parts *parts = parse->parts;
    GT_REFUSE_AT(parts->is_pipeline && parts->kernel.is_template, parts->kernel.place,
                 "template arguments beside launch(); expected them in each launch()");
    for (uint32_t i = 0; i < parts->step_count; i++) {
        GT_TRY(gt_bind_kernel_arguments((gt_parse *)parse, &parts->kernel_body,
                                        &parts->steps[i].kernel));
        GT_TRY(check_step(&parts->steps[i], parse, text));
    }
    return gt_instances_name(parts);
}

/* What stands behind the arguments. */
typedef struct extra {
    bool is_reference; /* may be `scale`, and outputs may be double */
    const char *words; /* for messages */
} extra;

static const extra of_reference = {true, ", those of args(), or one more named 'scale'"};
static const extra of_check = {false, ": those of the kernel and 'unsigned long long *wrong'"};
static const extra of_init = {false, ": those of args() and 'unsigned long long seed'"};

/* The arguments come behind the blocks' pointers. */
static gputune_status check_judge_parameters(gt_judge *judge, const gt_parse *parse,
                                             const gt_signature *takes, const extra *extra)
{
    const gt_template *template = parse->template;
    const gt_function_parameter *parameters = takes->items;
    const size_t count = takes->count;
    size_t first = 0;
    for (uint32_t i = 0; i < template->pass_count; i++) {
        first += template->passes[i].axis >= 0; /* a constant() is where its symbol is */
    }
    size_t made = (size_t)__builtin_popcountll(judge->copied) + judge->value_count;
    size_t expected = template->taken_count + first + !extra->is_reference + made;
    const gt_function_parameter *last = count ? &parameters[count - 1] : NULL;
    judge->scale =
        last && extra->is_reference && count == expected + 1 && strcmp(last->name, "scale") == 0;
    GT_TRY(check_count(count - judge->scale, expected, judge->kernel.name, extra->words,
                       judge->kernel.place));
    for (uint32_t i = 0; i < template->taken_count; i++) {
        const gt_argument *argument = &template->arguments[i];
        const gt_function_parameter *given = &parameters[first + i];
        bool may_be_double =
            extra->is_reference && argument->is_buffer && argument->direction != GT_IN;
        GT_TRY(check_parameter(parse, given, argument, judge->kernel.name, may_be_double,
                               judge->kernel.place));
        bool is_double = given->has_type && given->element.type == GT_TYPE_F64;
        judge->double_mask |= (uint64_t)(may_be_double && is_double) << i;
        judge->unread_mask |= (uint64_t)(may_be_double && !given->has_type) << i;
    }
    judge->scale_bytes =
        judge->scale && last && last->has_type ? gt_type_bytes(last->element.type) : 8;
    return GPUTUNE_OK;
}

static gputune_status check_self(const gt_parse *parse)
{
    const gt_judge *judge = &parse->parts->reference;
    GT_REFUSE_AT(judge->self && parse->parts->check.present, judge->kernel.place,
                 "reference(self) beside check(); expected one of them");
    return GPUTUNE_OK;
}

/* Finds the first __device__ variable that the function assigns to, in whole or an element. */
static bool sets_variable(char name[GT_NAME_MAX], const gt_parse *parse, const char *text,
                          const gt_function *function)
{
    gt_token type;
    gt_lexer lexer = gt_function_body(text, function), behind, found;
    for (; lexer.token.kind != GT_TOKEN_END; gt_lexer_next(&lexer)) {
        behind = lexer;
        gt_lexer_next(&behind);
        while (gt_token_is_any(&behind.token, "[ .")) {
            if (gt_lexer_accept(&behind, ".")) {
                gt_lexer_next(&behind);
            } else {
                gt_lexer_skip(&behind, "[", "]");
            }
        }
        if (gt_token_is_any(&behind.token, "= += -= *= ++") &&
            gt_token_copy(name, GT_NAME_MAX, &lexer.token) &&
            gt_declares_constant(&type, &found, parse, name)) {
            return true;
        }
    }
    return false;
}

static gputune_status check_judge(gt_judge *judge, const gt_parse *parse, const char *text,
                                  const extra *extra)
{
    gt_function function;
    gt_signature takes;
    char name[GT_NAME_MAX];
    if (!judge->present) {
        return GPUTUNE_OK;
    }
    GT_REFUSE_AT(gt_step_of(parse->parts, judge->kernel.name) < parse->parts->step_count,
                 judge->kernel.place,
                 "'%s' is the kernel itself, which is not compiled as its own judge; expected "
                 "another kernel%s",
                 judge->kernel.name, extra->is_reference ? ", or reference(self)" : "");
    GT_TRY(find_function(&function, text, &judge->kernel));
    GT_REFUSE_AT(!gt_function_signature(&takes, text, &function) || takes.count > GT_PARAMETER_MAX,
                 judge->kernel.place,
                 "the parameters of '%s' cannot be read; expected them without directives",
                 judge->kernel.name);
    GT_REFUSE_AT(
        extra == &of_init && sets_variable(name, parse, text, &function), judge->kernel.place,
        "'%s' sets the __device__ variable '%s', of which the kernel and its reference have copies "
        "of their own; expected constant(%s : TYPE[COUNT]), or a buffer in args()",
        judge->kernel.name, name, name);
    GT_REFUSE_AT(takes.block_count > 0, judge->kernel.place,
                 "'%s' begins its parameters with GPUTUNE_PARAM; expected a plain const pointer to "
                 "the block",
                 judge->kernel.name);
    return check_judge_parameters(judge, parse, &takes, extra);
}

/* Whether the function's parameters are those of args() and scratch(). */
static bool fits_arguments(const gt_parse *parse, const char *text, const gt_function *function)
{
    const gt_template *template = parse->template;
    gt_signature takes;
    bool fits = gt_function_signature(&takes, text, function) &&
                takes.count == template->taken_count + parse->parts->scratch_count;
    for (uint32_t i = 0; i < template->taken_count && fits; i++) {
        const gt_argument *argument = &template->arguments[i];
        const gt_function_parameter *given = &takes.items[i];
        gt_element element;
        const bool known = given->has_type && fixed_element(&element, argument);
        fits = given->pointer == (argument->is_buffer || argument->pointee[0]) &&
               (!known || given->element.type == element.type);
    }
    return fits;
}

void gt_overloads_blank(const gt_parse *parse, char *text)
{
    const gt_kernel_name *kernel = &parse->parts->steps[0].kernel;
    gt_function function;
    bool has = false;
    if (parse->parts->is_pipeline || parse->parts->step_count == 0 || kernel->is_template) {
        return;
    }
    for (int pass = 0; pass < 1 + has; pass++) {
        for (size_t at = 0; gt_function_find(&function, text, kernel->name, at);) {
            const bool fits = fits_arguments(parse, text, &function);
            has |= fits && function.is_definition;
            at = function.next;
            if (pass == 1 && !fits && function.plain) {
                gt_blank(text, function.begin, function.end);
            }
        }
    }
}

gputune_status gt_functions_check(gt_parse *parse, const char *text)
{
    gt_template_parts *parts = parse->parts;
    gt_body *judge = &parts->judge_body;
    GT_TRY(gt_bind_kernel_arguments(parse, judge, &parts->reference.kernel));
    GT_TRY(gt_bind_kernel_arguments(parse, judge, &parts->check.kernel));
    GT_TRY(gt_bind_kernel_arguments(parse, parts->reference.self ? &parts->kernel_body : judge,
                                    &parts->init.kernel));
    GT_TRY(check_steps(parse, text));
    GT_TRY(check_self(parse));
    GT_TRY(check_judge(&parts->reference, parse, text, &of_reference));
    GT_TRY(check_judge(&parts->check, parse, text, &of_check));
    return check_judge(&parts->init, parse, text, &of_init);
}
