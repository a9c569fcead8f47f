/* Checks that the functions named in clauses exist, and that their parameters match the clauses. */
#include "kernel/template/parse.h"

#include "base/number.h"
#include "kernel/template/structure.h"
#include "kernel/text/branches.h"
#include "kernel/text/declarations.h"
#include "kernel/text/functions.h"
#include "kernel/text/types.h"

#include <stdio.h>
#include <string.h>

/* Sets the name of a kernel in compiled code. This is the qualified name for a C++ template, and
 * the plain name otherwise, because the kernel is then extern "C". */
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
    kernel->qualified = (size_t)length;
    return GPUTUNE_OK;
}

static gputune_status check_instance(const gt_kernel_name *kernel, const gt_function *function,
                                     const char *text)
{
    char missing[GT_NAME_MAX];
    gt_lexer item, arguments = kernel->arguments;
    size_t given = 0;
    while (gt_lexer_item(&item, &arguments)) {
        given++;
    }
    size_t needed = gt_function_needs(missing, text, function, given);
    GT_REFUSE_AT(given < needed, kernel->place,
                 "'%s' has %zu template argument%s; expected %zu, the next for '%s'", kernel->name,
                 given, gt_plural(given), needed, missing);
    return GPUTUNE_OK;
}

typedef struct checked {
    gt_parse *p;
    const char *text;
    const gt_function_list *functions; /* all functions that `text` declares */
    gt_kernel_name *kernel;
    gt_function function;
    gt_signature takes;
} checked;

/* Fails if a bracket is never closed, because functions after it could not be found. */
static gputune_status check_brackets(const gt_source_file *file)
{
    enum { DEPTH_MOST = 64 };
    static const char opening[] = "([{", closing[] = ")]}";
    gt_place places[DEPTH_MOST];
    char expected[DEPTH_MOST];
    size_t depth = 0;
    bool fits = true;
    gt_lexer lexer, line;
    gt_lexer_open(&lexer, file->text, strlen(file->text), (gt_place){file->path, 1, 1});
    while (lexer.token.kind != GT_TOKEN_END && depth < DEPTH_MOST && fits) {
        const gt_token *token = &lexer.token;
        const bool is_bracket = token->kind == GT_TOKEN_PUNCTUATION && token->length == 1;
        const char *open = is_bracket ? strchr(opening, *token->text) : NULL;
        if (token->kind == GT_TOKEN_DIRECTIVE) {
            gt_lexer_directive(&lexer, &line);
            continue;
        }
        if (open) {
            places[depth] = gt_lexer_place(&lexer);
            expected[depth++] = closing[open - opening];
        } else if (is_bracket && strchr(closing, *token->text)) {
            fits = depth > 0 && expected[depth - 1] == *token->text;
            depth -= fits;
        }
        gt_lexer_next(&lexer);
    }
    GT_REFUSE_AT(depth > 0, places[depth - 1], "this bracket is not closed; expected '%c'",
                 expected[depth - 1]);
    return GPUTUNE_OK;
}

static gputune_status find_function(checked *c)
{
    gt_kernel_name *kernel = c->kernel;
    const gt_function *function = &c->function;
    bool found = false;
    /* if the template is only declared here, its specialisations may define it */
    for (size_t i = 0; i < c->functions->count && !(found && function->is_definition); i++) {
        const gt_function *own = &c->functions->items[i];
        if ((own->is_definition || own->is_template) && !own->is_specialisation &&
            gt_function_is(own, c->text, kernel->name)) {
            c->function = *own;
            found = true;
        }
    }
    if (!found) {
        GT_TRY(check_brackets(&c->p->parts->files[0]));
    }
    GT_REFUSE_AT(!found, kernel->place,
                 "no __global__ function '%s'; expected its definition in this file", kernel->name);
    GT_REFUSE_AT(function->is_template && !kernel->is_template, kernel->place,
                 "'%s' is a C++ template; expected its arguments, as in %s<T, BLOCK>, each a "
                 "tunable, a compile-time problem value or a constant",
                 kernel->name, kernel->name);
    GT_REFUSE_AT(kernel->is_template && !function->is_template, kernel->place,
                 "'%s' is not a C++ template; expected it without template arguments",
                 kernel->name);
    if (kernel->is_template) {
        GT_TRY(check_instance(kernel, function, c->text));
    }
    return note_entry(kernel, function);
}

static const char texture[] = "cudaTextureObject_t";

static bool stands_for(const gt_function_parameter *given, const char *type)
{
    return strcmp(given->words, type) == 0 && !given->pointer;
}

/* Returns true if a kernel parameter of type `given` would misread data of the type in args(). In
 * buffers, a kernel may read floats as integers of the same size, or integers as floats, because
 * some kernels work on bits. */
static bool is_misread(const gt_element *given, const gt_element *declared, bool is_buffer)
{
    const bool is_float = gt_type_is_float(declared->type);
    return given->bytes != declared->bytes ||
           (is_float == gt_type_is_float(given->type) ? is_float && given->type != declared->type
                                                      : !is_buffer);
}

static gputune_status check_parameter(const checked *c, const gt_function_parameter *given,
                                      const gt_argument *argument, bool may_be_double)
{
    gt_element element;
    const char *function = c->kernel->name;
    const gt_place place = c->kernel->place;
    const gt_structure *structure = gt_structure_of(c->p->template, argument->type);
    bool is_struct = structure && !structure->alias[0];
    /* like void *, a char * parameter accepts any buffer */
    const bool is_bytes = given->pointer && strcmp(given->words, "char") == 0;
    if (argument->pointee[0]) {
        GT_REFUSE_AT(!given->pointer, place,
                     "'%s' takes '%s' as a value; expected a pointer, as declared in args()",
                     function, given->name);
        return GPUTUNE_OK;
    }
    GT_REFUSE_AT(given->has_type && given->pointer != argument->is_buffer, place,
                 "'%s' takes '%s' as a %s; expected a %s, as declared in args()", function,
                 given->name, given->pointer ? "pointer" : "value",
                 argument->is_buffer ? "pointer" : "value");
    GT_REFUSE_AT(stands_for(given, texture), place,
                 "'%s' takes '%s' as a texture; expected texture(%s) beside args()", function,
                 given->name, argument->name);
    bool as_double = may_be_double && given->has_type && given->element.type == GT_TYPE_F64;
    const bool has_type = given->has_type && !given->is_unusual && !is_bytes;
    bool known = has_type && gt_element_from_name(&element, argument->type);
    as_double = as_double && (!known || given->element.lanes == element.lanes);
    GT_REFUSE_AT(
        (has_type && is_struct) ||
            (known && !as_double && is_misread(&given->element, &element, argument->is_buffer)),
        place, "'%s' takes '%s' as %s; expected %s, as declared in args()", function, given->name,
        given->words, argument->type);
    return GPUTUNE_OK;
}

static gputune_status check_written(const checked *c, const gt_function_parameter *given,
                                    const gt_argument *argument)
{
    GT_REFUSE_AT(argument->direction == GT_OUT && given->pointer && given->is_const,
                 c->kernel->place,
                 "'%s' takes '%s' as a pointer to const, but args() has '%s' "
                 "there, which is written; expected "
                 "a pointer to non-const, and args() in the order of the kernel's parameters",
                 c->kernel->name, given->name, argument->name);
    return GPUTUNE_OK;
}

/* Marks a scalar as an offset if the kernel adds it to another value. Without this mark, a scalar
 * whose default is 0 would count as a flag, and the proof would change it to 1. */
static void note_offset(gt_argument *argument, const checked *c, const gt_function_parameter *given)
{
    gt_element element;
    bool may_be = !argument->is_buffer && c->function.plain &&
                  gt_element_from_name(&element, argument->type) &&
                  !gt_type_is_float(element.type) && element.type != GT_TYPE_BOOL;
    argument->keeps |= may_be && gt_function_adds(c->text, &c->function, given->name);
}

/* Checks the number of parameters. If `has_scale`, the parameter `scale` is not counted. */
static gputune_status check_count(const checked *c, bool has_scale, size_t expected,
                                  const char *more)
{
    const size_t given = c->takes.count - has_scale;
    GT_REFUSE_AT(given != expected, c->kernel->place, "'%s' takes %zu parameter%s; expected %zu%s",
                 c->kernel->name, given, gt_plural(given), expected, more);
    return GPUTUNE_OK;
}

static gputune_status check_type(const checked *c, const gt_function_parameter *given,
                                 const char *type, const char *expected)
{
    GT_REFUSE_AT(!stands_for(given, type), c->kernel->place, "'%s' takes '%s' as %s%s; expected %s",
                 c->kernel->name, given->name, given->words, given->pointer ? " *" : "", expected);
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

static bool is_initialised(const gt_word *words, size_t at, size_t end)
{
    for (at++; at < end && words[at].id == GT_IS_OPEN_BRACKET; at++) {
        at = gt_word_close(words, end, at);
    }
    return at < end && gt_token_is_any(&words[at].token, "= { (");
}

static bool is_used(const char *text, const gt_token *name)
{
    return gt_lexer_has(gt_lexer_on(text, (size_t)(name->text - text)), name) ||
           gt_lexer_has(gt_lexer_of(name->text + name->length), name);
}

/* Finds the __constant__ with the name `wanted`, if it has a value. If `wanted` is NULL, finds the
 * first __constant__ that is used but gets no value from the code or a clause. Copies its name to
 * `out`. */
static bool find_constant(char out[GT_NAME_MAX], const gt_template *template, const char *wanted)
{
    gt_declarations code;
    bool found = false;
    if (gt_declarations_find(&code, template->parts->kernel_body.text) != GPUTUNE_OK) {
        return false;
    }
    const gt_word *words = code.words.items;
    for (size_t p = 0; p < code.items.count && !found; p++) {
        const gt_piece *piece = &code.items.items[p];
        const bool is_extern = words[piece->begin].id == GT_IS_EXTERN &&
                               words[piece->begin + 1].token.kind != GT_TOKEN_STRING;
        const bool declares = piece->kind == GT_PIECE_VARIABLE && !is_extern;
        const size_t mark = gt_word_find(words, piece->begin, piece->end, GT_IS_CONSTANT);
        for (size_t k = 0; k < piece->keys && declares && !found; k++) {
            const uint32_t key = code.keys.items[piece->first_key + k];
            const size_t at = gt_word_find(words, mark, piece->end, key);
            if (at < piece->end) {
                const bool has_value = is_initialised(words, at, piece->end);
                gt_token_name(out, &words[at].token);
                found = wanted ? has_value && strcmp(out, wanted) == 0
                               : !has_value && is_used(code.macros.text, &words[at].token) &&
                                     GT_NAMED(template->passes, template->pass_count, out) < 0;
            }
        }
    }
    gt_declarations_free(&code);
    return found;
}

bool gt_template_leaves_constant(char out[GT_NAME_MAX], const gt_template *template)
{
    return find_constant(out, template, NULL);
}

bool gt_template_gives_constant(const gt_template *template, const char *name)
{
    char found[GT_NAME_MAX];
    return find_constant(found, template, name);
}

static void append_block(gt_text *out, const char *name)
{
    gt_text_printf(out, "%sGPUTUNE_PARAM(%s)", out->length ? " " : "", name);
}

static gputune_status check_surroundings(const checked *c)
{
    const gt_template *template = c->p->template;
    const gt_template_parts *parts = template->parts;
    const gt_signature *given = &c->takes;
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
    if (found.failed || expected.failed) {
        return gt_fail_memory();
    }
    GT_REFUSE_AT(strcmp(gt_text_string(&found), gt_text_string(&expected)) != 0, c->kernel->place,
                 "the parameters of '%s' begin with %s; expected %s", template->name,
                 found.length ? found.data : "no block",
                 expected.length ? expected.data : "no block");
    for (uint32_t i = 0; i < parts->map_count; i++) {
        maps += !parts->maps[i].replaces;
    }
    const uint32_t scratch = template->parameter_count - template->argument_count;
    return check_count(c, false, template->taken_count + scratch + maps,
                       maps ? ", those of args(), scratch() and tensormap()"
                            : ", those of args() and scratch()");
}

static gputune_status check_value(const checked *c, gt_template_value *value,
                                  const gt_function_parameter *given)
{
    const gt_element *element = &given->element;
    c->p->parts->kernel_body.arguments |= gt_axes_used(value->value);
    GT_REFUSE_AT(value->base ? !given->pointer
                             : !given->has_type || given->pointer || element->lanes != 1 ||
                                   gt_type_is_float(element->type),
                 value->value->place, "'%s' takes '%s' as %s%s; expected %s, the type of '%s%s'",
                 c->kernel->name, given->name, given->words, given->pointer ? " *" : "",
                 value->base ? "a pointer" : "an integer type such as int", value->base ? "+ " : "",
                 value->value->text);
    value->type = element->type == GT_TYPE_BOOL ? GT_TYPE_U8 : element->type;
    value->type = value->base ? GT_TYPE_I64 : value->type;
    return GPUTUNE_OK;
}

static gputune_status check_taken(const checked *c, const gt_function_parameter *given,
                                  uint32_t index)
{
    gt_template *template = c->p->template;
    const uint32_t computed = gt_first_computed(template);
    if (index >= computed) {
        gt_template_value *value = &c->p->parts->computed[index - computed];
        GT_TRY(check_value(c, value, given));
        index = value->base ? value->base - 1 : index;
    }
    gt_argument *argument = &template->arguments[index];
    const bool is_added_map = index >= template->parameter_count && index < computed;
    if (index >= template->argument_count && !is_added_map) {
        return GPUTUNE_OK;
    }
    if (is_added_map || argument->map) {
        return check_type(c, given, "CUtensorMap",
                          "const __grid_constant__ CUtensorMap, as declared in tensormap()");
    }
    if (argument->texture) {
        return check_type(c, given, texture, "cudaTextureObject_t, as declared in texture()");
    }
    GT_TRY(check_parameter(c, given, argument, false));
    if (!c->p->parts->is_pipeline) {
        GT_TRY(check_written(c, given, argument));
    }
    note_offset(argument, c, given);
    return GPUTUNE_OK;
}

static gputune_status check_step(gt_template_step *step, checked *c)
{
    gt_parse *p = c->p;
    const char *text = c->text;
    const bool one = !p->parts->is_pipeline;
    c->kernel = &step->kernel;
    GT_TRY(find_function(c));
    GT_REFUSE_AT(!step->shared && c->function.plain &&
                     gt_function_has_dynamic_shared(text, &c->function),
                 step->kernel.place,
                 "'%s' has an 'extern __shared__' array, but its size is not given; expected %s",
                 step->kernel.name,
                 one ? "shared(BYTES), as in shared(4 * BLOCK)"
                     : "it in launch(), as in launch(KERNEL, shared = 4 * BLOCK, …)");
    if (!gt_function_signature(&c->takes, text, &c->function)) {
        return GPUTUNE_OK;
    }
    if (one) {
        GT_TRY(check_surroundings(c));
    } else {
        GT_TRY(check_count(c, false, step->argument_count,
                           ", those of args = (…), or without it those of args(), scratch() and "
                           "tensormap()"));
    }
    for (uint32_t i = 0; i < (one ? p->template->taken_count : step->argument_count); i++) {
        GT_TRY(check_taken(c, &c->takes.items[i], one ? i : step->arguments[i]));
    }
    return GPUTUNE_OK;
}

/* Checks the number of a judge's parameters, and the types of those after the parameter blocks. A
 * reference may declare outputs as double, and may have an additional parameter `scale`. The
 * kernels of check() and init() must have one more parameter. */
static gputune_status check_judge_parameters(gt_judge *judge, const checked *c)
{
    const gt_template *template = c->p->template;
    const gt_template_parts *parts = template->parts;
    const bool is_reference = judge == &parts->reference;
    const char *words = is_reference ? ", those of args(), or one more named 'scale'"
                                     : ": those of args() and 'unsigned long long seed'";
    words =
        judge == &parts->check ? ": those of the kernel and 'unsigned long long *wrong'" : words;
    const gt_function_parameter *parameters = c->takes.items;
    const size_t count = c->takes.count;
    size_t first = 0;
    for (uint32_t i = 0; i < template->pass_count; i++) {
        first += template->passes[i].axis >= 0; /* constant() blocks are not parameters */
    }
    size_t made = (size_t)__builtin_popcountll(judge->copied) + judge->value_count;
    size_t expected = template->taken_count + first + !is_reference + made;
    const gt_function_parameter *last = count ? &parameters[count - 1] : NULL;
    judge->scale =
        last && is_reference && count == expected + 1 && strcmp(last->name, "scale") == 0;
    GT_TRY(check_count(c, judge->scale, expected, words));
    for (uint32_t i = 0; i < template->taken_count; i++) {
        const gt_argument *argument = &template->arguments[i];
        const gt_function_parameter *given = &parameters[first + i];
        const bool is_result = is_reference && argument->direction != GT_IN;
        GT_TRY(check_parameter(c, given, argument, is_result));
        if (is_result) {
            const bool is_double = given->has_type && given->element.type == GT_TYPE_F64;
            GT_TRY(check_written(c, given, argument));
            judge->double_mask |= (uint64_t)is_double << i;
            judge->unread_mask |= (uint64_t)!given->has_type << i;
        }
    }
    judge->scale_bytes = 8;
    if (judge->scale && last->has_type) {
        judge->scale_bytes = gt_type_bytes(last->element.type);
    }
    return GPUTUNE_OK;
}

/* Finds the first __device__ variable that the function changes, even if only in part. */
static bool sets_variable(char name[GT_NAME_MAX], const checked *c)
{
    gt_token type;
    gt_lexer lexer = gt_function_body(c->text, &c->function), after, found;
    for (; lexer.token.kind != GT_TOKEN_END; gt_lexer_next(&lexer)) {
        after = lexer;
        gt_lexer_next(&after);
        while (gt_token_is_any(&after.token, "[ .")) {
            if (gt_lexer_accept(&after, ".")) {
                gt_lexer_next(&after);
            } else {
                gt_lexer_skip(&after, "[", "]");
            }
        }
        if (gt_token_is_any(&after.token, "= += -= *= ++") && lexer.token.kind == GT_TOKEN_NAME &&
            gt_declares_constant(&type, &found, c->p, gt_token_name(name, &lexer.token))) {
            return true;
        }
    }
    return false;
}

static gputune_status check_judge(gt_judge *judge, checked *c)
{
    gt_parse *p = c->p;
    const char *text = c->text;
    const gt_place place = judge->kernel.place;
    const char *function = judge->kernel.name;
    char name[GT_NAME_MAX];
    if (!judge->present) {
        return GPUTUNE_OK;
    }
    GT_REFUSE_AT(gt_step_of(p->parts, function) < p->parts->step_count, place,
                 "'%s' is the tuned kernel, which cannot judge itself; expected another kernel%s",
                 function, judge == &p->parts->reference ? ", or reference(self)" : "");
    c->kernel = &judge->kernel;
    GT_TRY(find_function(c));
    GT_REFUSE_AT(
        !gt_function_signature(&c->takes, text, &c->function) || c->takes.count > GT_PARAMETER_MAX,
        place, "the parameters of '%s' cannot be read; expected them without directives", function);
    GT_REFUSE_AT(
        judge == &p->parts->init && sets_variable(name, c), place,
        "'%s' sets the __device__ variable '%s', but the kernel and its reference have separate "
        "copies of it; expected constant(%s : TYPE[COUNT]), or a buffer in args()",
        function, name, name);
    GT_REFUSE_AT(c->takes.block_count > 0, place,
                 "'%s' begins its parameters with GPUTUNE_PARAM; expected a plain const pointer to "
                 "the block",
                 function);
    return check_judge_parameters(judge, c);
}

static bool fits_arguments(const gt_parse *parse, const char *text, const gt_function *function)
{
    const gt_template *template = parse->template;
    gt_signature takes;
    bool fits =
        gt_function_signature(&takes, text, function) &&
        takes.count == template->taken_count + template->parameter_count - template->argument_count;
    for (uint32_t i = 0; i < template->taken_count && fits; i++) {
        const gt_argument *argument = &template->arguments[i];
        const gt_function_parameter *given = &takes.items[i];
        gt_element element;
        const bool known = given->has_type && gt_element_from_name(&element, argument->type);
        fits = given->pointer == (argument->is_buffer || argument->pointee[0]) &&
               (!known || given->element.type == element.type);
    }
    return fits;
}

gputune_status gt_overloads_blank(const gt_parse *parse, char *text)
{
    const gt_kernel_name *kernel = &parse->parts->steps[0].kernel;
    const char *name = kernel->name;
    bool has = false;
    if (parse->parts->is_pipeline || parse->parts->step_count == 0) {
        return GPUTUNE_OK;
    }
    GT_FREED gt_function_list all = {0};
    GT_TRY(gt_functions_find(&all, text, &name, 1));
    for (size_t i = 0; i < all.count; i++) {
        has |= all.items[i].is_definition && fits_arguments(parse, text, &all.items[i]);
    }
    for (size_t i = 0; i < all.count && has; i++) {
        if (all.items[i].plain && !fits_arguments(parse, text, &all.items[i])) {
            gt_blank(text, all.items[i].begin, all.items[i].end);
        }
    }
    return GPUTUNE_OK;
}

/* Refuses prove() without reference() or check(), because the proof would not use its values. */
static gputune_status check_prove(const gt_parse *p)
{
    const gt_template_parts *parts = p->parts;
    bool is_used = parts->reference.present || parts->reference.self || parts->check.present;
    for (uint32_t i = 0; i < p->template->argument_count && !is_used; i++) {
        const gt_place place = p->template->arguments[i].proved[0].place;
        GT_REFUSE_AT(place.line > 0, place,
                     "prove() needs a reference() or check(); expected one of them");
    }
    return GPUTUNE_OK;
}

gputune_status gt_functions_check(gt_parse *p, const char *text)
{
    GT_TRY(check_prove(p));
    gt_template_parts *parts = p->parts;
    gt_judge *const reference = &parts->reference;
    const char *names[GT_STEPS_MAX + 3] = {reference->kernel.name, parts->check.kernel.name,
                                           parts->init.kernel.name};
    gt_body *judge = &parts->judge_body, *init = reference->self ? &parts->kernel_body : judge;
    GT_TRY(gt_bind_kernel_arguments(p, judge, &reference->kernel));
    GT_TRY(gt_bind_kernel_arguments(p, judge, &parts->check.kernel));
    GT_TRY(gt_bind_kernel_arguments(p, init, &parts->init.kernel));
    GT_REFUSE_AT(
        parts->is_pipeline && parts->kernel.is_template, parts->kernel.place,
        "kernel() has template arguments, but there is a launch(); expected them in each launch()");
    for (uint32_t i = 0; i < parts->step_count; i++) {
        names[3 + i] = parts->steps[i].kernel.name;
    }
    GT_FREED gt_function_list functions = {0};
    GT_TRY(gt_functions_find(&functions, text, names, 3 + parts->step_count));
    checked c = {.p = p, .text = text, .functions = &functions};
    for (uint32_t i = 0; i < parts->step_count; i++) {
        GT_TRY(gt_bind_kernel_arguments(p, &parts->kernel_body, &parts->steps[i].kernel));
        GT_TRY(check_step(&parts->steps[i], &c));
    }
    GT_TRY(gt_instances_name(parts));
    GT_REFUSE_AT(reference->self && parts->check.present, reference->kernel.place,
                 "reference(self) and check() cannot be combined; expected one of them");
    GT_TRY(check_judge(reference, &c));
    GT_TRY(check_judge(&parts->check, &c));
    return check_judge(&parts->init, &c);
}
