/* The clauses of one kernel, with what is guessed and what is asked. */
#include "draft/parts.h"

#include <string.h>

/* ---- types
 * --------------------------------------------------------------------------------------- */

static const char *number_type(int kind)
{
    static const char *const names[] = {[CX_TYPE_BOOL] = "bool",
                                        [CX_TYPE_CHAR_U] = "char",
                                        [CX_TYPE_UCHAR] = "unsigned char",
                                        [CX_TYPE_USHORT] = "unsigned short",
                                        [CX_TYPE_UINT] = "unsigned int",
                                        [CX_TYPE_ULONG] = "unsigned long",
                                        [CX_TYPE_ULONGLONG] = "unsigned long long",
                                        [CX_TYPE_CHAR_S] = "char",
                                        [CX_TYPE_SCHAR] = "signed char",
                                        [CX_TYPE_SHORT] = "short",
                                        [CX_TYPE_INT] = "int",
                                        [CX_TYPE_LONG] = "long",
                                        [CX_TYPE_LONGLONG] = "long long",
                                        [CX_TYPE_FLOAT] = "float",
                                        [CX_TYPE_DOUBLE] = "double"};
    return kind >= 0 && kind < (int)(sizeof names / sizeof *names) ? names[kind] : NULL;
}

/* A type without the qualifiers and keywords in front of its name. */
static const char *bare_name(const char *name)
{
    static const char *const words[] = {"const ", "volatile ", "struct ", "class ", "enum "};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strncmp(name, words[i], strlen(words[i])) == 0) {
            return bare_name(name + strlen(words[i]));
        }
    }
    return name;
}

static gt_texts usings;

/* Templates name no namespaces in types: the draft has a using-declaration instead. */
static const char *without_namespace(const char *name)
{
    size_t end = strcspn(name, "<"), begin = end;
    while (begin > 1 && !(name[begin - 1] == ':' && name[begin - 2] == ':')) {
        begin--;
    }
    if (begin < 2) {
        return name;
    }
    const char *line = draft_format("using %.*s;", (int)end, name);
    for (size_t i = 0; i < usings.count; i++) {
        if (strcmp(usings.items[i], line) == 0) {
            return name + begin;
        }
    }
    draft_need_memory(gt_texts_add(&usings, line, strlen(line)));
    return name + begin;
}

const gt_texts *draft_usings(void)
{
    return &usings;
}

const char *draft_type_text(cx_type type)
{
    type = draft_canonical(type);
    if (type.kind == CX_TYPE_ENUM) {
        cx_cursor declared = cx.getTypeDeclaration(type);
        return draft_type_text(cx.getEnumDeclIntegerType(declared));
    }
    if (type.kind == CX_TYPE_RECORD) {
        draft_slice_need(type);
        const char *name = bare_name(draft_string(cx.getTypeSpelling(type)));
        return strcmp(name, "__half") == 0    ? "half"
               : strcmp(name, "__half2") == 0 ? "half2"
                                              : without_namespace(name);
    }
    return number_type(type.kind);
}

/* ---- fields of structs
 * ------------------------------------------------------------------------------ */

typedef struct fields {
    draft_cursors items;
} fields;

static int add_field(cx_cursor field, void *user)
{
    draft_add(&((fields *)user)->items, field);
    return CX_CONTINUE_VISIT;
}

static fields fields_of(cx_type type)
{
    fields out = {{0}};
    cx.Type_visitFields(type, add_field, &out);
    return out;
}

/* ---- values
 * ------------------------------------------------------------------------------------------- */

static bool is_size(const draft_settled *s, const draft_symbol *symbol)
{
    for (size_t i = 0; i < s->sizes.count; i++) {
        if (s->sizes.items[i] == symbol) {
            return true;
        }
    }
    return false;
}

static void guess(draft_settled *s, const char *name)
{
    draft_need_memory(gt_texts_add(&s->guesses, name, strlen(name)));
}

/* The value of a number that is passed; "" for a size of the same name. */
static const char *value_text(draft_settled *s, draft_decl *parameter, const char *path,
                              cx_type type)
{
    draft_amount *value = draft_settled_value(s, parameter, path);
    const char *name = draft_format("%s%s", parameter->name, path);
    const bool real = draft_is_float(type) || type.kind == CX_TYPE_RECORD;
    if (value->kind == DRAFT_TEXT) {
        return value->text;
    }
    if (value->kind == DRAFT_SYMBOL && value->symbol->kind == DRAFT_HOST &&
        !is_size(s, value->symbol)) {
        guess(s, name);
        return value->symbol->has_number ? draft_format("%lld", (long long)value->symbol->number)
               : real                    ? "0.5"
                                         : "1";
    }
    if (value->kind == DRAFT_SYMBOL && strcmp(value->symbol->name, name) == 0) {
        return "";
    }
    return draft_print_value(value);
}

static void write_struct(gt_text *out, draft_settled *s, draft_decl *parameter, const char *path,
                         cx_type type)
{
    fields list = fields_of(type);
    const char *between = "";
    gt_text_append(out, "{");
    for (size_t i = 0; i < list.items.count; i++) {
        cx_cursor field = list.items.items[i];
        cx_type own = draft_canonical(cx.getCursorType(field));
        const char *name = draft_string(cx.getCursorSpelling(field));
        const char *inner = draft_format("%s.%s", path, name);
        bool is_record = own.kind == CX_TYPE_RECORD && fields_of(own).items.count > 1;
        if (own.kind == CX_TYPE_POINTER || (!draft_type_text(own) && !is_record)) {
            continue;
        }
        gt_text_printf(out, "%s.%s = ", between, name);
        between = ", ";
        if (is_record) {
            write_struct(out, s, parameter, inner, own);
        } else {
            const char *text = value_text(s, parameter, inner, own);
            gt_text_append(out, *text ? text : inner + 1);
        }
    }
    gt_text_append(out, "}");
}

/* ---- buffers
 * ------------------------------------------------------------------------------------------- */

static const char *direction_of(const draft_buffer *buffer)
{
    bool read = false, written = false, certain = false;
    for (size_t i = 0; i < buffer->accesses.count; i++) {
        const draft_access *access = &buffer->accesses.items[i];
        read |= access->read;
        written |= access->written;
        certain |= access->written && access->certain;
    }
    return !written ? "in" : read || !certain ? "inout" : "out";
}

static int buffer_index(const draft_settled *s, const draft_buffer *buffer)
{
    for (size_t i = 0; i < s->facts.buffers.count; i++) {
        if (s->facts.buffers.items[i] == buffer) {
            return (int)i;
        }
    }
    return -1;
}

/* Whether elements of the type have integers, which need a fill. */
static bool has_integers(cx_type type)
{
    type = draft_canonical(type);
    if (type.kind == CX_TYPE_ARRAY) {
        return has_integers(cx.getArrayElementType(type));
    }
    bool found = draft_is_integer(type) && type.kind != CX_TYPE_BOOL;
    fields list = {{0}};
    if (type.kind == CX_TYPE_RECORD && strcmp(draft_type_text(type), "half") != 0 &&
        strncmp(draft_type_text(type), "__nv_", 5) != 0) {
        list = fields_of(type);
    }
    for (size_t i = 0; i < list.items.count; i++) {
        found = found || has_integers(cx.getCursorType(list.items.items[i]));
    }
    return found;
}

/* The range of elements that are indices, and of other integers. */
static const char *fill_of(draft_settled *s, const draft_buffer *buffer, const char *direction,
                           cx_type type)
{
    int target = buffer->indexed ? buffer_index(s, buffer->indexed) : -1;
    bool is_number = has_integers(type);
    if (strcmp(direction, "out") == 0 || !is_number) {
        return "";
    }
    if (buffer->is_bound && !buffer->total &&
        (target < 0 || !buffer->index_bytes || !draft_is_known(s->lengths[target]))) {
        draft_ask(
            s,
            "%s: what does '%s' hold? The kernel uses it as an index, or as the end of a loop; "
            "complete its fill, and the lengths of what it indexes",
            draft_place_of(buffer->parameter->at), buffer->name);
        return " = zero";
    }
    if (buffer->total) {
        return draft_format(" = prefix(%s)", buffer->total->name);
    }
    guess(s, buffer->name);
    if (buffer->is_bound) {
        long long bytes = cx.Type_getSizeOf(s->types[target]);
        draft_amount *all = draft_times(s->lengths[target], draft_number(bytes > 0 ? bytes : 1));
        draft_amount *steps =
            draft_make(DRAFT_QUOTIENT, all, draft_number(buffer->index_bytes), NULL);
        return draft_format(" = uniform(0, %s)",
                            draft_print_value(draft_plus(steps, draft_number(1), -1)));
    }
    return " = uniform(0, 99)";
}

static gputune_status write_buffer(gt_text *out, draft_settled *s, const draft_buffer *buffer)
{
    int index = buffer_index(s, buffer);
    const char *type = draft_type_text(s->types[index]), *direction = direction_of(buffer);
    draft_amount *length = s->lengths[index];
    GT_REFUSE(buffer->is_nested || !type, GPUTUNE_EUNSUPPORTED,
              "%s: '%s' points to %s, which a template cannot have; expected a kernel whose "
              "parameters point to numbers or structs",
              draft_place_of(buffer->parameter->at), buffer->name,
              buffer->is_nested ? "pointers" : "no numbers");
    if (!draft_is_known(length)) {
        draft_ask(s, "%s: how many elements has '%s'? %s; complete %s[...] in args()",
                  draft_place_of(buffer->parameter->at), buffer->name, length->text, buffer->name);
        length = s->sizes.count ? draft_symbol_value(s->sizes.items[0]) : draft_number(1024);
    }
    gt_text_printf(out, "%s %s %s[%s]%s", direction, type, buffer->name, draft_print_value(length),
                   fill_of(s, buffer, direction, s->types[index]));
    return GPUTUNE_OK;
}

static const draft_buffer *find_buffer(const draft_settled *s, const draft_decl *parameter)
{
    for (size_t i = 0; i < s->facts.buffers.count; i++) {
        const draft_buffer *buffer = s->facts.buffers.items[i];
        if (buffer->parameter == parameter && !*buffer->path) {
            return buffer;
        }
    }
    return NULL;
}

/* ---- parameters
 * ------------------------------------------------------------------------------------------ */

static gputune_status write_pointer(gt_text *out, draft_settled *s, draft_decl *parameter,
                                    cx_type type)
{
    const draft_buffer *buffer = find_buffer(s, parameter);
    const char *text = draft_type_text(draft_pointee(type));
    if (buffer && buffer->accesses.count) {
        return write_buffer(out, s, buffer);
    }
    if (buffer) {
        draft_ask(s, "%s: what does '%s' do with '%s'? No access of it was found; complete args()",
                  draft_place_of(parameter->at), s->kernel->name, parameter->name);
    }
    GT_REFUSE(!text && draft_pointee(type).kind != CX_TYPE_VOID, GPUTUNE_EUNSUPPORTED,
              "%s: '%s' points to what a template cannot have; expected numbers or structs",
              draft_place_of(parameter->at), parameter->name);
    gt_text_printf(out, "%s *%s = null", text ? text : "void", parameter->name);
    return GPUTUNE_OK;
}

static gputune_status write_parameter(gt_text *out, draft_settled *s, draft_decl *parameter)
{
    cx_type written = cx.getCursorType(parameter->at), type = draft_canonical(written);
    const char *text = draft_type_text(type);
    if (type.kind == CX_TYPE_POINTER || type.kind == CX_TYPE_OPEN_ARRAY ||
        type.kind == CX_TYPE_ARRAY) {
        return write_pointer(out, s, parameter, type);
    }
    GT_REFUSE(
        strstr(draft_string(cx.getTypeSpelling(written)), "cudaTextureObject_t") ||
            strstr(draft_string(cx.getTypeSpelling(written)), "cudaSurfaceObject_t"),
        GPUTUNE_EUNSUPPORTED,
        "%s: '%s' is a texture or a surface, whose buffer the program does not show; expected the "
        "buffer in args(), as in float NAME[n], and texture(NAME), by hand",
        draft_place_of(parameter->at), parameter->name);
    GT_REFUSE(!text, GPUTUNE_EUNSUPPORTED,
              "%s: '%s' is of the type '%s', which a template cannot have; expected a number, a "
              "struct or a pointer",
              draft_place_of(parameter->at), parameter->name,
              draft_string(cx.getTypeSpelling(written)));
    gt_text_printf(out, "%s %s", text, parameter->name);
    if (type.kind == CX_TYPE_RECORD && fields_of(type).items.count > 1) {
        gt_text_append(out, " = ");
        write_struct(out, s, parameter, "", type);
    } else if (type.kind != CX_TYPE_RECORD || fields_of(type).items.count == 1) {
        bool is_half = strcmp(text, "half") == 0 || strcmp(text, "__nv_bfloat16") == 0;
        bool single = type.kind == CX_TYPE_RECORD && !is_half;
        const char *value = single ? "" : value_text(s, parameter, "", type);
        if (single) {
            gt_text_append(out, " = ");
            write_struct(out, s, parameter, "", type);
        } else if (*value) {
            gt_text_printf(out, " = %s", value);
        }
    }
    return GPUTUNE_OK;
}

static gputune_status write_args(gt_text *out, draft_settled *s)
{
    const char *between = "";
    gt_text_append(out, "#pragma gputune args(");
    for (size_t i = 0; i < s->instance->parameters.count; i++) {
        gt_text_append(out, between);
        GT_TRY(write_parameter(out, s, s->instance->parameters.items[i]));
        between = ", ";
    }
    for (size_t i = 0; i < s->facts.buffers.count; i++) {
        if (*s->facts.buffers.items[i]->path && s->facts.buffers.items[i]->accesses.count) {
            gt_text_append(out, between);
            GT_TRY(write_buffer(out, s, s->facts.buffers.items[i]));
            between = ", ";
        }
    }
    gt_text_append(out, ")\n");
    return GPUTUNE_OK;
}

/* ---- other clauses
 * ------------------------------------------------------------------------------------------ */

static const draft_axis_found *axis_named(const draft_settled *s, const char *name)
{
    for (unsigned i = 0; i < s->axis_count; i++) {
        if (strcmp(s->axes[i].name, name) == 0) {
            return &s->axes[i];
        }
    }
    return NULL;
}

static const char *template_argument(const draft_settled *s, unsigned index, const char *name,
                                     bool is_bool)
{
    enum { TYPE = 1, INTEGRAL = 4 };
    int kind = cx.Cursor_getTemplateArgumentKind(s->instance->at, index);
    if (axis_named(s, name)) {
        return name;
    }
    if (kind == TYPE) {
        cx_type type = cx.Cursor_getTemplateArgumentType(s->instance->at, index);
        const char *text = draft_type_text(type);
        return text ? text : draft_string(cx.getTypeSpelling(type));
    }
    long long value = cx.Cursor_getTemplateArgumentValue(s->instance->at, index);
    return kind == INTEGRAL ? is_bool ? (value ? "true" : "false") : draft_format("%lld", value)
                            : NULL;
}

static void write_kernel(gt_text *out, draft_settled *s)
{
    draft_cursors children = draft_children(s->kernel->at);
    const char *between = "<";
    unsigned index = 0;
    gt_text_printf(out, "#pragma gputune kernel(%s", draft_full_name(s->kernel));
    for (size_t i = 0; s->instance != s->kernel && i < children.count; i++) {
        cx_cursor child = children.items[i];
        bool is_parameter = child.kind >= CX_TYPE_PARAMETER && child.kind <= CX_TEMPLATE_PARAMETER;
        bool is_bool = draft_canonical(cx.getCursorType(child)).kind == CX_TYPE_BOOL;
        const char *text =
            is_parameter
                ? template_argument(s, index++, draft_string(cx.getCursorSpelling(child)), is_bool)
                : NULL;
        if (text) {
            gt_text_printf(out, "%s%s", between, text);
            between = ", ";
        } else if (is_parameter) {
            draft_ask(s,
                      "%s: an argument of '%s' is neither a type nor a number; complete kernel()",
                      draft_place_of(child), s->kernel->name);
        }
    }
    gt_text_append(out, *between == ',' ? ">)\n" : ")\n");
}

static void write_problem(gt_text *out, const draft_settled *s)
{
    const char *between = "";
    gt_text_append(out, s->sizes.count ? "#pragma gputune problem(" : "");
    for (size_t i = 0; i < s->sizes.count; i++) {
        const draft_symbol *size = s->sizes.items[i];
        gt_text_printf(out, "%s%s = %lld", between, size->name, (long long)size->number);
        between = ", ";
    }
    gt_text_append(out, s->sizes.count ? ")\n" : "");
}

static void write_axes(gt_text *out, const draft_settled *s)
{
    for (unsigned i = 0; i < s->axis_count; i++) {
        const draft_axis_found *axis = &s->axes[i];
        gt_text_printf(out, "#pragma gputune tune(%s = ", axis->name);
        for (unsigned k = 0; k < axis->count; k++) {
            gt_text_printf(out, "%s%lld", k ? ", " : "", (long long)axis->values[k]);
        }
        gt_text_append(out, ")\n");
    }
    for (unsigned i = 0; i < s->axis_count; i++) {
        gt_text_printf(out, "%s%s = %lld", i ? ", " : "#pragma gputune default(", s->axes[i].name,
                       (long long)s->axes[i].usual);
    }
    gt_text_append(out, s->axis_count ? ")\n" : "");
}

static void write_extents(gt_text *out, const char *clause, draft_amount *const extents[3])
{
    int64_t number;
    int count = 3;
    while (count > 1 && draft_is_number(extents[count - 1], &number) && number == 1) {
        count--;
    }
    gt_text_printf(out, "#pragma gputune %s(", clause);
    for (int d = 0; d < count; d++) {
        gt_text_printf(out, "%s%s", d ? ", " : "", draft_print_value(extents[d]));
    }
    gt_text_append(out, ")\n");
}

static void write_work(gt_text *out, draft_settled *s)
{
    draft_amount *total = draft_number(0);
    for (size_t i = 0; i < s->facts.buffers.count; i++) {
        const draft_buffer *buffer = s->facts.buffers.items[i];
        long long bytes = cx.Type_getSizeOf(s->types[i]);
        int times = strcmp(direction_of(buffer), "inout") == 0 ? 2 : 1;
        if (buffer->accesses.count && draft_is_known(s->lengths[i])) {
            total = draft_plus(total, s->lengths[i], times * (bytes > 0 ? bytes : 1));
        }
    }
    int64_t number;
    if (draft_is_known(total) && !(draft_is_number(total, &number) && number < 1)) {
        gt_text_printf(out,
                       "// guess: every argument is moved once\n#pragma gputune work(bytes = %s)\n",
                       draft_print_value(total));
    }
}

/* ---- constants
 * ------------------------------------------------------------------------------------------------
 */

/* The number of elements of an array, and their type. */
static long long count_elements(cx_type *type)
{
    long long count = 1;
    *type = draft_canonical(*type);
    while (type->kind == CX_TYPE_ARRAY) {
        count *= cx.getArraySize(*type);
        *type = draft_canonical(cx.getArrayElementType(*type));
    }
    return count;
}

static bool is_copied(const draft_program *program, const draft_decl *constant)
{
    for (size_t i = 0; i < program->copied.count; i++) {
        if (program->copied.items[i] == constant ||
            strcmp(program->copied.items[i]->name, constant->name) == 0) {
            return true;
        }
    }
    return false;
}

static void write_constant(gt_text *out, draft_settled *s, const draft_program *program,
                           draft_decl *constant)
{
    cx_type type = cx.getCursorType(constant->at);
    long long count = count_elements(&type);
    const char *text = draft_type_text(type);
    bool is_number = draft_is_integer(type) && type.kind != CX_TYPE_BOOL;
    if (draft_initialiser_of(constant) && !is_copied(program, constant)) {
        return; /* it has its value in the code */
    }
    if (!is_copied(program, constant)) {
        draft_ask(s, "%s: what fills '%s'? Nothing here does; complete constant()",
                  draft_place_of(constant->at), constant->name);
    } else if (is_number || type.kind == CX_TYPE_RECORD) {
        draft_ask(s, "%s: what does '%s' hold? The program copies it there; complete constant()",
                  draft_place_of(constant->at), constant->name);
    }
    gt_text_printf(out, "#pragma gputune constant(%s : %s", draft_full_name(constant),
                   text ? text : "int");
    gt_text_printf(out, count > 1 ? "[%lld]" : "", count);
    gt_text_append(out, is_number ? " : uniform(0, 99))\n" : ")\n");
}

/* ---- all
 * ----------------------------------------------------------------------------------------------------------
 */

gputune_status draft_write_clauses(gt_text *out, draft_settled *s, const draft_program *program,
                                   const draft_slice *slice)
{
    GT_SCOPED(gt_text_free) gt_text clauses = {0}, args = {0};
    int64_t number;
    write_kernel(&clauses, s);
    GT_TRY(write_args(&args, s));
    for (size_t i = 0; i < s->sizes.count; i++) {
        if (s->sizes.items[i]->is_guess) {
            gt_text_append(&clauses, "// guess: the sizes to measure at\n");
            break;
        }
    }
    write_problem(&clauses, s);
    if (s->guesses.count) {
        gt_text_append(&clauses, "// guess: the values of");
        for (size_t i = 0; i < s->guesses.count; i++) {
            gt_text_printf(&clauses, "%s '%s'", i ? "," : "", s->guesses.items[i]);
        }
        gt_text_append(&clauses, "\n");
    }
    gt_text_append(&clauses, gt_text_string(&args));
    for (size_t i = 0; i < slice->constants.count; i++) {
        write_constant(&clauses, s, program, slice->constants.items[i]);
    }
    write_axes(&clauses, s);
    write_extents(&clauses, "block", s->block);
    write_extents(&clauses, "grid", s->grid);
    if (!(draft_is_number(s->shared, &number) && number == 0)) {
        gt_text_printf(&clauses, "#pragma gputune shared(%s)\n", draft_print_value(s->shared));
    }
    write_work(&clauses, s);
    gt_text_append(&clauses,
                   "// guess: the kernel as it is by default is right; better a kernel that is "
                   "easy to trust: reference(NAME)\n#pragma gputune reference(self)\n");
    for (size_t i = 0; i < s->questions.count; i++) {
        gt_text_printf(out, "// ? %s\n", s->questions.items[i]);
    }
    gt_text_append(out, gt_text_string(&clauses));
    return GPUTUNE_OK;
}
