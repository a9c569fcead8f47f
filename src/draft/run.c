/* Interprets code of kernels and of the host: variables, memory, expressions and function calls. */
#include "draft/parts.h"

#include "kernel/text/lexer.h"

#include <ctype.h>
#include <string.h>

enum { STEPS_MOST = 400000, HOST_STEPS_MOST = 60000 };

draft_reader draft_now;

static GT_ARRAY(draft_buffer *) buffers; /* all buffers that pointers in the code point to */

draft_amount *draft_nothing(void)
{
    static draft_amount *value;
    value = value ? value : draft_unknown("it is not an integer");
    return value;
}

/* Adds a question about the kernel's code at this location, unless it has been asked already. */
static void ask_at(cx_cursor at, const char *what)
{
    if (draft_now.out && !draft_now.quiet) {
        draft_add_text(&draft_now.out->unread, draft_format("%s: %s", draft_place_of(at), what));
    }
}

/* ---- symbols --------------------------------------------------------------------------------- */

draft_amount *draft_builtin(draft_symbol_kind kind, int axis)
{
    static draft_symbol symbols[4][3];
    static const char *const names[] = {"threadIdx.", "blockIdx.", "block_", "grid_"};
    draft_symbol *symbol = &symbols[kind - DRAFT_THREAD][axis];
    if (!symbol->name) {
        symbol->kind = kind;
        symbol->axis = axis;
        symbol->name = draft_format("%s%c", names[kind - DRAFT_THREAD], "xyz"[axis]);
        if (kind == DRAFT_THREAD || kind == DRAFT_BLOCK_INDEX) {
            symbol->end =
                draft_builtin(kind == DRAFT_THREAD ? DRAFT_BLOCK_SIZE : DRAFT_GRID_SIZE, axis);
        }
    }
    return draft_symbol_value(symbol);
}

draft_symbol *draft_new_symbol(draft_symbol_kind kind, const char *name)
{
    draft_symbol *symbol = draft_new(sizeof *symbol);
    symbol->kind = kind;
    symbol->name = symbol->given = name;
    return symbol;
}

draft_amount *draft_changing(const char *name)
{
    return draft_symbol_value(draft_new_symbol(DRAFT_CHANGING, name));
}

bool draft_is_same_struct(cx_type a, cx_type b)
{
    return a.kind == CX_TYPE_RECORD && b.kind == CX_TYPE_RECORD &&
           cx.equalCursors(cx.getTypeDeclaration(a), cx.getTypeDeclaration(b));
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* Returns the buffer that a pointer variable, or a pointer in a struct, points to. */
static draft_buffer *buffer_of(draft_decl *variable, const char *path, cx_type type)
{
    draft_buffer *buffer = NULL;
    for (size_t i = 0; i < buffers.count; i++) {
        draft_buffer *known = buffers.items[i];
        buffer = known->parameter == variable && strcmp(known->path, path) == 0 ? known : buffer;
    }
    if (!buffer) {
        buffer = draft_new(sizeof *buffer);
        buffer->name = draft_format("%s%s", variable->name, path);
        buffer->parameter = variable;
        buffer->path = path;
        buffer->type = type;
        draft_add(&buffers, buffer);
        if (draft_now.out) {
            draft_amount *passed =
                draft_passed(draft_now.out->launch, draft_now.out->kernel, variable, path);
            const draft_spot *at = passed && passed->kind == DRAFT_POINTER ? &passed->place : NULL;
            bool has = at && at->buffer;
            buffer->source = has ? passed : NULL;
            buffer->bytes = has && at->buffer->bytes && draft_is_known(at->offset)
                                ? draft_plus(at->buffer->bytes, at->offset, -1)
                                : NULL;
            draft_add(&draft_now.out->buffers, buffer);
        }
    }
    return buffer;
}

/* Returns memory that is private to a block or a thread, such as a shared or a local array. */
static draft_spot own_memory(void)
{
    return (draft_spot){.path = "", .offset = draft_number(0)};
}

static draft_spot unknown_memory(void)
{
    return (draft_spot){.path = ""};
}

static draft_amount *pointer_to_buffer(draft_decl *decl, const char *path, cx_type type)
{
    draft_spot begin = own_memory();
    begin.buffer = buffer_of(decl, path, draft_pointee(type));
    return draft_pointer(begin);
}

/* Returns a symbol for the unknown value of a variable or, if `decl` is NULL, of other code. */
static draft_amount *any_value(draft_decl *decl, const char *text, cx_type type)
{
    const bool on_host = draft_on_host();
    if (on_host && !decl && draft_is_integer(type) && draft_size_of(type) == 1) {
        return draft_unknown(draft_format("'%s' is a character that the program reads", text));
    }
    return draft_is_integer(type)    ? (on_host ? draft_host_symbol(decl, text, NULL)
                                                : draft_changing(decl ? decl->name : text))
           : !draft_is_pointer(type) ? draft_nothing()
           : decl && on_host         ? pointer_to_buffer(decl, text, type)
                                     : draft_pointer(unknown_memory());
}

static void note_access(const draft_spot *spot, cx_type type, cx_cursor at, bool read, bool written)
{
    draft_buffer *buffer = spot->buffer;
    if (!draft_now.out || draft_now.quiet || spot->variable || (!buffer && spot->offset)) {
        return;
    }
    if (!buffer) {
        ask_at(at, "this accesses memory through a pointer whose buffer is not known");
        return;
    }
    draft_access access = {.offset = spot->offset,
                           .buffer = buffer,
                           .type = type,
                           .written = written,
                           .depth = draft_depth_of_gaps(),
                           .at = at};
    if (!buffer->is_read && !buffer->is_written) {
        buffer->accessed_as = cx.getCanonicalType(type);
    }
    buffer->is_read |= read;
    buffer->is_written |= written;
    buffer->is_surely_written |= written && !draft_has_gaps(spot->offset);
    access.length = draft_is_known(spot->offset)
                        ? draft_plus(draft_bound(spot->offset, true, &draft_now.facts),
                                     draft_number(draft_size_of(type)), 1)
                        : spot->offset;
    access.first = draft_bound(spot->offset, false, &draft_now.facts);
    draft_add(&draft_now.out->accesses, access);
}

static draft_amount *loaded(const draft_spot *spot, cx_type type)
{
    const char *name = spot->buffer ? spot->buffer->name : "shared memory";
    draft_symbol *symbol = draft_new_symbol(DRAFT_LOADED, name);
    symbol->buffer = spot->buffer;
    symbol->index = spot->offset;
    if (draft_is_integer(type) && cx.Type_getSizeOf(type) == 1) { /* the largest value */
        symbol->number = type.kind == CX_TYPE_BOOL ? 1 : type.kind < CX_TYPE_CHAR_S ? 255 : 127;
    }
    if (spot->buffer) {
        draft_add(&draft_now.out->loaded, symbol);
    }
    return draft_symbol_value(symbol);
}

/* ---- variables ------------------------------------------------------------------------------- */

/* Returns the value that a kernel's parameter, or a member of it, has when the kernel begins. */
static draft_amount *parameter_now(draft_decl *decl, const char *path, cx_type type)
{
    draft_amount *passed = draft_passed(draft_now.out->launch, draft_now.out->kernel, decl, path);
    int64_t number = 1;
    bool is_known = passed && draft_is_known(passed), is_pointer = draft_is_pointer(type);
    if (is_known &&
        (is_pointer ? draft_is_number(passed, &number) && !number : draft_is_integer(type))) {
        return passed;
    }
    return is_pointer               ? pointer_to_buffer(decl, path, type)
           : draft_is_integer(type) ? draft_host_symbol(decl, path, NULL)
                                    : draft_nothing();
}

/* Returns the value of a variable that has not been assigned yet. */
static draft_amount *value_at_first(draft_decl *decl, const char *path, cx_type type)
{
    draft_node *made = decl->busy ? NULL : draft_initialiser_of(decl);
    const cx_type parent = cx.getCursorType(cx.getCursorSemanticParent(decl->at));
    int64_t number;
    if (made && draft_is_integer(type) && cx.isConstQualifiedType(cx.getCursorType(decl->at)) &&
        draft_is_constant(&number, decl->at)) {
        return draft_on_host() && !decl->in_code ? draft_host_symbol(decl, path, &number)
               : parent.kind == CX_TYPE_RECORD   ? draft_number(number) /* members cannot be axes */
                                                 : draft_named_number(decl->name, number);
    }
    if (draft_on_host() && made) {
        decl->busy = true;
        draft_amount *value = draft_eval(made);
        decl->busy = false;
        if (!*path) {
            value = draft_named(decl, "", value);
            if (value->kind != DRAFT_TEXT && !draft_evaluate(&number, value)) {
                draft_bind(decl, "", value); /* the next evaluation may give another value */
            }
            return value;
        }
        if (value->kind == DRAFT_OBJECT && value->place.variable) {
            draft_spot inner = value->place;
            inner.path = draft_format("%s%s", inner.path, path);
            draft_assign(decl, "", value, draft_type_of(decl));
            return draft_read_variable(&inner, type);
        }
    }
    return any_value(decl, path, type);
}

draft_amount *draft_read_variable(const draft_spot *spot, cx_type type)
{
    draft_decl *decl = spot->variable;
    const draft_binding *outer = draft_outer_value(decl, spot->path);
    if (outer && strcmp(outer->path, spot->path) == 0) {
        return outer->value;
    }
    if (outer && outer->value->kind == DRAFT_OBJECT) { /* the struct is a copy of another one */
        draft_spot inner = outer->value->place;
        inner.path = draft_format("%s%s", inner.path, spot->path + strlen(outer->path));
        return inner.variable && inner.variable != decl ? draft_read_variable(&inner, type)
                                                        : draft_nothing();
    }
    if (outer && draft_on_host() && draft_is_integer(type)) {
        const bool is_unknown = outer->value->kind == DRAFT_UNKNOWN;
        const char *why = is_unknown ? outer->value->text : "is changed through a pointer";
        draft_amount *value =
            draft_doubtful(decl, spot->path, NULL, why + (strncmp(why, "it ", 3) ? 0 : 3));
        draft_bind(decl, spot->path, value);
        return value;
    }
    for (size_t i = 0; draft_now.out && i < draft_now.out->kernel->parameters.count; i++) {
        if (draft_now.out->kernel->parameters.items[i] == decl) {
            return parameter_now(decl, spot->path, type);
        }
    }
    return value_at_first(decl, spot->path, type);
}

/* Returns the array if this is an element of an array variable, otherwise NULL. */
static draft_decl *array_of(const draft_node *node)
{
    const draft_node *array = node->kind == CX_SUBSCRIPT ? node->children[0] : NULL;
    return array && array->kind == CX_DECL_REF && draft_is_array(array->type) ? array->decl : NULL;
}

/* Returns the value of an array's element from the array's initialiser, or NULL if the program may
 * have changed the array or if the index may vary. */
static draft_amount *listed(const draft_node *node)
{
    draft_decl *array = array_of(node);
    const draft_node *list =
        array && !draft_outer_value(array, "") ? draft_initialiser_of(array) : NULL;
    int64_t number;
    return list && list->kind == CX_INIT_LIST && draft_is_integer(node->type) &&
                   !draft_has_change(node->children[1]) &&
                   draft_is_number(draft_eval(node->children[1]), &number) && number >= 0 &&
                   number < list->count
               ? draft_eval(list->children[number])
               : NULL;
}

static draft_amount *read_place(const draft_spot *spot, draft_node *node)
{
    cx_type type = node->type;
    if (draft_is_array(type)) {
        if (draft_on_host() && spot->variable) { /* from now on, the elements may change */
            draft_bind(spot->variable, spot->path, draft_nothing());
        }
        return draft_pointer(spot->variable ? own_memory() : *spot);
    }
    if (spot->variable) {
        return type.kind == CX_TYPE_RECORD ? draft_object(*spot) : draft_read_variable(spot, type);
    }
    if (draft_on_host()) {
        draft_amount *value = listed(node);
        return value ? value : any_value(NULL, draft_source_of(node->at), node->type);
    }
    note_access(spot, type, node->at, true, false);
    if (draft_is_pointer(type) && spot->buffer) {
        spot->buffer->is_nested = true;
        return draft_pointer(own_memory());
    }
    return draft_is_integer(type) || draft_is_float(type) ? loaded(spot, type)
           : type.kind == CX_TYPE_RECORD                  ? draft_object(*spot)
                                                          : any_value(NULL, "", type);
}

static void write_place(const draft_spot *spot, draft_node *node, draft_amount *value, bool read)
{
    if (!spot->variable) {
        draft_decl *array = array_of(node);
        if (draft_on_host() && array) {
            draft_bind(array, "", draft_nothing());
        }
        note_access(spot, node->type, node->at, read, true);
    } else {
        draft_assign(spot->variable, spot->path, draft_named(spot->variable, spot->path, value),
                     node->type);
    }
}

void draft_declare(draft_decl *decl)
{
    draft_node *made = draft_initialiser_of(decl);
    cx_type type = draft_type_of(decl);
    if (draft_now.out && draft_has_child(decl->at, CX_SHARED_ATTRIBUTE)) {
        draft_now.out->has_shared = true;
        draft_now.out->has_dynamic |= type.kind == CX_TYPE_OPEN_ARRAY;
        return;
    }
    draft_forget(decl);
    if (!made) {
        return;
    }
    draft_amount *value =
        draft_is_reference(type) ? draft_object(draft_spot_of(made)) : draft_eval(made);
    draft_forget(decl);
    if (draft_is_reference(type) || (type.kind == CX_TYPE_RECORD && value->kind == DRAFT_OBJECT)) {
        draft_assign(decl, "", value, type);
    } else if (!draft_is_array(type) && type.kind != CX_TYPE_RECORD) {
        const bool is_input = draft_on_host() && value == draft_nothing() && draft_is_integer(type);
        draft_bind(decl, "",
                   is_input ? draft_host_symbol(decl, "", NULL) : draft_named(decl, "", value));
    }
    if (draft_on_host() && draft_now.function && cx.Cursor_getStorageClass(decl->at) == CX_STATIC) {
        const draft_spot spot = {.variable = decl, .path = ""};
        draft_change_unseen(&spot, type, "is static, and may have been changed before");
    }
}

/* ---- places ---------------------------------------------------------------------------------- */

static draft_spot pointed(draft_amount *pointer)
{
    int64_t number;
    return pointer->kind == DRAFT_POINTER || pointer->kind == DRAFT_OBJECT ? pointer->place
           : draft_is_number(pointer, &number) /* a null pointer, which is never dereferenced */
               ? own_memory()
               : unknown_memory();
}

draft_spot draft_moved(const draft_spot *spot, draft_amount *bytes)
{
    draft_spot out = *spot;
    if (out.buffer) {
        out.offset = draft_plus(out.offset, bytes, 1);
    }
    return out;
}

/* Returns the location of the object whose member is accessed, or of *this if `object` is NULL. */
static draft_spot object_place(draft_node *object)
{
    return !object                          ? draft_now.object
           : draft_is_pointer(object->type) ? pointed(draft_eval(object))
                                            : draft_spot_of(object);
}

static draft_spot member_place(draft_node *node)
{
    draft_node *object = node->count ? node->children[0] : NULL;
    const char *name = node->decl ? node->decl->name : "";
    draft_spot spot = object_place(object);
    if (spot.variable && draft_is_opaque(draft_type_of(spot.variable))) {
        return draft_on_host() ? unknown_memory() : own_memory();
    }
    if (spot.variable) {
        spot.path = draft_format("%s.%s", spot.path, name);
        draft_amount *value = draft_value_of(spot.variable, spot.path);
        if (node->decl && draft_is_reference(draft_type_of(node->decl))) {
            spot = value && value->kind == DRAFT_OBJECT ? value->place : unknown_memory();
        }
    } else if (spot.buffer) {
        cx_type type =
            object ? object->type : cx.getCursorType(cx.getCursorSemanticParent(node->decl->at));
        type = draft_is_pointer(type) ? draft_pointee(type) : cx.getCanonicalType(type);
        long long bits = cx.Type_getOffsetOf(type, name);
        spot = draft_moved(&spot, draft_number(bits > 0 ? bits / 8 : 0));
    }
    return spot;
}

static draft_spot variable_place(draft_decl *decl)
{
    draft_amount *value = draft_value_of(decl, "");
    if (draft_now.out && draft_has_child(decl->at, CX_SHARED_ATTRIBUTE)) {
        draft_declare(decl);
        return own_memory();
    }
    return draft_is_reference(draft_type_of(decl)) && value && value->kind == DRAFT_OBJECT
               ? value->place
               : (draft_spot){.variable = decl, .path = ""};
}

/* Returns the location of an array element. If the size of the array is known, also records the
 * limit of the index. This limit restricts the block size or the fill of a buffer of indices. */
static draft_spot element_place(draft_node *node)
{
    draft_node *array = node->children[0];
    draft_spot base = draft_on_host() && array_of(node) ? own_memory() : pointed(draft_eval(array));
    draft_amount *index = draft_eval(node->children[1]);
    const draft_launched *launch = draft_now.out ? draft_now.out->launch : NULL;
    int64_t number, bytes = cx.Type_getSizeOf(array->type);
    const bool is_dynamic =
        array->type.kind == CX_TYPE_OPEN_ARRAY && launch && draft_is_number(launch->shared, &bytes);
    if ((array->type.kind == CX_TYPE_ARRAY || is_dynamic) && draft_now.out && !draft_now.quiet &&
        draft_is_known(index) && !draft_is_number(index, &number)) {
        draft_fact limit = {.lhs = draft_bound(index, true, &draft_now.facts),
                            .most = draft_number(bytes / draft_size_of(node->type) - 1)};
        if (draft_is_known(limit.lhs) && !draft_is_number(limit.lhs, &number)) {
            draft_add(&draft_now.out->limits, limit);
        }
    }
    return draft_moved(&base, draft_times(index, draft_number(draft_size_of(node->type))));
}

static draft_amount *call(draft_node *node);

bool draft_returns_place(const draft_decl *function)
{
    return function &&
           draft_is_reference(cx.getCanonicalType(cx.getCursorResultType(function->at)));
}

draft_spot draft_spot_of(draft_node *node)
{
    draft_amount *value;
    switch (node->kind) {
    case CX_DECL_REF:
        return node->decl && (node->decl->at.kind == CX_VAR || node->decl->at.kind == CX_PARM)
                   ? variable_place(node->decl)
                   : own_memory();
    case CX_MEMBER_REF:
        return member_place(node);
    case CX_SUBSCRIPT:
        return node->count == 2 ? element_place(node) : own_memory();
    case CX_BINARY:
    case CX_COMPOUND_ASSIGN:
    case CX_UNARY:
        if (node->kind == CX_UNARY && node->operation == CX_DEREF) {
            return pointed(draft_eval(node->children[0]));
        }
        draft_eval(node);
        return node->count ? draft_spot_of(node->children[0]) : own_memory();
    default:
        value = node->kind == CX_CALL ? call(node) : draft_eval(node);
        return value->kind == DRAFT_OBJECT ? value->place
               : node->kind == CX_CONDITIONAL ||
                       (node->kind == CX_CALL && draft_returns_place(node->decl))
                   ? unknown_memory()
                   : own_memory(); /* a temporary object */
    }
}

/* Marks the variables that the body of a lambda uses. */
static int note_capture(cx_cursor at, cx_cursor parent, void *user)
{
    draft_decl *decl = at.kind == CX_DECL_REF ? draft_decl_of(cx.getCursorReferenced(at)) : NULL;
    (void)parent;
    (void)user;
    if (at.kind == CX_THIS || at.kind == CX_MEMBER_REF) {
        decl = draft_now.object.variable;
    } else if (decl) {
        decl = decl->at.kind == CX_VAR || decl->at.kind == CX_PARM ? variable_place(decl).variable
                                                                   : NULL;
    }
    if (decl) {
        decl->is_captured = true;
    }
    return CX_RECURSE_VISIT;
}

static draft_amount *eval_lambda(draft_node *node)
{
    cx.visitChildren(node->at, note_capture, NULL);
    draft_now.lambdas++;
    draft_run_perhaps(node, "may be changed by a lambda");
    draft_now.lambdas--;
    return draft_object(draft_new_object(node));
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* Returns true if the parameter is a reference to the argument, not to a temporary object. */
static bool takes_place(cx_type parameter, const draft_node *argument)
{
    return draft_is_reference(parameter) &&
           !(argument->kind == CX_CONDITIONAL &&
             cx.isConstQualifiedType(cx.getPointeeType(parameter)));
}

static void bind_parameter(const draft_decl *function, draft_decl *parameter, draft_node *argument,
                           draft_amount *value)
{
    draft_forget(parameter);
    if (takes_place(draft_type_of(parameter), argument)) {
        if (draft_is_array(argument->type)) {
            draft_eval(argument); /* the function may change the array */
        }
        draft_bind(parameter, "", draft_object(draft_spot_of(argument)));
    } else if (value) {
        draft_assign(parameter, "",
                     draft_is_own(function->at) ? draft_named(parameter, "", value) : value,
                     draft_type_of(parameter));
    }
}

void draft_change_unseen(const draft_spot *spot, cx_type type, const char *doubt)
{
    if (cx.isConstQualifiedType(cx.getCursorType(spot->variable->at))) {
        return;
    }
    if (draft_is_integer(type)) {
        draft_amount *before = draft_read_variable(spot, type);
        int64_t number;
        bool has = draft_is_known(before) && draft_evaluate(&number, before);
        draft_bind(spot->variable, spot->path,
                   draft_doubtful(spot->variable, spot->path, has ? &number : NULL, doubt));
    } else if (type.kind == CX_TYPE_RECORD || draft_is_float(type) || draft_is_array(type)) {
        draft_bind(spot->variable, spot->path, draft_unknown(doubt));
    }
}

/* Returns true if argument `i` may be passed by reference and changed. A function that no header
 * declares may take any variable by reference. */
static bool is_passed_by_reference(const draft_node *call, unsigned i)
{
    const draft_decl *function = call->decl;
    const draft_node *argument = call->children[i];
    if (!function || (function->at.kind == CX_METHOD && draft_is_undeclared(function->at))) {
        return argument->type.kind == CX_TYPE_RECORD ||
               (!draft_is_pointer(argument->type) &&
                (argument->kind == CX_DECL_REF || argument->kind == CX_MEMBER_REF));
    }
    if (i >= function->parameters.count) {
        return false;
    }
    cx_type type = draft_type_of(function->parameters.items[i]);
    return type.kind == CX_TYPE_LVALUE && !cx.isConstQualifiedType(cx.getPointeeType(type));
}

/* Handles a call that cannot be interpreted. It may access all that its arguments point to. */
static draft_amount *call_unknown(draft_node *node)
{
    const draft_decl *function = node->decl;
    if (function && draft_is_undeclared(function->at) && node->count && node->children[0]->decl) {
        /* report the name of the missing object, not of its operator() */
        function = node->children[0]->decl;
    }
    const char *name = function ? function->name : "a function",
               *doubt = draft_format("may be changed by '%s'", name);
    for (unsigned i = 0; i < node->count; i++) {
        draft_node *argument = node->children[i];
        draft_amount *value = draft_eval(argument);
        draft_spot spot = pointed(value);
        if (draft_on_host() && is_passed_by_reference(node, i)) {
            spot = draft_spot_of(argument);
            if (spot.variable) {
                draft_change_unseen(&spot, argument->type, doubt);
            }
            continue;
        }
        if (value->kind != DRAFT_POINTER || !draft_is_pointer(argument->type)) {
            continue;
        }
        cx_type to = cx.getPointeeType(argument->type);
        bool writes = !cx.isConstQualifiedType(to);
        if (draft_on_host() && spot.variable && writes) {
            draft_change_unseen(&spot, cx.getCanonicalType(to), doubt);
        } else if (spot.buffer) {
            spot.offset =
                draft_unknown(draft_format("it is passed to '%s', whose code is not read", name));
            note_access(&spot, cx.getCanonicalType(to), argument->at, true, writes);
        }
    }
    if (!draft_on_host()) {
        draft_now.out->needs_positive |=
            function && !draft_is_own(function->at) && !draft_is_undeclared(function->at) &&
            (strstr(name, "log") || strstr(name, "sqrt") || strstr(name, "pow"));
    }
    const bool is_new = draft_on_host() && draft_is_integer(node->type) && function &&
                        function->at.kind != CX_METHOD; /* each call may return another value */
    return strcmp(name, "gt_unset_extent") == 0
               ? draft_unknown("the x dimension of the dim3 is never assigned")
           : is_new
               ? draft_doubtful(NULL, draft_source_of(node->at), NULL, NULL)
               : any_value(NULL, draft_on_host() ? draft_source_of(node->at) : name, node->type);
}

/* Replaces a parameter of the called function by the number that is passed. */
static draft_amount *put_argument(void *function, draft_amount *part)
{
    const draft_symbol *symbol = part->symbol;
    return symbol && symbol->kind == DRAFT_HOST && symbol->has_number && symbol->decl &&
                   symbol->decl->at.kind == CX_PARM &&
                   draft_decl_of(cx.getCursorSemanticParent(symbol->decl->at)) == function
               ? draft_number(symbol->number)
               : NULL;
}

/* Returns the result of a call for use in the caller. If the result depends on a value that is not
 * stored in a variable, returns a symbol for the call, because another call may return another
 * value. */
static draft_amount *seen_from_outside(draft_amount *result, const draft_node *call)
{
    const bool is_open = draft_has_kind(result, DRAFT_CHANGING);
    const draft_symbols symbols = draft_symbols_of(result);
    bool is_own = is_open;
    for (size_t i = 0; i < symbols.count; i++) {
        is_own |= symbols.items[i]->kind == DRAFT_HOST && !symbols.items[i]->decl &&
                  !symbols.items[i]->has_number;
    }
    return is_own ? draft_doubtful(NULL, draft_source_of(call->at), NULL,
                                   is_open ? DRAFT_UNDECIDED : NULL)
                  : draft_replace(result, put_argument, call->decl);
}

draft_amount *draft_follow(draft_node *body, const draft_decls *parameters, draft_node *node,
                           unsigned skipped, const draft_spot *object)
{
    draft_decl *function = node->decl;
    draft_binding *begin;
    draft_amount **values = draft_new((node->count + 1) * sizeof *values);
    const draft_reader outer = draft_now;
    for (unsigned i = skipped; i < node->count; i++) {
        draft_decl *parameter =
            i - skipped < parameters->count ? parameters->items[i - skipped] : NULL;
        cx_type type = parameter ? draft_type_of(parameter) : node->children[i]->type;
        draft_node *usual = parameter ? draft_default_of(parameter->at) : NULL;
        if (usual && node->children[i]->kind == CX_UNEXPOSED_EXPR && !node->children[i]->count) {
            node->children[i] = usual; /* the call leaves out this argument */
        }
        bool by_place = takes_place(type, node->children[i]) &&
                        node->children[i]->kind != CX_CALL &&
                        !draft_is_pointer(draft_pointee(type));
        values[i] = by_place ? NULL : draft_eval(node->children[i]);
    }
    for (unsigned i = skipped; i < node->count && i - skipped < parameters->count; i++) {
        bind_parameter(function, parameters->items[i - skipped], node->children[i], values[i]);
    }
    draft_now.returned = NULL;
    draft_now.outer_facts = outer.facts.count;
    draft_now.object = *object;
    draft_now.function = function;
    draft_now.calls++;
    function->busy = true;
    function->is_called |= draft_on_host();
    if (function->at.kind == CX_CONSTRUCTOR) {
        draft_initialise_members(function);
    }
    draft_now.early = NULL;
    begin = draft_now.last;
    draft_run(body);
    if (draft_on_host() && draft_now.early) {
        draft_doubt_return(begin);
    }
    draft_now.early = outer.early;
    function->busy = false;
    draft_now.calls--;
    draft_amount *result = draft_now.returned ? draft_now.returned : draft_nothing();
    draft_now.returned = outer.returned;
    draft_now.returned_if = outer.returned_if;
    draft_now.outer_facts = outer.outer_facts;
    draft_now.object = outer.object;
    draft_now.function = outer.function;
    draft_now.facts.count = outer.facts.count;
    draft_now.unsure = outer.unsure;
    return draft_on_host() ? seen_from_outside(result, node) : result;
}

static draft_amount *call(draft_node *node)
{
    draft_decl *function = node->decl;
    draft_node *first = node->count ? node->children[0] : NULL;
    draft_amount *of_host = draft_on_host() ? draft_host_call(node) : NULL;
    bool deep = draft_now.calls >= DRAFT_CALLS_MOST ||
                (draft_on_host() && draft_now.steps > HOST_STEPS_MOST);
    draft_node *body = function && !of_host && !cx.CXXMethod_isVirtual(function->at)
                           ? draft_body_of(function)
                           : NULL;
    draft_spot object = draft_now.object;
    if (of_host) {
        return of_host;
    }
    if (function && function->at.kind == CX_CONSTRUCTOR) {
        return draft_construct(node);
    }
    const draft_node *callee = node->callee;
    bool is_method = callee && callee->kind == CX_MEMBER_REF;
    if (is_method) {
        object = object_place(callee->count ? callee->children[0] : NULL);
    }
    if (function && function->at.kind == CX_CONVERSION && !body && draft_on_host() &&
        object.variable && draft_is_integer(node->type)) {
        const char *path = draft_format("%s.()", object.path); /* all conversions give one number */
        draft_amount *number = draft_value_of(object.variable, path);
        if (!number) {
            number = draft_doubtful(object.variable, object.path, NULL, NULL);
            draft_bind(object.variable, path, number);
        }
        return number;
    }
    const bool is_operator = function && function->at.kind == CX_METHOD && !is_method && first &&
                             strncmp(function->name, "operator", 8) == 0;
    if (is_operator && draft_on_host() &&
        strstr(draft_string(cx.getTypeSpelling(first->type)), "(lambda")) {
        return call_unknown(node); /* the lambda's body was interpreted where it was defined */
    }
    const char *sign = is_operator && strlen(function->name) > 8 ? function->name + 8 : "";
    bool is_copy = strcmp(sign, "=") == 0, changes_first = *sign && sign[strlen(sign) - 1] == '=' &&
                                                           (is_copy || !strchr("=!<>", *sign));
    is_copy =
        is_copy && node->count == 2 && draft_is_same_struct(first->type, node->children[1]->type);
    if (changes_first && (!body || is_copy)) {
        draft_amount *value = node->count > 1 ? draft_eval(node->children[1]) : draft_nothing();
        object = draft_spot_of(first);
        write_place(&object, first, value, sign[1] != '\0');
        return draft_object(object);
    }
    if (!body && (is_method || is_operator)) { /* the call may change its object */
        object = is_operator ? draft_spot_of(first) : object;
        cx_type type = is_operator     ? first->type
                       : callee->count ? callee->children[0]->type
                                       : node->type;
        type = draft_is_pointer(type) ? draft_pointee(type) : type;
        bool changes = !function || !cx.CXXMethod_isConst(function->at);
        note_access(&object, type, node->at, true, changes);
        if (draft_on_host() && object.variable && changes && function &&
            draft_is_own(function->at)) {
            draft_change_unseen(&object, type,
                                draft_format("may be changed by '%s'", function->name));
        }
    }
    if (!body || function->busy || deep) {
        if (body && function->busy) {
            ask_at(node->at, "this function calls itself, and is not followed");
        }
        return call_unknown(node);
    }
    object = is_operator ? draft_spot_of(first) : object;
    return draft_follow(body, &function->parameters, node, is_operator ? 1 : 0, &object);
}

/* ---- expressions ----------------------------------------------------------------------------- */

/* Returns the symbol for a built-in variable such as threadIdx.x, or NULL. */
static draft_amount *geometry(draft_node *node)
{
    static const char *const names[] = {"threadIdx", "blockIdx", "blockDim", "gridDim"};
    draft_decl *base =
        node->count && node->children[0]->kind == CX_DECL_REF ? node->children[0]->decl : NULL;
    const char *member = node->decl ? node->decl->name : "";
    if (!base || !draft_now.out || draft_is_own(base->at) || *member < 'x' || *member > 'z') {
        return NULL;
    }
    for (int i = 0; i < 4; i++) {
        if (strcmp(base->name, names[i]) == 0) {
            draft_now.out->reads_block[*member - 'x'] |= i == 2;
            draft_now.out->reads_thread[*member - 'x'] |= i == 0;
            return draft_builtin((draft_symbol_kind)(DRAFT_THREAD + i), *member - 'x');
        }
    }
    return NULL;
}

static draft_amount *eval_reference(draft_node *node)
{
    draft_decl *decl = draft_overload_of(node->decl);
    int64_t number;
    if (!decl) { /* in an instance, a template parameter is a constant */
        if (node->count != 1 || !draft_is_constant(&number, node->children[0]->at)) {
            return draft_nothing();
        }
        /* the host code fixes the number, so it is not a problem size */
        return draft_on_host() && !(node->name && draft_slice_has(node->name))
                   ? draft_number(number)
                   : draft_literal(node, number);
    }
    switch (decl->at.kind) {
    case CX_ENUMERATOR:
        return draft_named_number(decl->name, cx.getEnumConstantDeclValue(decl->at));
    case CX_FUNCTION:
    case CX_FUNCTION_TEMPLATE:
        return draft_object((draft_spot){.variable = decl, .path = ""});
    case CX_VAR:
    case CX_PARM: {
        if (!draft_is_own(decl->at) && strcmp(decl->name, "warpSize") == 0) {
            return draft_number(32);
        }
        draft_spot spot = variable_place(decl);
        return read_place(&spot, node);
    }
    default:
        return draft_is_constant(&number, node->at) ? draft_literal(node, number) : draft_nothing();
    }
}

static draft_amount *pointer_sum(draft_node *node, draft_amount *a, draft_amount *b)
{
    draft_amount *pointer = a->kind == DRAFT_POINTER ? a : b,
                 *by = a->kind == DRAFT_POINTER ? b : a;
    if (by->kind == DRAFT_POINTER) {
        return draft_nothing();
    }
    draft_amount *bytes = draft_times(by, draft_number(draft_size_of(draft_pointee(node->type))));
    return draft_pointer(draft_moved(
        &pointer->place, node->operation == CX_SUB ? draft_times(draft_number(-1), bytes) : bytes));
}

/* Returns the operator that a compound assignment applies: + for +=. */
static int compound_operation(const draft_node *node)
{
    int op = node->operation - CX_MUL_ASSIGN + CX_MUL;
    return op > CX_SHR ? op + CX_AND - CX_SHR - 1 : op;
}

/* Returns true if an unsigned product in a kernel is likely to wrap around, as in a hash function:
 * a constant factor uses more than half of the bits of its type. */
static bool may_wrap(const draft_amount *value, cx_type type)
{
    const int64_t large = (int64_t)1 << (4 * draft_size_of(type));
    bool found = false;
    for (unsigned i = 0; type.kind < CX_TYPE_CHAR_S && i < value->count; i++) {
        found |= value->terms[i].count && value->terms[i].factor >= large;
    }
    return found;
}

/* Returns `value` converted to an integer type. In host code, the result may vary if a computed
 * number does not fit. An unknown value is assumed to fit in 32 bits but not in fewer. In kernels,
 * values of narrow types are unknown, and so are products that are likely to wrap around. */
static draft_amount *fitted(draft_amount *value, cx_type type, cx_cursor at)
{
    const bool is_narrow = draft_is_integer(type) && draft_size_of(type) <= 2,
               is_known = draft_is_known(value);
    int64_t number = 0, own;
    if (!is_known || !draft_is_integer(type) || type.kind == CX_TYPE_BOOL) {
        return value;
    }
    if (!draft_on_host()) {
        return may_wrap(value, type) ? draft_changing("a product that may overflow")
               : is_narrow && !(draft_is_number(value, &number) && draft_wrap(&number, type))
                   ? draft_changing("a number of a narrow type")
                   : value;
    }
    const bool has_number = draft_evaluate(&number, value);
    if (has_number ? draft_wrap(&number, type) : !is_narrow) {
        return value;
    }
    const bool is_wrapped = has_number && draft_size_of(type) < 8;
    return is_wrapped && draft_is_number(value, &own)
               ? draft_number(number)
               : draft_doubtful(NULL, draft_source_of(at), is_wrapped ? &number : NULL,
                                "may not fit in its type");
}

static draft_amount *change_by(draft_node *node, draft_amount *by, int operation, bool is_post)
{
    draft_node *target = node->children[0];
    draft_spot spot = draft_spot_of(target);
    if (!spot.variable) {
        write_place(&spot, target, draft_nothing(), true);
        return draft_nothing();
    }
    draft_amount *before = read_place(&spot, target), *after = draft_nothing();
    if (before->kind == DRAFT_POINTER) {
        draft_node sum = {.operation = operation, .type = target->type};
        after = pointer_sum(&sum, before, by);
    } else if (draft_is_integer(target->type)) {
        after = draft_binary(operation, before, by, false);
        after = fitted(after, target->type, target->at);
    }
    write_place(&spot, target, after, true);
    return is_post ? before : after;
}

/* Returns a floating-point number as written in the source. If a macro stands for the number,
 * returns the macro's name or, if the draft does not contain the macro, an unknown value. */
static draft_amount *float_number(const draft_node *node)
{
    const char *text = draft_source_of(node->at), *name = text + (*text == '-');
    return draft_word_length(name) && !isdigit((unsigned char)*name) && !draft_slice_has(name)
               ? draft_nothing()
               : draft_float_text(text);
}

static draft_amount *eval_binary(draft_node *node)
{
    int operation = node->operation;
    if (node->count != 2) {
        return draft_nothing();
    }
    if (operation == CX_ASSIGN) {
        draft_amount *value = draft_eval(node->children[1]);
        draft_spot spot = draft_spot_of(node->children[0]);
        write_place(&spot, node->children[0], value, false);
        return value;
    }
    draft_amount *a = draft_eval(node->children[0]);
    size_t facts = draft_now.facts.count;
    int64_t decided;
    bool is_and = operation == CX_LOGICAL_AND;
    if (is_and || operation == CX_LOGICAL_OR) {
        if (draft_is_number(a, &decided) && (decided != 0) != is_and) {
            return draft_number(decided != 0);
        }
    }
    if (is_and || operation == CX_LOGICAL_OR) {
        draft_now.quiet++; /* record nothing yet: draft_assume() gets the whole condition later */
        draft_assume(a, is_and);
        draft_now.quiet--;
    }
    draft_amount *b = is_and || operation == CX_LOGICAL_OR
                          ? draft_eval_if(node->children[1], a, is_and)
                          : draft_eval(node->children[1]);
    draft_now.facts.count = facts;
    /* an unknown operand must not make the whole condition unknown */
    if ((is_and || operation == CX_LOGICAL_OR) && !draft_on_host()) {
        a = draft_is_known(a) ? a : draft_changing("a condition");
        b = draft_is_known(b) ? b : draft_changing("a condition");
    }
    if (operation == CX_COMMA) {
        return b;
    }
    if (a->kind == DRAFT_POINTER && b->kind == DRAFT_POINTER) {
        for (int i = 0; i < 2; i++) {
            draft_buffer *buffer = (i ? b : a)->place.buffer;
            if (buffer) {
                buffer->is_compared = true;
            }
        }
    }
    if (a->kind == DRAFT_POINTER || b->kind == DRAFT_POINTER) {
        return draft_is_pointer(node->type) ? pointer_sum(node, a, b) : draft_nothing();
    }
    bool is_real = draft_is_float(node->type);
    return is_real && !draft_on_host() && operation != CX_DIV
               ? draft_nothing()
               : fitted(draft_binary(operation, a, b, is_real), node->type, node->at);
}

static draft_amount *eval_unary(draft_node *node)
{
    draft_node *child = node->count ? node->children[0] : NULL;
    if (!child) {
        return draft_nothing();
    }
    if (node->operation <= CX_PRE_DEC) {
        bool up = node->operation == CX_POST_INC || node->operation == CX_PRE_INC;
        return change_by(node, draft_number(1), up ? CX_ADD : CX_SUB, node->operation < CX_PRE_INC);
    }
    if (node->operation == CX_ADDRESS) {
        draft_decl *function = child->kind == CX_DECL_REF ? child->decl : NULL;
        return function && function->at.kind != CX_VAR && function->at.kind != CX_PARM
                   ? draft_eval(child)
                   : draft_pointer(draft_spot_of(child));
    }
    draft_amount *a = draft_eval(child);
    if (node->operation == CX_DEREF) {
        draft_spot spot = pointed(a);
        return read_place(&spot, node);
    }
    if (node->operation == CX_MINUS && child->kind == CX_FLOATING) {
        return float_number(node);
    }
    if (node->operation == CX_LOGICAL_NOT) {
        return draft_make(DRAFT_NEGATION, a, NULL, NULL);
    }
    return node->operation == CX_MINUS
               ? fitted(draft_times(draft_number(-1), a), node->type, node->at)
           : node->operation == CX_PLUS ? a
                                        : draft_nothing();
}

static draft_amount *eval_conditional(draft_node *node)
{
    int64_t number;
    if (node->count != 3) {
        return draft_nothing();
    }
    draft_amount *condition = draft_eval(node->children[0]);
    if (draft_is_number(condition, &number)) {
        return draft_eval(node->children[number ? 1 : 2]);
    }
    size_t facts = draft_now.facts.count;
    bool unsure = draft_is_unsure(condition);
    draft_now.unsure += unsure;
    draft_assume(condition, true);
    draft_amount *a = draft_eval_if(node->children[1], condition, true);
    draft_now.facts.count = facts;
    draft_assume(condition, false);
    draft_amount *b = draft_eval_if(node->children[2], condition, false);
    draft_now.facts.count = facts;
    draft_now.unsure -= unsure;
    return draft_either("a choice", condition, a, b);
}

/* Adds a question for each pointer that is passed to inline assembly. */
static draft_amount *eval_asm(draft_node *node)
{
    for (unsigned i = 0; i < node->count; i++) {
        draft_amount *value = draft_eval(node->children[i]);
        if (value->kind == DRAFT_POINTER && value->place.buffer) {
            note_access(&value->place, draft_pointee(node->children[i]->type), node->at, true,
                        true);
            ask_at(node->at, "inline assembly gets a pointer, and it is not known if it reads or "
                             "writes through it; check in, out or inout");
        }
    }
    return draft_nothing();
}

/* Converts a value to an integer. */
static draft_amount *converted(draft_node *node)
{
    draft_amount *value = draft_eval(node->children[0]);
    int64_t number;
    value = draft_is_integer(node->children[0]->type) ? value
            : value->kind == DRAFT_REAL ? draft_make(DRAFT_QUOTIENT, value->a, value->b, NULL)
            : draft_is_constant(&number, node->at)                            ? draft_number(number)
            : draft_is_known(value) && !draft_has_kind(value, DRAFT_FRACTION) ? value
            : draft_on_host() ? draft_host_symbol(NULL, draft_source_of(node->at), NULL)
                              : draft_changing("a rounded number");
    return node->type.kind == CX_TYPE_BOOL ? draft_make(DRAFT_UNEQUAL, value, draft_number(0), NULL)
                                           : fitted(value, node->type, node->at);
}

draft_amount *draft_eval(draft_node *node)
{
    int64_t number;
    if (++draft_now.steps > STEPS_MOST) {
        return draft_nothing();
    }
    switch (node->kind) {
    case CX_DECL_REF:
        return eval_reference(node);
    case CX_MEMBER_REF: {
        draft_amount *builtin = geometry(node);
        if (builtin) {
            return builtin;
        }
        draft_spot spot = member_place(node);
        return read_place(&spot, node);
    }
    case CX_SUBSCRIPT: {
        draft_spot spot = draft_spot_of(node);
        return read_place(&spot, node);
    }
    case CX_UNARY:
        return eval_unary(node);
    case CX_BINARY:
        return eval_binary(node);
    case CX_COMPOUND_ASSIGN:
        return node->count == 2
                   ? change_by(node, draft_eval(node->children[1]), compound_operation(node), false)
                   : draft_nothing();
    case CX_CONDITIONAL:
        return eval_conditional(node);
    case CX_CALL: {
        draft_amount *value = call(node);
        const bool is_place = value->kind == DRAFT_OBJECT && node->type.kind != CX_TYPE_RECORD &&
                              draft_returns_place(node->decl);
        return is_place ? read_place(&value->place, node) : value;
    }
    case CX_INIT_LIST:
        return draft_list(node);
    case CX_ASM:
        return eval_asm(node);
    case CX_THIS:
        return draft_pointer(draft_now.object);
    case CX_NULLPTR:
        return draft_number(0);
    case CX_FLOATING:
        return float_number(node);
    case CX_LAMBDA:
        return eval_lambda(node);
    case DRAFT_CONVERT:
        return converted(node);
    case CX_SIZEOF:
        return draft_is_constant(&number, node->at) ? draft_number(number) : draft_nothing();
    default:
        break;
    }
    for (unsigned i = 0; i < node->count; i++) {
        draft_eval(node->children[i]);
    }
    return draft_is_integer(node->type) && draft_is_constant(&number, node->at)
               ? draft_literal(node, number)
               : draft_nothing();
}

void draft_body_read(draft_kernel_facts *out, draft_decl *kernel, const draft_launched *launch)
{
    draft_node *body = draft_body_of(kernel);
    memset(&draft_now, 0, sizeof draft_now);
    draft_now.out = out;
    draft_now.object = own_memory();
    out->kernel = kernel;
    out->launch = launch;
    for (size_t i = 0; i < kernel->parameters.count; i++) {
        draft_forget(kernel->parameters.items[i]);
    }
    if (body) {
        draft_run(body);
    }
    if (draft_now.steps > STEPS_MOST) {
        ask_at(kernel->at, "the code is too long to be followed as a whole");
    }
}
