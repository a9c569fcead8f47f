/* Writes the clauses of a kernel's arguments: their types, lengths, contents and textures. */
#include "draft/trace.h"

#include "kernel/structure.h"
#include "kernel/types.h"

#include "base/number.h"

#include <string.h>

/* ---- types ----------------------------------------------------------------------------------- */

/* A type that a caller chooses is that of integers where the launch gives one of its values as a
 * number. */
static bool is_integer_type(const gt_draft *draft, const char *type)
{
    bool is_integer = false;
    for (uint32_t i = 0; i < draft->argument_count; i++) {
        const gt_draft_argument *own = &draft->arguments[i];
        is_integer |= strcmp(own->declared.words, type) == 0 && own->value[0];
    }
    return is_integer;
}

static void write_type(gt_draft *draft, const char *type)
{
    const gt_draft_constant *constant = gt_draft_constant_of(draft, type);
    gt_text_printf(draft->out, "#pragma gputune problem(type %s = %s)\n", type,
                   constant && constant->type[0]  ? constant->type
                   : is_integer_type(draft, type) ? "int, long long"
                                                  : "float, double");
}

static void set_type(gt_function_parameter *parameter, const char *words)
{
    (void)gt_snprintf(parameter->words, sizeof parameter->words, "%s", words);
    parameter->has_type = gt_element_from_name(&parameter->element, words);
}

gt_draft_argument *gt_draft_add_argument(gt_draft *draft, const gt_function_parameter *declared,
                                         gt_draft_argument *holder)
{
    gt_draft_argument *added = &draft->arguments[draft->argument_count++];
    *added = (gt_draft_argument){.declared = *declared, .holder = holder};
    added->allocated = added->fill = added->value = added->enclosed = added->unknown = "";
    return added;
}

void gt_draft_read_void(const gt_draft *draft, gt_function_parameter *parameter)
{
    const gt_program *program = draft->program;
    const char *dot = strchr(parameter->name, '.'), *name = dot ? dot + 1 : parameter->name;
    for (size_t at = draft->body.first;
         at < draft->body.end && strcmp(parameter->words, "void") == 0; at++) {
        const size_t own = gt_draft_operand(draft, at);
        const bool is_named = gt_program_is(program, own - 1, "("); /* reinterpret_cast<T *>(p) */
        const size_t close = own - (is_named ? 2 : 1);
        size_t open = close - 1;
        char type[GT_NAME_MAX];
        if (!gt_program_is(program, at, name) ||
            !gt_program_is(program, close, is_named ? ">" : ")") ||
            !gt_program_is(program, open, "*")) {
            continue;
        }
        while (!gt_program_is(program, open - 1, "( < ; { }")) {
            open--;
        }
        gt_program_words(type, program, (gt_span){open, close - 1});
        if (gt_is_type(type)) {
            set_type(parameter, type);
        }
    }
}

/* *out is NULL where the name is of no struct and of no other type's name. */
static gputune_status find_structure(const gt_structure **out, const gt_draft *draft,
                                     const char *name)
{
    gt_template_parts *parts = draft->present->parts;
    gt_template template = {.parts = parts};
    gt_parse parse = {.template = &template, .parts = parts, .code = draft->text};
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
static bool is_known_type(gt_draft *draft, const gt_function_parameter *parameter)
{
    const gt_structure *structure;
    return parameter->has_type || strchr(parameter->words, ' ') ||
           gt_draft_constant_of(draft, parameter->words) ||
           gt_draft_is_declared(draft, parameter->words) ||
           find_structure(&structure, draft, parameter->words) != GPUTUNE_OK || structure;
}

/* The struct that *name stands for, through other names, the last of which *name then is; NULL:
 * none. */
static const gt_structure *structure_of(const gt_draft *draft, const char **name)
{
    const gt_structure *structure;
    while (find_structure(&structure, draft, *name) == GPUTUNE_OK && structure) {
        if (!structure->alias[0]) {
            return structure;
        }
        *name = structure->alias;
    }
    return NULL;
}

static void add_member(gt_draft *draft, gt_draft_argument *holder, const gt_structure *of,
                       uint32_t place)
{
    const gt_structure_member *member = &of->members[place];
    gt_draft_member added = {.holder = holder, .value = ""};
    gt_element element;
    memcpy(added.name, member->name, sizeof added.name);
    added.has_default = member->value_count > 0;
    added.is_float = gt_element_from_name(&element, member->type) && gt_type_is_float(element.type);
    draft->failed |= gt_array_push(&draft->members, added) != GPUTUNE_OK;
}

static void add_pointer(gt_draft *draft, gt_draft_argument *holder, const gt_structure *of,
                        uint32_t place)
{
    gt_function_parameter added = {.pointer = true, .has_default = true};
    const int length = gt_snprintf(added.name, sizeof added.name, "%s.%s", holder->declared.name,
                                   of->members[place].name);
    memcpy(added.words, of->members[place].type, sizeof added.words);
    gt_draft_read_void(draft, &added);
    added.has_type = gt_element_from_name(&added.element, added.words);
    if (strcmp(added.words, "void") == 0) {
        memcpy(added.words, "unsigned char", sizeof "unsigned char");
    }
    if (length > 0 && (size_t)length < sizeof added.name && added.words[0] &&
        of->members[place].extents.count == 0 && draft->argument_count < GT_PARAMETER_MAX) {
        (void)gt_draft_add_argument(draft, &added, holder);
    }
}

void gt_draft_add_members(gt_draft *draft)
{
    const uint32_t count = draft->argument_count;
    for (uint32_t i = 0; i < count; i++) {
        gt_draft_argument *own = &draft->arguments[i];
        const char *name = own->declared.words;
        const gt_structure *structure =
            own->declared.has_type || own->declared.pointer ? NULL : structure_of(draft, &name);
        own->is_struct = structure != NULL;
        for (uint32_t k = 0; structure && k < structure->member_count; k++) {
            (structure->members[k].is_pointer ? add_pointer : add_member)(draft, own, structure, k);
        }
    }
}

/* Buffers of a library's structs are bytes. */
static void resolve_opaque(gt_draft *draft)
{
    for (gt_draft_argument *buffer = NULL; (buffer = gt_draft_next_buffer(draft, buffer));) {
        const uint32_t bytes = gt_trace_opaque(buffer->declared.words);
        if (bytes > 0) {
            set_type(&buffer->declared, "unsigned char");
            buffer->length = gt_sum_multiply(buffer->length, gt_sum_number(bytes));
        }
    }
}

void gt_draft_resolve_types(gt_draft *draft)
{
    resolve_opaque(draft);
    for (uint32_t i = 0; i < draft->argument_count; i++) {
        gt_function_parameter *parameter = &draft->arguments[i].declared;
        const char *name = parameter->words;
        if (!parameter->has_type && !structure_of(draft, &name)) {
            parameter->has_type = gt_element_from_name(&parameter->element, name);
        }
    }
}

void gt_draft_write_types(gt_draft *draft)
{
    for (uint32_t i = 0; i < draft->argument_count; i++) {
        const gt_function_parameter *parameter = &draft->arguments[i].declared;
        bool again = false;
        for (uint32_t k = 0; k < i; k++) {
            again |= strcmp(draft->arguments[k].declared.words, parameter->words) == 0;
        }
        if (!again && !is_known_type(draft, parameter)) {
            gt_text_printf(draft->out,
                           "// guess: nothing here declares '%s'; the types to compile for\n",
                           parameter->words);
            write_type(draft, parameter->words);
        }
    }
}

/* ---- sizes --------------------------------------------------------- */

bool gt_draft_is_size(const gt_draft *draft, const char *name)
{
    char clause[GT_NAME_MAX + 4];
    (void)gt_snprintf(clause, sizeof clause, "(%s = ", name);
    return strstr(gt_text_string(&draft->call.sizes), clause) || gt_draft_is_declared(draft, name);
}

void gt_draft_write_template_parameters(gt_draft *draft)
{
    for (size_t i = 0; i < draft->constants.count; i++) {
        const gt_draft_constant *constant = &draft->constants.items[i];
        if (!constant->is_template_parameter || gt_draft_is_declared(draft, constant->name) ||
            gt_draft_is_block(draft, constant->name)) {
            continue;
        }
        if (constant->is_type) {
            gt_text_append(draft->out, "// guess: the types to compile for\n");
            write_type(draft, constant->name);
            continue;
        }
        gt_text_printf(draft->out,
                       "// guess: what is computed depends on %s; if it does not, it is an axis: "
                       "tune(%s = …)\n#pragma gputune problem(const %s = %.0f)\n",
                       constant->name, constant->name, constant->name,
                       constant->has_value ? constant->value : 1);
    }
}

/* ---- what buffers hold ----------------------------------------------------------------------- */

gt_sum gt_draft_whole_problem(const gt_draft *draft)
{
    gt_sum all = gt_sum_number(1);
    for (int d = 0; d < 3; d++) {
        all = gt_sum_multiply(all, draft->dimensions[d].size);
    }
    return all;
}

const char *gt_draft_direction(const gt_draft_argument *buffer)
{
    return buffer->declared.is_const || !buffer->is_written ? "in"
           : buffer->is_read                                ? "inout"
                                                            : "out";
}

/* A text of the launch's names as a sum; not known: it is none. */
static gt_sum sum_of(gt_draft *draft, const char *text)
{
    gt_span span = gt_program_push(draft->program, text);
    const size_t before = span.first;
    const gt_sum sum = gt_draft_read_sum(draft, &span);
    draft->program->tokens.count = before;
    return span.first == span.end ? sum : (gt_sum){0};
}

/* With the launch's values in the place of parameters. */
static gt_sum with_values(gt_draft *draft, gt_sum sum)
{
    for (uint32_t i = 0; i < draft->argument_count; i++) {
        const gt_draft_argument *own = &draft->arguments[i];
        const int symbol = gt_draft_find_symbol(draft, own->declared.name);
        if (own->value[0] && symbol > 0 && gt_sum_has(&sum, symbol)) {
            sum = gt_sum_replace(sum, symbol, sum_of(draft, own->value));
        }
    }
    return sum;
}

/* How many elements the buffer has, as far as that is a sum. */
static gt_sum length_of(gt_draft *draft, const gt_draft_argument *buffer)
{
    return buffer->allocated[0]   ? sum_of(draft, buffer->allocated)
           : buffer->length.known ? with_values(draft, buffer->length)
                                  : gt_draft_whole_problem(draft);
}

/* Whether a fill may have it: it is made of sizes and numbers. */
static bool is_of_sizes(const gt_draft *draft, const gt_sum *sum)
{
    gt_powers at = {0};
    bool is = sum->known;
    for (const gt_power *power; (power = gt_sum_next(sum, &at));) {
        const gt_draft_symbol *symbol = gt_draft_symbol_at(draft, power->symbol);
        const gt_draft_constant *constant = gt_draft_constant_of(draft, symbol->name);
        is &= (constant && constant->has_value && !gt_draft_is_block(draft, symbol->name)) ||
              gt_draft_is_size(draft, symbol->name);
    }
    return is;
}

/* The largest value of elements that are a part of another buffer's size, or, `less` 1, of indices
 * into it; false, and nothing: it is not told. */
static bool append_largest(gt_draft *draft, const char *before, const gt_draft_argument *buffer,
                           const gt_draft_argument *into, double less)
{
    const gt_sum by = with_values(draft, buffer->factor);
    const gt_sum length = gt_sum_plus(length_of(draft, into), -less);
    const gt_sum most = gt_sum_add(length, with_values(draft, buffer->rest), -1);
    const gt_sum exact = gt_sum_divide(most, by);
    if (!exact.known || gt_draft_evaluate(draft, &most) < 1 || !gt_sum_is_whole(&by) ||
        !is_of_sizes(draft, &most) || !is_of_sizes(draft, &by)) {
        return false;
    }
    if (gt_sum_is_whole(&exact) || gt_sum_equal(&exact, &most)) {
        gt_text_printf(draft->out, "%s%s", before, gt_draft_sum_text(draft, &exact));
    } else {
        gt_text_printf(draft->out, by.terms[0].count ? "%s(%s) / (%s)" : "%s(%s) / %s", before,
                       gt_draft_sum_text(draft, &most), gt_draft_sum_text(draft, &by));
    }
    return true;
}

/* Whether the device's code calls one of the functions. */
static bool takes(const gt_draft *draft, const char *const *functions, size_t count)
{
    bool takes = false;
    for (size_t i = 0; i < count && !takes; i++) {
        const gt_token name = gt_token_of(functions[i]);
        takes = gt_program_on_device(draft->program, &name);
    }
    return takes;
}

/* What floats hold where the kernel takes logarithms or, of what it changes, roots, which a
 * negative number has not: of nothing, a logarithm is no number. */
static void append_positive(gt_draft *draft, gt_text *notes, const gt_draft_argument *buffer)
{
    static const char *const logarithms[] = {"log",    "logf",  "__logf",  "log2",     "log2f",
                                             "log10f", "log10", "__log2f", "__log10f", "log1p",
                                             "log1pf", "pow",   "powf",    "__powf"};
    static const char *const roots[] = {"sqrt", "sqrtf", "rsqrt", "rsqrtf", "__fsqrt_rn"};
    const char *direction = gt_draft_direction(buffer);
    const bool by_logarithm = takes(draft, logarithms, sizeof logarithms / sizeof *logarithms);
    const bool by_root = !by_logarithm && takes(draft, roots, sizeof roots / sizeof *roots);
    const bool is_in = strcmp(direction, "in") == 0;
    if ((by_logarithm && is_in) || (by_root && strcmp(direction, "inout") == 0)) {
        gt_text_printf(notes, "// guess: '%s' is positive, as the kernel takes %s\n",
                       buffer->declared.name, by_root ? "roots" : "logarithms");
        gt_text_append(draft->out, " = uniform(0.1, 1)");
    }
    gt_text_append(draft->out, by_logarithm && !is_in ? " nan_ok" : "");
}

/* The fill of integers that index another buffer, or bound what is read of it; false: neither, or
 * how far is not known. */
static bool append_range(gt_draft *draft, const gt_draft_argument *buffer)
{
    const gt_function_parameter *parameter = &buffer->declared;
    const char *total = buffer->total ? draft->symbols.items[buffer->total].name : "";
    if (!draft->is_called && gt_draft_is_size(draft, total)) {
        gt_text_printf(draft->out, " = prefix(%s)", total);
        return true;
    }
    if (draft->is_called && buffer->bounded &&
        append_largest(draft, buffer->is_prefix ? " = prefix(" : " = uniform(0, ", buffer,
                       buffer->bounded, 0)) {
        gt_text_append(draft->out, ")");
        return true;
    }
    if (buffer->indexed && parameter->has_type && parameter->element.bytes == 1) {
        gt_text_printf(draft->out, " = uniform(0, %d)",
                       parameter->element.type == GT_TYPE_U8 ? 255 : 127);
    } else if (buffer->indexed) {
        const bool rises = buffer->is_prefix;
        if (rises || !append_largest(draft, " = uniform(0, ", buffer, buffer->indexed, 1)) {
            const gt_sum all = length_of(draft, buffer->indexed);
            const char *allocated = buffer->indexed->allocated;
            if (!allocated[0] && !all.known) {
                return false;
            }
            gt_text_printf(draft->out, rises ? " = prefix(%s" : " = uniform(0, %s - 1",
                           allocated[0] ? allocated : gt_draft_sum_text(draft, &all));
        }
        gt_text_append(draft->out, ")");
    }
    return buffer->indexed;
}

/* What the elements of a buffer hold, and which of a result count; "": nothing need be said. */
static void append_fill(gt_draft *draft, gt_text *notes, const gt_draft_argument *buffer)
{
    const gt_function_parameter *parameter = &buffer->declared;
    const char *direction = gt_draft_direction(buffer);
    if (is_float(draft, parameter)) {
        append_positive(draft, notes, buffer);
        return;
    }
    if (strcmp(direction, "out") == 0) {
        return;
    }
    if (buffer->fill[0]) {
        gt_text_printf(draft->out, " = uniform(0, %s)", buffer->fill);
        return;
    }
    gt_text_printf(notes, "// guess: what '%s' holds\n", parameter->name);
    if (append_range(draft, buffer)) {
        return;
    }
    bool is_changed = strcmp(direction, "inout") == 0 && parameter->has_type;
    bool is_bool = parameter->has_type && parameter->element.type == GT_TYPE_BOOL;
    gt_text_append(draft->out, is_changed && !buffer->is_divisor ? " = zero"
                               : is_bool                         ? " = uniform(0, 1)"
                               : buffer->is_divisor              ? " = uniform(1, 99)"
                                                                 : " = uniform(0, 99)");
}

/* ---- textures -------------------------------------------------------------------------------- */

/* What a kernel reads an object's elements by; a buffer's `texture` is its place here, from 1. */
static const struct {
    const char *fetch;
    int extents;
    const char *memory; /* "": linear, or rows */
} fetches[] = {{"tex1Dfetch", 1, ""},         {"tex2D", 2, ""},      {"tex1D", 1, "array"},
               {"tex3D", 3, "array"},         {"tex2D", 2, "array"}, {"tex1DLayered", 2, "layered"},
               {"tex2DLayered", 3, "layered"}};

/* The first such token of the program, or as many as it has. */
static size_t find_token(const gt_program *program, const char *words)
{
    return gt_program_first(program, (gt_span){0, program->tokens.count}, words);
}

static bool has_token(const gt_program *program, const char *words)
{
    return find_token(program, words) < program->tokens.count;
}

uint32_t gt_draft_read_texture(gt_draft *draft, gt_function_parameter *parameter)
{
    const gt_program *program = draft->program;
    const bool has_arrays = has_token(program, "cudaMallocArray");
    char type[GT_NAME_MAX];
    for (size_t at = draft->body.first;
         at < draft->body.end && strcmp(parameter->words, "cudaTextureObject_t") == 0; at++) {
        uint32_t kind = 0;
        for (uint32_t i = 0; i < sizeof fetches / sizeof *fetches; i++) {
            const bool is_other = i == 4 && !has_arrays; /* rows of linear memory */
            kind = gt_program_is(program, at, fetches[i].fetch) && !is_other ? i + 1 : kind;
        }
        const bool is_fetch = kind && gt_program_is(program, at + 1, "<");
        const size_t close = is_fetch ? gt_program_close_angle(program, at + 1) : 0;
        if (!is_fetch || !gt_program_is(program, close + 1, "(") ||
            !gt_program_is(program, close + 2, parameter->name)) {
            continue;
        }
        gt_program_words(type, program, (gt_span){at + 2, close});
        if (gt_element_from_name(&parameter->element, type)) {
            memcpy(parameter->words, type, sizeof type);
            parameter->has_type = parameter->pointer = parameter->is_const = true;
            return kind;
        }
    }
    return 0;
}

/* What is read along a dimension of the launch. */
static const char *size_text(gt_draft *draft, int dimension)
{
    const gt_sum *size = &draft->dimensions[dimension].size;
    return size->known && size->count ? gt_draft_sum_text(draft, size) : "1";
}

/* Appends the extents of a texture's buffer, slowest first; rows of linear memory are padded. */
static void append_rows(gt_draft *draft, const gt_draft_argument *buffer)
{
    const uint32_t elements = GT_TEXTURE_PITCH / buffer->declared.element.bytes;
    const bool is_padded = !fetches[buffer->texture - 1].memory[0];
    for (int d = fetches[buffer->texture - 1].extents; d > 0; d--) {
        const char *size = size_text(draft, d - 1);
        if (is_padded && d == 1) {
            gt_text_printf(draft->out, "[ceil_div(%s, %u) * %u]", size, elements, elements);
        } else {
            gt_text_printf(draft->out, "[%s]", size);
        }
    }
}

/* As the program describes the only texture that it makes, or all of them. CUDA clamps where
 * coordinates are not normalized and the mode is for those alone. */
static void append_settings(gt_draft *draft, uint32_t texture)
{
    static const struct {
        const char *word, *setting;
        bool is_normalized; /* it counts for such coordinates alone */
    } settings[] = {{"cudaFilterModeLinear", ", filter = linear", false},
                    {"cudaAddressModeBorder", ", address = border", false},
                    {"cudaAddressModeWrap", ", address = wrap", true},
                    {"cudaAddressModeMirror", ", address = mirror", true},
                    {"normalizedCoords", ", coordinates = normalized", true}};
    const gt_program *program = draft->program;
    const size_t at = find_token(program, "normalizedCoords");
    const bool normalized =
        gt_program_is(program, at + 1, "=") && !gt_program_is(program, at + 2, "0 false");
    bool has_address = false;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        const bool is_address = strstr(settings[i].setting, "address") != NULL;
        if (has_token(program, settings[i].word) && (normalized || !settings[i].is_normalized) &&
            !(is_address && has_address)) {
            gt_text_append(draft->out, settings[i].setting);
            has_address |= is_address;
        }
    }
    if (fetches[texture - 1].memory[0]) {
        gt_text_printf(draft->out, ", memory = %s", fetches[texture - 1].memory);
    } else {
        gt_text_printf(draft->out, ", width = %s", size_text(draft, 0));
    }
}

void gt_draft_write_textures(gt_draft *draft)
{
    const gt_program *program = draft->program;
    for (const gt_draft_argument *buffer = NULL; (buffer = gt_draft_next_buffer(draft, buffer));) {
        const char *name = buffer->declared.name;
        if (!buffer->texture) {
            continue;
        }
        if (has_token(program, "cudaReadModeNormalizedFloat")) {
            gt_text_printf(draft->out,
                           "// ? the elements of '%s', which cudaReadModeNormalizedFloat makes "
                           "floats of: integers in args(), and read = normalized\n",
                           name);
        }
        if (buffer->texture > 1) {
            gt_text_printf(draft->out, "// guess: filter, address mode and coordinates of '%s'",
                           name);
            gt_text_printf(draft->out,
                           fetches[buffer->texture - 1].memory[0]
                               ? ", whose extents are the grid's\n"
                               : ", whose rows are padded to %d bytes\n",
                           GT_TEXTURE_PITCH);
        }
        gt_text_printf(draft->out, "#pragma gputune texture(%s", name);
        if (buffer->texture > 1) {
            append_settings(draft, buffer->texture);
        }
        gt_text_append(draft->out, ")\n");
    }
}

/* ---- arguments ------------------------------------------------------------------------------- */

/* How many indices of the buffer's accesses a symbol is multiplied with: the innermost extent, most
 * often. */
static uint32_t times_stride(const gt_draft *draft, const gt_draft_argument *buffer, int symbol)
{
    uint32_t count = 0;
    for (size_t i = 0; i < draft->accesses.count; i++) {
        const gt_draft_access *access = &draft->accesses.items[i];
        const gt_sum factor = gt_sum_factor(gt_draft_expand(draft, access->index, true), symbol);
        count += access->buffer == buffer && factor.known ? factor.count : 0;
    }
    return count;
}

/* Appends a buffer's length h * w as `[h][w]`, slowest extent first. false: the length is no such
 * product, and nothing is appended. */
static bool append_extents(gt_draft *draft, const gt_draft_argument *buffer, const gt_sum *length)
{
    int order[3];
    uint32_t count = 0;
    const gt_product *term = &length->terms[0];
    if (length->count != 1 || term->coefficient > 1 || term->coefficient < 1) {
        return false;
    }
    for (uint32_t k = 0; k < term->count; k++) {
        for (int e = term->powers[k].exponent; e != 0; e--) {
            if (e < 0 || count == 3) {
                return false;
            }
            uint32_t at = count++;
            uint32_t own = times_stride(draft, buffer, term->powers[k].symbol);
            for (; at > 0 && times_stride(draft, buffer, order[at - 1]) > own; at--) {
                order[at] = order[at - 1];
            }
            order[at] = term->powers[k].symbol;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        gt_text_printf(draft->out, "[%s]", gt_draft_name_of(draft, order[i]));
    }
    return count > 0;
}

static void append_buffer(gt_draft *draft, gt_text *notes, const gt_draft_argument *buffer)
{
    const char *const name = buffer->declared.name;
    const gt_sum length = buffer->length.known ? buffer->length : gt_draft_whole_problem(draft);
    const bool is_told = buffer->texture > 1 || buffer->allocated[0];
    if (!is_told && draft->is_called) {
        gt_text_printf(notes, "// ? how long '%s' is: %s; %s\n", name, buffer->unknown,
                       buffer->length.known ? "its largest index says so much"
                                            : "nor does the kernel say it plainly");
    } else if (!is_told && !buffer->length.known) {
        gt_text_printf(notes,
                       "// guess: how long '%s' is, of which the code says nothing plain%s\n", name,
                       buffer->is_moved ? ", as it moves the pointer; see to the grid, too" : "");
    }
    if (!is_told && buffer->is_passed_on && !buffer->declared.is_const) {
        gt_text_printf(notes, "// guess: '%s' is read and written by a function that it goes to\n",
                       name);
    }
    gt_text_printf(draft->out, "%s %s %s", gt_draft_direction(buffer), buffer->declared.words,
                   name);
    if (buffer->texture > 1) {
        append_rows(draft, buffer);
    } else if (is_told) {
        gt_text_printf(draft->out, "[%s]", buffer->allocated);
    } else if (!append_extents(draft, buffer, &length)) {
        gt_text_printf(draft->out, "[%s]", gt_draft_sum_text(draft, &length));
    }
    append_fill(draft, notes, buffer);
}

static void note_value(gt_text *notes, const gt_draft *draft, const char *of, const char *member)
{
    gt_text_printf(notes,
                   !draft->is_called ? "// guess: the value of '%s%s%s'\n"
                   : member[0]       ? "// ? the value of '%s%s%s': the program does not say it\n"
                               : "// ? the value of '%s%s%s': the launch has no number there\n",
                   of, member[0] ? "." : "", member);
}

/* `{.alpha = 0.5}` of a struct by value: all members but those that are sizes. */
static void append_members(gt_draft *draft, gt_text *notes, const gt_draft_argument *of)
{
    const char *name = of->declared.name;
    bool first = true;
    for (size_t i = 0; i < draft->members.count; i++) {
        const gt_draft_member *member = &draft->members.items[i];
        const char *value = member->value;
        const bool is_named = gt_draft_is_size(draft, member->name) &&
                              (!value[0] || strcmp(value, member->name) == 0);
        if (member->holder != of || is_named || (!value[0] && member->has_default)) {
            continue;
        }
        if (!value[0]) {
            note_value(notes, draft, name, member->name);
            value = member->is_float ? "0.5" : "1";
        }
        gt_text_printf(draft->out, "%s.%s = %s", first ? " = {" : ", ", member->name, value);
        first = false;
    }
    gt_text_append(draft->out, first ? "" : "}");
}

static void append_scalar(gt_draft *draft, gt_text *notes, const gt_draft_argument *own)
{
    const gt_function_parameter *parameter = &own->declared;
    const char *value = own->value;
    gt_text_printf(draft->out, "%s %s", parameter->words, parameter->name);
    if (value[0] || own->is_size) {
        const bool is_same = strcmp(value, parameter->name) == 0; /* the size of that name */
        gt_text_printf(draft->out, value[0] && !is_same ? " = %s" : "", value);
    } else if (own->is_struct) {
        append_members(draft, notes, own);
    } else {
        note_value(notes, draft, parameter->name, "");
        gt_text_append(draft->out, is_float(draft, parameter) ? " = 0.5" : " = 1");
    }
}

/* One clause, its notes before it; long lists go on in the next line. */
void gt_draft_write_args(gt_draft *draft)
{
    enum { WIDTH = 96 };
    gt_text *out = draft->out;
    GT_SCOPED(gt_text_free) gt_text notes = {0};
    GT_SCOPED(gt_text_free) gt_text list = {0};
    size_t line = 0;
    gt_text_append(&notes, "// guess: what is read and written, and how much of it\n");
    gt_text_append(&list, "#pragma gputune args(");
    for (uint32_t i = 0; i < draft->argument_count; i++) {
        GT_SCOPED(gt_text_free) gt_text item = {0};
        const gt_draft_argument *own = &draft->arguments[i];
        draft->out = &item;
        (own->declared.pointer ? append_buffer : append_scalar)(draft, &notes, own);
        bool wraps = i && list.length + 1 - line + item.length > WIDTH;
        line = wraps ? list.length + 1 : line;
        gt_text_append(&list, wraps ? ", \\\n                     " : i ? ", " : "");
        gt_text_append(&list, gt_text_string(&item));
        out->failed |= item.failed;
    }
    draft->out = out;
    gt_text_printf(out, "%s%s)\n", gt_text_string(&notes), gt_text_string(&list));
    out->failed |= notes.failed || list.failed;
}
