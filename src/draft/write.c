/* Writes the clauses for one kernel, including guesses and questions. */
#include "draft/parts.h"

#include <string.h>

/* ---- types ----------------------------------------------------------------------------------- */

/* Returns the name of a type without qualifiers such as const and keywords such as struct. */
static const char *bare_name(const char *name)
{
    static const char *const words[] = {"const ", "volatile ", "struct ",
                                        "class ", "enum ",     "(anonymous namespace)::"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strncmp(name, words[i], strlen(words[i])) == 0) {
            return bare_name(name + strlen(words[i]));
        }
    }
    return name;
}

gt_texts draft_usings;

/* Removes the namespace, which a clause cannot contain, and adds a using-declaration. */
static const char *without_namespace(const char *name)
{
    size_t end = strcspn(name, "<"), begin = end;
    while (begin > 1 && !(name[begin - 1] == ':' && name[begin - 2] == ':')) {
        begin--;
    }
    if (begin < 2) {
        return name;
    }
    draft_add_text(&draft_usings, draft_format("using %.*s;", (int)end, name));
    return name + begin;
}

gt_texts draft_includes;

/* If DRAFT_STUB declares the type, adds the #include in the comment after the declaration. */
static void need_include(cx_type type)
{
    const cx_cursor declared = cx.getTypeDeclaration(type);
    const draft_extent e = draft_extent_of(declared);
    const char *rest = e.text + e.end, *found = draft_is_own(declared) ? NULL : strchr(rest, '#');
    if (found && found < rest + strcspn(rest, "\n")) {
        draft_add_text(&draft_includes, draft_format("%.*s>", (int)strcspn(found, ">"), found));
    }
}

/* Returns the name of a type for use in a clause, or NULL if templates do not support it. */
static const char *type_text(cx_type type)
{
    type = cx.getCanonicalType(type);
    if (type.kind == CX_TYPE_ENUM) {
        cx_cursor declared = cx.getTypeDeclaration(type);
        return type_text(cx.getEnumDeclIntegerType(declared));
    }
    if (type.kind == CX_TYPE_RECORD) {
        const char *name = bare_name(draft_string(cx.getTypeSpelling(type)));
        draft_slice_need(name);
        need_include(type);
        return *name == '('                   ? NULL /* a lambda */
               : strcmp(name, "__half") == 0  ? "half"
               : strcmp(name, "__half2") == 0 ? "half2"
                                              : without_namespace(name);
    }
    const char *name = bare_name(draft_string(cx.getTypeSpelling(type)));
    bool is_number = draft_is_integer(type) || draft_is_float(type);
    return is_number && !strchr(name, '_') ? name
                                           : NULL; /* wchar_t, __int128, … are not supported */
}

/* ---- values ---------------------------------------------------------------------------------- */

/* Returns the value that is passed for a parameter, or "" if a size has the same name. */
static const char *value_text(draft_settled *s, draft_decl *parameter, const char *path,
                              cx_type type)
{
    draft_amount *value = draft_without_axes(s, draft_settled_value(s, parameter, path));
    const char *name = draft_format("%s%s", parameter->name, path);
    const bool real = draft_is_float(type) || type.kind == CX_TYPE_RECORD;
    if (value->kind == DRAFT_TEXT) {
        return value->text;
    }
    if (draft_is_symbol(value, DRAFT_HOST) && !draft_is_size(s, value->symbol)) {
        if (!value->symbol->has_number || value->symbol->doubt || value->symbol->is_guess) {
            draft_add_text(&s->guesses, draft_format("'%s'", name));
        }
        return value->symbol->has_number   ? draft_format("%lld", (long long)value->symbol->number)
               : real                      ? "0.5"
               : type.kind == CX_TYPE_BOOL ? "1"
                                           : "2";
    }
    if (value->symbol && strcmp(value->symbol->name, name) == 0) {
        return "";
    }
    return draft_print_value(value);
}

/* Writes the members of a struct as { .a = value, … }. Arrays get one value for all elements. */
static void write_struct(gt_text *out, draft_settled *s, draft_decl *parameter, const char *path,
                         cx_type type)
{
    const draft_fields fields = draft_fields_of(type);
    const char *between = "";
    gt_text_append(out, "{");
    for (size_t i = 0; i < fields.count; i++) {
        cx_type own = fields.items[i].type;
        const char *inner = draft_format("%s.%s", path, fields.items[i].name);
        while (own.kind == CX_TYPE_ARRAY) {
            own = cx.getCanonicalType(cx.getArrayElementType(own));
        }
        if (own.kind == CX_TYPE_POINTER) {
            continue;
        }
        gt_text_printf(out, "%s%s = ", between, strrchr(inner, '.'));
        between = ", ";
        if (fields.items[i].type.kind == CX_TYPE_ARRAY && draft_is_integer(own)) {
            draft_ask(s,
                      "%s: what does '%s%s' hold? Elements of arrays are not followed; complete "
                      "args()",
                      draft_place_of(parameter->at), parameter->name, inner);
        }
        if (draft_fields_of(own).count > !draft_is_own(cx.getTypeDeclaration(own))) {
            write_struct(out, s, parameter, inner, own);
        } else {
            const char *text = value_text(s, parameter, inner, own);
            gt_text_append(out, *text ? text : inner + 1);
        }
    }
    gt_text_append(out, "}");
}

/* ---- buffers --------------------------------------------------------------------------------- */

static const char *direction_of(const draft_buffer *buffer)
{
    bool reads = buffer->is_read || !buffer->is_surely_written;
    return !buffer->is_written ? "in" : reads ? "inout" : "out";
}

/* Returns true if the type contains integers. Buffers of such a type need a fill. */
static bool has_integers(cx_type type)
{
    type = cx.getCanonicalType(type);
    if (type.kind == CX_TYPE_ARRAY) {
        return has_integers(cx.getArrayElementType(type));
    }
    bool found = draft_is_integer(type);
    if (type.kind == CX_TYPE_RECORD && strcmp(type_text(type), "half") != 0 &&
        strncmp(type_text(type), "__nv_", 5) != 0) {
        const draft_fields fields = draft_fields_of(type);
        for (size_t i = 0; i < fields.count; i++) {
            found = found || has_integers(fields.items[i].type);
        }
    }
    return found;
}

/* Returns the fill of a buffer. Elements that are used as indices stay below the buffer's range. */
static const char *fill_of(draft_settled *s, const draft_buffer *buffer, cx_type type)
{
    if (strcmp(direction_of(buffer), "out") == 0) {
        return "";
    }
    if (!has_integers(type) && !buffer->range) {
        return s->facts.needs_positive ? " = uniform(0.1, 1)" : "";
    }
    if (!buffer->is_rising) {
        draft_add_text(&s->guesses, draft_format("'%s'", buffer->name));
    }
    if (cx.getCanonicalType(type).kind == CX_TYPE_BOOL) {
        return " = uniform(0, 1)";
    }
    if (buffer->is_written && buffer->range) {
        draft_ask(s,
                  "%s: what does '%s' hold? The kernel changes it and uses it as an index or as a "
                  "loop's end; complete its fill, and the lengths of the buffers that it indexes",
                  draft_place_of(buffer->parameter->at), buffer->name);
        return " = zero";
    }
    draft_amount *range = draft_settled_range(s, buffer);
    return buffer->is_rising
               ? draft_format(" = prefix(%s)", draft_print_value(range))
               : draft_format(" = uniform(0, %s)",
                              draft_print_value(draft_plus(range, draft_number(1), -1)));
}

static gputune_status write_buffer(gt_text *out, draft_settled *s, size_t index)
{
    const draft_buffer *buffer = s->facts.buffers.items[index];
    const char *type = type_text(s->types[index]);
    draft_amount *length = s->lengths[index];
    GT_REFUSE(buffer->is_nested || !type, GPUTUNE_EUNSUPPORTED,
              "%s: '%s' points to %s, which templates do not support; expected a kernel whose "
              "parameters point to numbers or structs",
              draft_place_of(buffer->parameter->at), buffer->name,
              buffer->is_nested ? "pointers" : "no numbers");
    if (!draft_is_known(length)) {
        draft_ask(s, "%s: how many elements does '%s' have? %s; complete %s[...] in args()",
                  draft_place_of(buffer->parameter->at), buffer->name, length->text, buffer->name);
        length = s->sizes.count ? draft_symbol_value(s->sizes.items[0]) : draft_number(1024);
    }
    gt_text_printf(out, "%s %s %s[%s]%s", direction_of(buffer), type, buffer->name,
                   draft_print_value(length), fill_of(s, buffer, s->types[index]));
    return GPUTUNE_OK;
}

/* ---- parameters ------------------------------------------------------------------------------ */

/* Writes a buffer, or a null pointer if the kernel does not access the memory. */
static gputune_status write_pointer(gt_text *out, draft_settled *s, draft_decl *parameter,
                                    const char *path, cx_type type)
{
    const cx_type to = draft_pointee(type);
    const char *text = type_text(to);
    for (size_t i = 0; i < s->facts.buffers.count; i++) {
        const draft_buffer *buffer = s->facts.buffers.items[i];
        if (buffer->parameter == parameter && strcmp(buffer->path, path) == 0) {
            if (draft_is_accessed(buffer)) {
                return write_buffer(out, s, i);
            }
            if (buffer->is_compared) {
                draft_ask(s,
                          "%s: where does '%s' point to? The kernel compares it; complete args()",
                          draft_place_of(parameter->at), buffer->name);
            }
        }
    }
    GT_REFUSE(
        !text && to.kind != CX_TYPE_VOID, GPUTUNE_EUNSUPPORTED,
        "%s: '%s%s' points to a type that templates do not support; expected numbers or structs",
        draft_place_of(parameter->at), parameter->name, path);
    gt_text_printf(out, "%s *%s%s = null", text ? text : "void", parameter->name, path);
    return GPUTUNE_OK;
}

static gputune_status write_parameter(gt_text *out, draft_settled *s, draft_decl *parameter)
{
    cx_type written = cx.getCursorType(parameter->at), type = cx.getCanonicalType(written);
    const char *text = type_text(type), *spelling = draft_string(cx.getTypeSpelling(written));
    if (draft_is_pointer(type) || draft_is_array(type)) {
        return write_pointer(out, s, parameter, "", type);
    }
    GT_REFUSE(
        strstr(spelling, "cudaTextureObject_t") || strstr(spelling, "cudaSurfaceObject_t"),
        GPUTUNE_EUNSUPPORTED,
        "%s: '%s' is a texture or a surface, whose buffer the program does not show; expected the "
        "buffer in args(), as in float NAME[n], and texture(NAME), by hand",
        draft_place_of(parameter->at), parameter->name);
    GT_REFUSE(!text, GPUTUNE_EUNSUPPORTED,
              "%s: '%s' has the type '%s', which templates do not support; expected a number, a "
              "struct or a pointer",
              draft_place_of(parameter->at), parameter->name, spelling);
    GT_REFUSE(draft_is_opaque(type), GPUTUNE_EUNSUPPORTED,
              "%s: '%s' has bit-fields, a union or two members with the same name; expected a "
              "struct without them",
              draft_place_of(parameter->at), parameter->name);
    gt_text_printf(out, "%s %s", text, parameter->name);
    bool is_half = strcmp(text, "half") == 0 || strcmp(text, "__nv_bfloat16") == 0;
    if (type.kind != CX_TYPE_RECORD || is_half) {
        const char *value = value_text(s, parameter, "", type);
        gt_text_printf(out, *value ? " = %s" : "%s", value);
    } else {
        GT_SCOPED(gt_text_free) gt_text list = {0};
        write_struct(&list, s, parameter, "", type);
        gt_text_printf(out, list.length > 2 ? " = %s" : "", gt_text_string(&list));
    }
    return GPUTUNE_OK;
}

/* Writes a buffer for each pointer in a struct parameter. */
static gputune_status write_member_pointers(gt_text *out, draft_settled *s, draft_decl *parameter,
                                            const char *path, cx_type type)
{
    const draft_fields fields = draft_fields_of(type);
    for (size_t i = 0; i < fields.count; i++) {
        cx_type own = fields.items[i].type;
        const char *inner = draft_format("%s.%s", path, fields.items[i].name);
        if (own.kind == CX_TYPE_POINTER) {
            gt_text_append(out, ", ");
            GT_TRY(write_pointer(out, s, parameter, inner, own));
        } else {
            GT_TRY(write_member_pointers(out, s, parameter, inner, own));
        }
    }
    return GPUTUNE_OK;
}

static gputune_status write_args(gt_text *out, draft_settled *s)
{
    const draft_decls *parameters = &s->instance->parameters;
    bool writes = s->facts.unread.count > 0 || s->has_problems;
    for (size_t i = 0; i < s->facts.buffers.count; i++) {
        writes |= s->facts.buffers.items[i]->is_written || s->facts.buffers.items[i]->is_nested;
    }
    GT_REFUSE(
        !writes, GPUTUNE_EUNSUPPORTED,
        "%s: '%s' writes to no buffer that it gets, so there is no result to compare; expected "
        "a kernel with an output among its parameters",
        draft_place_of(s->kernel->at), s->kernel->name);
    gt_text_append(out, "#pragma gputune args(");
    for (size_t i = 0; i < parameters->count; i++) {
        gt_text_append(out, i ? ", " : "");
        GT_TRY(write_parameter(out, s, parameters->items[i]));
    }
    for (size_t i = 0; i < parameters->count; i++) {
        GT_TRY(write_member_pointers(out, s, parameters->items[i], "",
                                     draft_type_of(parameters->items[i])));
    }
    gt_text_append(out, ")\n");
    return GPUTUNE_OK;
}

/* Writes an in_place() clause or a question if the program passes the same buffer twice. */
static void write_in_place(gt_text *out, draft_settled *s)
{
    for (size_t i = 0; i < s->facts.buffers.count; i++) {
        const draft_buffer *a = s->facts.buffers.items[i];
        for (size_t k = 0; k < s->facts.buffers.count; k++) {
            const draft_buffer *b = s->facts.buffers.items[k];
            if (i == k || !a->source || !b->source || !a->is_written || !draft_is_accessed(b) ||
                a->source->place.buffer != b->source->place.buffer ||
                a->source->place.offset != b->source->place.offset || (b->is_written && k < i)) {
                continue;
            }
            if (strcmp(direction_of(a), "out") == 0 && !b->is_written) {
                gt_text_printf(out, "#pragma gputune in_place(%s : %s)\n", a->name, b->name);
            } else {
                draft_ask(s,
                          "%s: the program passes one buffer for both '%s' and '%s', but this "
                          "draft has two; is the kernel correct with two?",
                          draft_place_of(s->launch->call->at), a->name, b->name);
            }
        }
    }
}

/* ---- other clauses --------------------------------------------------------------------------- */

static const char *template_argument(draft_settled *s, unsigned index, const char *name, cx_type of)
{
    enum { TYPE = 1, INTEGRAL = 4 };
    int kind = cx.Cursor_getTemplateArgumentKind(s->instance->at, index);
    if (draft_axis_named(s, name)) {
        return name;
    }
    if (kind == TYPE) {
        cx_type type = cx.Cursor_getTemplateArgumentType(s->instance->at, index);
        const char *text = type_text(type);
        return text ? text : draft_string(cx.getTypeSpelling(type));
    }
    long long value = cx.Cursor_getTemplateArgumentValue(s->instance->at, index);
    return kind != INTEGRAL          ? NULL
           : of.kind == CX_TYPE_BOOL ? (value ? "true" : "false")
           : of.kind == CX_TYPE_ENUM
               ? draft_format("(%s)%lld", draft_string(cx.getTypeSpelling(of)), value)
               : draft_format("%lld", value);
}

static void write_kernel(gt_text *out, draft_settled *s)
{
    const draft_cursors children = draft_template_parameters(s->kernel);
    const char *between = "<";
    gt_text_printf(out, "#pragma gputune kernel(%s", draft_full_name(s->kernel));
    for (unsigned i = 0; s->instance != s->kernel && i < children.count; i++) {
        cx_cursor child = children.items[i];
        const char *text = template_argument(s, i, draft_string(cx.getCursorSpelling(child)),
                                             cx.getCanonicalType(cx.getCursorType(child)));
        if (text) {
            gt_text_printf(out, "%s%s", between, text);
            between = ", ";
        } else {
            draft_ask(s,
                      "%s: an argument of '%s' is neither a type nor a number; complete kernel()",
                      draft_place_of(child), s->kernel->name);
        }
    }
    gt_text_append(out, *between == ',' ? ">)\n" : ")\n");
}

static void write_problem(gt_text *out, const draft_settled *s)
{
    for (size_t i = 0; i < s->sizes.count; i++) {
        const draft_symbol *size = s->sizes.items[i];
        gt_text_printf(out, "%s%s = %lld", i ? ", " : "#pragma gputune problem(", size->name,
                       (long long)size->number);
    }
    gt_text_append(out, s->sizes.count ? ")\n" : "");
}

static void write_axes(gt_text *out, const draft_settled *s)
{
    for (unsigned i = 0; i < s->axis_count; i++) {
        const draft_axis *axis = &s->axes[i];
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
    gt_text_append(out, s->limits_registers ? "#pragma gputune maxreg(MAXREG)\n" : "");
    gt_text_append(out, s->facts.has_shared && !draft_slice_has("CARVEOUT")
                            ? "#pragma gputune carveout(CARVEOUT = auto, 0, 100)\n"
                            : "");
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

/* ---- constants ------------------------------------------------------------------------------- */

static void write_constant(gt_text *out, draft_settled *s, const draft_program *program,
                           draft_decl *constant)
{
    cx_type type = draft_type_of(constant);
    long long count = 1;
    for (; type.kind == CX_TYPE_ARRAY; type = draft_pointee(type)) {
        count *= cx.getArraySize(type);
    }
    const char *text = type_text(type), *place = draft_place_of(constant->at);
    bool is_number = draft_is_integer(type) && type.kind != CX_TYPE_BOOL,
         is_copied = constant->is_set; /* a __managed__ variable */
    for (size_t i = 0; i < program->copied.count; i++) {
        is_copied |= strcmp(program->copied.items[i]->name, constant->name) == 0;
    }
    if (draft_initialiser_of(constant) && !is_copied) {
        return; /* the draft contains the constant's initialiser */
    }
    if (!is_copied) {
        draft_ask(s, "%s: which values does '%s' have? The program sets none; complete constant()",
                  place, constant->name);
    } else if (is_number) {
        draft_add_text(&s->guesses, draft_format("'%s'", constant->name));
    } else if (type.kind == CX_TYPE_RECORD) {
        draft_ask(s, "%s: what does '%s' hold? The program copies it there; complete constant()",
                  place, constant->name);
    }
    gt_text_printf(out, "#pragma gputune constant(%s : %s[%lld]%s)\n",
                   without_namespace(draft_full_name(constant)), text ? text : "int", count,
                   is_number ? " : uniform(0, 99)" : "");
}

/* ---- all ------------------------------------------------------------------------------------- */

gputune_status draft_write_clauses(gt_text *out, draft_settled *s, const draft_program *program)
{
    GT_SCOPED(gt_text_free) gt_text clauses = {0}, args = {0}, constants = {0};
    int64_t number;
    write_kernel(&clauses, s);
    if (s->launch && s->launch->varies) {
        gt_text_printf(&clauses, "// guess: the launch at %s; others have different values\n",
                       draft_place_of(s->launch->call->at));
    }
    GT_TRY(write_args(&args, s));
    for (size_t i = 0; i < s->sizes.count; i++) {
        if (s->sizes.items[i]->is_guess) {
            gt_text_append(&clauses, "// guess: the sizes to measure at\n");
            break;
        }
    }
    write_problem(&clauses, s);
    for (size_t i = 0; i < program->constants.count; i++) {
        if (draft_slice_uses(s->kernel->name, program->constants.items[i]->name)) {
            write_constant(&constants, s, program, program->constants.items[i]);
        }
    }
    if (s->guesses.count) {
        gt_text_append(&clauses, "// guess: the values of");
        for (size_t i = 0; i < s->guesses.count; i++) {
            gt_text_printf(&clauses, "%s %s", i ? "," : "", s->guesses.items[i]);
        }
        gt_text_append(&clauses, "\n");
    }
    gt_text_append(&clauses, gt_text_string(&args));
    write_in_place(&clauses, s);
    gt_text_append(&clauses, gt_text_string(&constants));
    write_axes(&clauses, s);
    write_extents(&clauses, "block", s->block);
    write_extents(&clauses, "grid", s->grid);
    for (size_t i = 0; i < s->requirements.count; i++) {
        gt_text_printf(&clauses, "#pragma gputune require(%s)\n",
                       draft_print_value(s->requirements.items[i]));
    }
    if (!(draft_is_number(s->shared, &number) && number == 0)) {
        gt_text_printf(&clauses, "#pragma gputune shared(%s)\n", draft_print_value(s->shared));
    }
    gt_text_append(&clauses,
                   "// guess: the default variant is correct; a simple kernel is a better "
                   "reference: reference(NAME)\n#pragma gputune reference(self)\n");
    for (size_t i = 0; i < s->questions.count; i++) {
        gt_text_printf(out, "// ? %s\n", s->questions.items[i]);
    }
    gt_text_append(out, gt_text_string(&clauses));
    return GPUTUNE_OK;
}
