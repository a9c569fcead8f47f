/* Writes the clauses of a problem and of a kernel's arguments. */
#include "draft/trace.h"
#include "draft/write.h"

#include "kernel/structure.h"
#include "kernel/types.h"

#include "base/number.h"

#include <string.h>

/* ---- problem and arguments ------------------------------------------------------------------- */

void gt_draft_write_sizes(gt_draft_writer *w)
{
    gt_draft *draft = w->draft;
    if (draft->call) {
        bool has = gt_draft_has_clause(w, "problem");
        gt_text_append(w->out, has ? "" : gt_text_string(&draft->call->sizes));
        return;
    }
    for (size_t i = 0; i < draft->symbols.count; i++) {
        const gt_draft_symbol *symbol = &draft->symbols.items[i];
        const char *name = gt_draft_name_of(w, (uint16_t)i);
        if (!symbol->is_size || gt_draft_is_declared(w, name)) {
            continue;
        }
        gt_text_printf(w->out,
                       "// guess: '%s' is a size of the problem%s; the value to measure at\n", name,
                       symbol->kind == GT_DRAFT_SIZE ? " that is no parameter" : "");
        gt_text_printf(w->out, "#pragma gputune problem(%s = 1 << %d)\n", name,
                       __builtin_ctz((unsigned)symbol->value));
    }
}

/* A type that a caller chooses is that of integers where the launch gives one of its values as a
 * number. */
static bool is_integer_type(const gt_draft *draft, const char *type)
{
    bool is_integer = false;
    for (size_t i = 0; i < draft->parameter_count && draft->call; i++) {
        is_integer |= !draft->parameters[i].pointer &&
                      strcmp(draft->parameters[i].words, type) == 0 &&
                      gt_text_string(&draft->call->parameters[i].value)[0];
    }
    return is_integer;
}

static void write_type(gt_draft_writer *w, const char *type)
{
    const gt_draft_constant *constant = gt_draft_constant_of(w->draft, type);
    gt_text_printf(w->out, "#pragma gputune problem(type %s = %s)\n", type,
                   constant && constant->type[0]     ? constant->type
                   : is_integer_type(w->draft, type) ? "int, long long"
                                                     : "float, double");
}

void gt_draft_write_template_parameters(gt_draft_writer *w)
{
    gt_draft *draft = w->draft;
    for (size_t i = 0; i < draft->constants.count; i++) {
        const gt_draft_constant *constant = &draft->constants.items[i];
        if (!constant->is_template_parameter || gt_draft_is_declared(w, constant->name) ||
            gt_draft_is_block(draft, constant->name)) {
            continue;
        }
        if (constant->is_type) {
            gt_text_append(w->out, "// guess: the types to compile for\n");
            write_type(w, constant->name);
            continue;
        }
        gt_text_printf(w->out,
                       "// guess: what is computed depends on %s; if it does not, it is an axis: "
                       "tune(%s = …)\n#pragma gputune problem(const %s = %.0f)\n",
                       constant->name, constant->name, constant->name,
                       constant->has_value ? constant->value : 1);
    }
}

/* Names that the text uses and nothing defines, as far as indices have them. */
static void write_undefined_of(gt_draft_writer *w, const gt_polynomial *p)
{
    gt_powers at = {0};
    for (const gt_power *power; (power = gt_polynomial_next(p, &at));) {
        gt_draft_symbol *symbol = &w->draft->symbols.items[power->symbol];
        if (symbol->kind == GT_DRAFT_CONSTANT && !symbol->is_size &&
            !gt_draft_is_block(w->draft, symbol->name) &&
            !gt_draft_constant_of(w->draft, symbol->name) &&
            !gt_draft_is_declared(w, symbol->name)) {
            symbol->is_size = true; /* said once */
            gt_text_printf(w->out,
                           "// guess: nothing here defines '%s'\n"
                           "#pragma gputune problem(const %s = 1)\n",
                           symbol->name, symbol->name);
        }
    }
}

/* What a tuner defines is an axis, unless lengths depend on it. */
static void write_named(gt_draft_writer *w, const gt_draft_constant *constant)
{
    const gt_draft *draft = w->draft;
    int symbol = gt_draft_find_symbol(draft, constant->name);
    bool is_fixed = false;
    for (uint32_t i = 0; i < draft->buffer_count && symbol > 0; i++) {
        is_fixed |= gt_polynomial_has(&draft->buffers[i].length, (uint16_t)symbol);
    }
    if (gt_draft_is_block(draft, constant->name) || gt_draft_is_declared(w, constant->name)) {
        return;
    }
    gt_draft_comparison usual = {.numbers = {1, 2, 4}, .count = 3};
    const gt_token name = {GT_TOKEN_NAME, constant->name, strlen(constant->name), 0, 0};
    const gt_draft_comparison *compared = gt_draft_compared_with(draft->compared, &name);
    if (is_fixed) {
        gt_text_printf(w->out,
                       "// guess: nothing here defines '%s'\n"
                       "#pragma gputune problem(const %s = %lld)\n",
                       constant->name, constant->name,
                       compared ? (long long)compared->numbers[0] : 1LL);
        return;
    }
    usual = compared ? *compared : usual;
    if (usual.count == 1 && !usual.is_told && (usual.numbers[0] == 0 || usual.numbers[0] == 1)) {
        usual.numbers[usual.count++] = 1 - usual.numbers[0]; /* a switch */
    }
    gt_text_printf(w->out,
                   "// guess: nothing here defines '%s', so that it is an axis\n"
                   "#pragma gputune tune(%s = ",
                   constant->name, constant->name);
    for (size_t i = 0; i < usual.count; i++) {
        gt_text_printf(w->out, "%s%lld", i ? ", " : "", (long long)usual.numbers[i]);
    }
    gt_text_append(w->out, ")\n");
}

void gt_draft_write_undefined(gt_draft_writer *w)
{
    gt_draft *draft = w->draft;
    for (size_t i = 0; i < draft->constants.count; i++) {
        if (draft->constants.items[i].is_undefined) {
            write_named(w, &draft->constants.items[i]);
        }
    }
    for (size_t i = 0; i < draft->accesses.count; i++) {
        gt_polynomial plain = gt_draft_expand(draft, draft->accesses.items[i].index, true);
        write_undefined_of(w, &plain);
    }
    for (uint32_t i = 0; i < draft->buffer_count; i++) {
        write_undefined_of(w, &draft->buffers[i].length);
    }
    for (uint16_t d = 0; d < 3; d++) {
        write_undefined_of(w, &draft->dimensions[d].size);
        write_undefined_of(w, &draft->dimensions[d].step);
    }
}

/* *out is NULL where the name is of no struct and of no other type's name. */
static gputune_status find_structure(const gt_structure **out, const gt_draft_writer *w,
                                     const char *name)
{
    gt_template template = {.parts = w->present->parts};
    gt_parse parse = {.template = &template, .parts = w->present->parts, .code = w->draft->text};
    *out = NULL;
    return gt_structure_find(out, &parse, name);
}

static bool is_float(const gt_draft *draft, const gt_function_parameter *parameter)
{
    const gt_draft_constant *constant = gt_draft_constant_of(draft, parameter->words);
    gt_element element;
    if (constant && gt_element_from_name(&element, constant->type)) {
        return gt_type_is_float(element.type);
    }
    return parameter->has_type
               ? gt_type_is_float(parameter->element.type)
               : constant && constant->is_type && !is_integer_type(draft, parameter->words);
}

/* Whether something declares the type: a struct, another name of a type, or a template. */
static bool is_known_type(gt_draft_writer *w, const gt_function_parameter *parameter)
{
    const gt_structure *structure;
    return parameter->has_type || strchr(parameter->words, ' ') ||
           gt_draft_constant_of(w->draft, parameter->words) ||
           gt_draft_is_declared(w, parameter->words) ||
           find_structure(&structure, w, parameter->words) != GPUTUNE_OK || structure;
}

void gt_draft_resolve_types(gt_draft *draft, const gt_reader *present)
{
    const gt_draft_writer own = {.draft = draft, .present = present}, *w = &own;
    for (size_t i = 0; i < draft->parameter_count; i++) {
        gt_function_parameter *parameter = &draft->parameters[i];
        const gt_structure *structure;
        const char *name = parameter->words;
        while (!parameter->has_type && find_structure(&structure, w, name) == GPUTUNE_OK &&
               structure && structure->alias[0]) {
            name = structure->alias;
            parameter->has_type = gt_element_from_name(&parameter->element, name);
        }
        char words[GT_NAME_MAX];
        bool by_macro;
        memcpy(words, parameter->words, sizeof words);
        if (!parameter->has_type && draft->program &&
            gt_trace_bytes(draft->program, words, &by_macro) > 0 && by_macro) {
            memcpy(parameter->words, words, sizeof words);
            parameter->has_type = gt_element_from_name(&parameter->element, words);
        }
    }
}

void gt_draft_write_types(gt_draft_writer *w)
{
    const gt_draft *draft = w->draft;
    for (size_t i = 0; i < draft->parameter_count; i++) {
        const gt_function_parameter *parameter = &draft->parameters[i];
        bool again = false;
        for (size_t k = 0; k < i; k++) {
            again |= strcmp(draft->parameters[k].words, parameter->words) == 0;
        }
        if (!again && !is_known_type(w, parameter)) {
            gt_text_printf(w->out,
                           "// guess: nothing here declares '%s'; the types to compile for\n",
                           parameter->words);
            write_type(w, parameter->words);
        }
    }
}

gt_polynomial gt_draft_whole_problem(const gt_draft *draft)
{
    gt_polynomial all = gt_polynomial_number(1);
    for (uint16_t d = 0; d < 3; d++) {
        all = gt_polynomial_multiply(&all, &draft->dimensions[d].size);
    }
    return all;
}

const char *gt_draft_direction(const gt_draft *draft, const gt_draft_buffer *buffer)
{
    if (draft->parameters[buffer->parameter].is_const || !buffer->is_written) {
        return "in";
    }
    return buffer->is_read ? "inout" : "out";
}

/* A text of the launch's names as a sum; not known: it is none. */
static gt_polynomial sum_of(gt_draft *draft, const gt_text *text)
{
    gt_lexer lexer;
    gt_lexer_open(&lexer, gt_text_string(text), text->length, (gt_place){"", 1, 1});
    gt_polynomial sum = gt_draft_read_sum(draft, &lexer);
    return lexer.token.kind == GT_TOKEN_END ? sum : gt_polynomial_unknown();
}

/* With the launch's values in the place of parameters. */
static gt_polynomial with_values(gt_draft *draft, gt_polynomial p)
{
    for (size_t i = 0; i < draft->parameter_count && draft->call; i++) {
        const gt_text *value = &draft->call->parameters[i].value;
        int symbol = gt_draft_find_symbol(draft, draft->parameters[i].name);
        if (value->length > 0 && symbol > 0 && gt_polynomial_has(&p, (uint16_t)symbol)) {
            const gt_polynomial own = sum_of(draft, value);
            p = gt_polynomial_replace(&p, (uint16_t)symbol, &own);
        }
    }
    return p;
}

/* How many elements the buffer has, as far as that is a sum. */
static gt_polynomial length_of(gt_draft *draft, const gt_draft_buffer *buffer)
{
    const gt_text *called = draft->call ? &draft->call->parameters[buffer->parameter].length : NULL;
    return called && called->length > 0 ? sum_of(draft, called)
           : buffer->length.known       ? with_values(draft, buffer->length)
                                        : gt_draft_whole_problem(draft);
}

/* Whether a fill may have it: it is made of sizes and numbers. */
static bool is_of_sizes(const gt_draft *draft, const gt_polynomial *p)
{
    const char *sizes = draft->call ? gt_text_string(&draft->call->sizes) : "";
    gt_powers at = {0};
    bool is = p->known;
    for (const gt_power *power; (power = gt_polynomial_next(p, &at));) {
        const gt_draft_symbol *symbol = gt_draft_symbol_at(draft, power->symbol);
        const gt_draft_constant *constant = gt_draft_constant_of(draft, symbol->name);
        char size[GT_NAME_MAX + 4];
        (void)gt_snprintf(size, sizeof size, "(%s = ", symbol->name);
        is &= (constant && constant->has_value && !gt_draft_is_block(draft, symbol->name)) ||
              (draft->call ? strstr(sizes, size) != NULL : symbol->is_size);
    }
    return is;
}

/* The largest value of elements that are a part of another buffer's size, or, `less` 1, of indices
 * into it; false, and nothing: it is not told. */
static bool append_largest(gt_draft_writer *w, const char *before, const gt_draft_buffer *buffer,
                           uint32_t into, double less)
{
    gt_draft *draft = w->draft;
    gt_polynomial length = length_of(draft, &draft->buffers[into]);
    gt_polynomial most = gt_polynomial_number(-less), by = with_values(draft, buffer->factor);
    const gt_polynomial rest = with_values(draft, buffer->rest);
    most = gt_polynomial_add(&length, &most, 1);
    most = gt_polynomial_add(&most, &rest, -1);
    const gt_polynomial exact = gt_polynomial_divide(&most, &by);
    if (!exact.known || gt_draft_evaluate(draft, &most) < 1 || !gt_polynomial_is_whole(&by) ||
        !is_of_sizes(draft, &most) || !is_of_sizes(draft, &by)) {
        return false;
    }
    gt_text_append(w->out, before);
    if (gt_polynomial_is_whole(&exact) || gt_polynomial_equal(&exact, &most)) {
        gt_draft_append_sum(w, &exact);
        return true;
    }
    gt_text_append(w->out, "(");
    gt_draft_append_sum(w, &most);
    gt_text_append(w->out, by.terms[0].count ? ") / (" : ") / ");
    gt_draft_append_sum(w, &by);
    gt_text_append(w->out, by.terms[0].count ? ")" : "");
    return true;
}

static bool takes_logarithms(const gt_draft *draft)
{
    static const char *const functions[] = {"log",    "logf",  "__logf",  "log2",     "log2f",
                                            "log10f", "log10", "__log2f", "__log10f", "log1p",
                                            "log1pf", "pow",   "powf",    "__powf"};
    bool takes = false;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        gt_token name = {GT_TOKEN_NAME, functions[i], strlen(functions[i]), 0, 0};
        takes |= draft->program && gt_program_on_device(draft->program, &name);
    }
    return takes;
}

/* What the elements of a buffer of integers hold; "": nothing need be said. */
static void append_fill(gt_draft_writer *w, gt_text *notes, const gt_draft_buffer *buffer)
{
    gt_draft *draft = w->draft;
    const gt_function_parameter *parameter = &draft->parameters[buffer->parameter];
    const char *direction = gt_draft_direction(draft, buffer);
    if (is_float(draft, parameter) && strcmp(direction, "in") == 0 && takes_logarithms(draft)) {
        gt_text_printf(notes, "// guess: '%s' is positive, as the kernel takes logarithms\n",
                       parameter->name);
        gt_text_append(w->out, " = uniform(0.1, 1)");
    }
    if (is_float(draft, parameter) || strcmp(direction, "out") == 0) {
        return;
    }
    const char *filled =
        draft->call ? gt_text_string(&draft->call->parameters[buffer->parameter].fill) : "";
    if (filled[0]) {
        gt_text_printf(w->out, " = uniform(0, %s)", filled);
        return;
    }
    gt_text_printf(notes, "// guess: what '%s' holds\n", parameter->name);
    if (buffer->total && draft->symbols.items[buffer->total].is_size && !draft->call) {
        gt_text_printf(w->out, " = prefix(%s)", draft->symbols.items[buffer->total].name);
    } else if (draft->call && buffer->bounded >= 0 &&
               append_largest(w, buffer->is_prefix ? " = prefix(" : " = uniform(0, ", buffer,
                              (uint32_t)buffer->bounded, 0)) {
        gt_text_append(w->out, ")");
    } else if (buffer->indexed >= 0 && parameter->has_type && parameter->element.bytes == 1) {
        gt_text_printf(w->out, " = uniform(0, %d)",
                       parameter->element.type == GT_TYPE_U8 ? 255 : 127);
    } else if (buffer->indexed >= 0) {
        if (!append_largest(w, " = uniform(0, ", buffer, (uint32_t)buffer->indexed, 1)) {
            uint32_t indexed = draft->buffers[buffer->indexed].parameter;
            const char *called =
                draft->call ? gt_text_string(&draft->call->parameters[indexed].length) : "";
            gt_polynomial all = length_of(draft, &draft->buffers[buffer->indexed]);
            gt_text_printf(w->out, " = uniform(0, %s", called);
            if (!called[0]) {
                gt_draft_append_sum(w, &all);
            }
            gt_text_append(w->out, " - 1");
        }
        gt_text_append(w->out, ")");
    } else if (strcmp(direction, "inout") == 0 && parameter->has_type) {
        gt_text_append(w->out, " = zero");
    } else {
        gt_text_append(w->out, parameter->has_type && parameter->element.type == GT_TYPE_BOOL
                                   ? " = uniform(0, 1)"
                                   : " = uniform(0, 99)");
    }
}

/* A logarithm of nothing is no number. */
static void append_exceptions(gt_draft_writer *w, const gt_draft_buffer *buffer)
{
    const gt_draft *draft = w->draft;
    bool written = strcmp(gt_draft_direction(draft, buffer), "in") != 0;
    if (written && is_float(draft, &draft->parameters[buffer->parameter]) &&
        takes_logarithms(draft)) {
        gt_text_append(w->out, " nan_ok");
    }
}

static void append_buffer(gt_draft_writer *w, gt_text *notes, uint32_t index)
{
    gt_draft *draft = w->draft;
    const gt_draft_buffer *buffer = &draft->buffers[index];
    const gt_function_parameter *parameter = &draft->parameters[buffer->parameter];
    gt_polynomial length = buffer->length;
    const gt_call *call = draft->call;
    if (buffer->texture == 2) {
        gt_text_printf(w->out, "in %s %s", parameter->words, parameter->name);
        gt_draft_append_rows(w, parameter);
        append_fill(w, notes, buffer);
        return;
    }
    if (call && call->parameters[buffer->parameter].length.length > 0) {
        gt_text_printf(w->out, "%s %s %s[%s]", gt_draft_direction(draft, buffer), parameter->words,
                       parameter->name,
                       gt_text_string(&call->parameters[buffer->parameter].length));
        append_fill(w, notes, buffer);
        append_exceptions(w, buffer);
        return;
    }
    if (call) {
        gt_text_printf(notes, "// ? how long '%s' is: %s; %s\n", parameter->name,
                       gt_text_string(&call->parameters[buffer->parameter].unknown),
                       length.known ? "its largest index says so much"
                                    : "nor does the kernel say it plainly");
        length = length.known ? length : gt_draft_whole_problem(draft);
    } else if (!length.known) {
        length = gt_draft_whole_problem(draft);
        gt_text_printf(notes,
                       "// guess: how long '%s' is, of which the code says nothing plain%s\n",
                       parameter->name,
                       buffer->is_moved ? ", as it moves the pointer; see to the grid, too" : "");
    }
    if (buffer->is_passed_on && !parameter->is_const) {
        gt_text_printf(notes, "// guess: '%s' is read and written by a function that it goes to\n",
                       parameter->name);
    }
    gt_text_printf(w->out, "%s %s %s", gt_draft_direction(draft, buffer), parameter->words,
                   parameter->name);
    if (!gt_draft_append_extents(w, index, &length)) {
        gt_text_append(w->out, "[");
        gt_draft_append_sum(w, &length);
        gt_text_append(w->out, "]");
    }
    append_fill(w, notes, buffer);
    append_exceptions(w, buffer);
}

/* `{.alpha = 1.5}` of a struct by value: all members but those that are sizes. */
static bool append_members(gt_draft_writer *w, const gt_function_parameter *parameter)
{
    const gt_draft *draft = w->draft;
    const gt_structure *structure;
    bool first = true;
    if (parameter->has_type || find_structure(&structure, w, parameter->words) != GPUTUNE_OK ||
        !structure) {
        return false;
    }
    for (uint32_t i = 0; i < structure->member_count; i++) {
        const gt_structure_member *member = &structure->members[i];
        char path[2 * GT_NAME_MAX];
        gt_element element;
        bool real = gt_element_from_name(&element, member->type) && gt_type_is_float(element.type);
        (void)gt_snprintf(path, sizeof path, "%s.%s", parameter->name, member->name);
        int symbol = gt_draft_find_symbol(draft, path);
        if (symbol < 0 || !draft->symbols.items[symbol].is_size) {
            gt_text_printf(w->out, "%s.%s = %s", first ? " = {" : ", ", member->name,
                           real ? "1.5" : "1");
            first = false;
        }
    }
    gt_text_append(w->out, first ? "" : "}");
    return true;
}

static void append_scalar(gt_draft_writer *w, gt_text *notes,
                          const gt_function_parameter *parameter)
{
    const gt_draft *draft = w->draft;
    int symbol = gt_draft_find_symbol(draft, parameter->name);
    gt_text_printf(w->out, "%s %s", parameter->words, parameter->name);
    size_t index = (size_t)(parameter - draft->parameters);
    const char *called = draft->call ? gt_text_string(&draft->call->parameters[index].value) : "";
    const bool is_same = strcmp(called, parameter->name) == 0; /* the size of that name */
    if (called[0] || (draft->call && draft->call->parameters[index].is_size)) {
        gt_text_printf(w->out, called[0] && !is_same ? " = %s" : "", called);
        return;
    }
    if (draft->call) {
        gt_text_printf(notes, "// ? the value of '%s': the launch has no number there\n",
                       parameter->name);
    } else if (symbol >= 0 && draft->symbols.items[symbol].is_size) {
        return;
    } else {
        gt_text_printf(notes, "// guess: the value of '%s'\n", parameter->name);
    }
    if (!append_members(w, parameter)) {
        gt_text_append(w->out, is_float(draft, parameter) ? " = 1.5" : " = 1");
    }
}

static int buffer_of(const gt_draft *draft, uint32_t parameter)
{
    for (uint32_t i = 0; i < draft->buffer_count; i++) {
        if (draft->buffers[i].parameter == parameter) {
            return (int)i;
        }
    }
    return -1;
}

/* `__constant__ TYPE NAME[e]…;` without a value, if the kernel reads it: with the lexer behind the
 * word. */
static void write_constant(gt_draft_writer *w, gt_lexer *lexer)
{
    gt_draft *draft = w->draft;
    char type[GT_NAME_MAX], name[GT_NAME_MAX];
    gt_element element;
    gt_polynomial count = gt_polynomial_number(1);
    if (gt_type_words_read(type, sizeof type, lexer, "a type") != GPUTUNE_OK) {
        return;
    }
    gt_draft_token_text(name, sizeof name, &lexer->token);
    gt_lexer_next(lexer);
    while (gt_lexer_accept(lexer, "[")) {
        gt_polynomial extent = gt_draft_read_sum(draft, lexer);
        count = gt_polynomial_multiply(&count, &extent);
        (void)gt_lexer_accept(lexer, "]");
    }
    double elements = count.known ? gt_draft_evaluate(draft, &count) : 0;
    if (!gt_lexer_is(lexer, ";") || elements < 1 || !gt_draft_in_kernel(draft, name) ||
        !gt_element_from_name(&element, type)) {
        return;
    }
    gt_text_printf(
        w->out, "// guess: the caller fills '%s'\n#pragma gputune constant(%s : %s[%.0f]%s)\n",
        name, name, type, elements, gt_type_is_float(element.type) ? "" : " : uniform(0, 99)");
}

void gt_draft_write_constants(gt_draft_writer *w)
{
    gt_lexer lexer, line;
    gt_lexer_open(&lexer, w->draft->text, strlen(w->draft->text), (gt_place){"", 1, 1});
    while (lexer.token.kind != GT_TOKEN_END) {
        if (lexer.token.kind == GT_TOKEN_DIRECTIVE) {
            gt_lexer_directive(&lexer, &line);
        } else if (gt_lexer_accept(&lexer, "__constant__")) {
            write_constant(w, &lexer);
        } else {
            gt_lexer_next(&lexer);
        }
    }
}

void gt_draft_write_passes(gt_draft_writer *w)
{
    gt_lexer lexer;
    char name[GT_NAME_MAX];
    gt_lexer_open(&lexer, w->draft->blocks, strlen(w->draft->blocks), (gt_place){"", 1, 1});
    while (gt_lexer_accept(&lexer, "GPUTUNE_PARAM") && gt_lexer_accept(&lexer, "(")) {
        gt_draft_token_text(name, sizeof name, &lexer.token);
        gt_lexer_next(&lexer);
        (void)gt_lexer_accept(&lexer, ")");
        gt_text_printf(w->out,
                       "// guess: the type and length of the block '%s'\n"
                       "#pragma gputune pass(%s : float[16] = value, split, constant, global)\n",
                       name, name);
    }
}

/* One clause, its notes before it; long lists go on in the next line. */
void gt_draft_write_args(gt_draft_writer *w)
{
    enum { WIDTH = 96 };
    gt_text *out = w->out, notes = {0}, list = {0};
    size_t line = 0;
    gt_text_append(&notes, "// guess: what is read and written, and how much of it\n");
    gt_text_append(&list, "#pragma gputune args(");
    for (uint32_t i = 0; i < w->draft->parameter_count; i++) {
        gt_text item = {0};
        int buffer = buffer_of(w->draft, i);
        w->out = &item;
        if (buffer >= 0) {
            append_buffer(w, &notes, (uint32_t)buffer);
        } else {
            append_scalar(w, &notes, &w->draft->parameters[i]);
        }
        gt_text_append(&list, i ? "," : "");
        bool wraps = i && list.length - line + item.length > WIDTH;
        line = wraps ? list.length : line;
        gt_text_append(&list, wraps ? " \\\n                     " : i ? " " : "");
        gt_text_append(&list, gt_text_string(&item));
        out->failed |= item.failed;
        gt_text_free(&item);
    }
    w->out = out;
    gt_text_printf(out, "%s%s)\n", gt_text_string(&notes), gt_text_string(&list));
    out->failed |= notes.failed || list.failed;
    gt_text_free(&notes);
    gt_text_free(&list);
}
