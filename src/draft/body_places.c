/* What a kernel's variables hold, and which memory it accesses. */
#include "draft/body_parts.h"

#include <string.h>

draft_amount *draft_nothing(void)
{
    static draft_amount *value;
    value = value ? value : draft_unknown("it is no integer");
    return value;
}

void draft_ask_at(cx_cursor at, const char *what)
{
    char *text = draft_format("%s: %s", draft_place_of(at), what);
    for (size_t i = 0; i < draft_now.out->unread.count; i++) {
        if (strcmp(draft_now.out->unread.items[i], text) == 0) {
            return;
        }
    }
    draft_need_memory(gt_texts_take(&draft_now.out->unread, text));
}

/* ---- symbols --------------------------------------------------------------------------------- */

draft_symbol *draft_builtin(draft_symbol_kind kind, int axis)
{
    static draft_symbol symbols[4][3];
    static const char *const names[] = {"threadIdx.", "blockIdx.", "block_", "grid_"};
    draft_symbol *symbol = &symbols[kind - DRAFT_THREAD][axis];
    if (!symbol->name) {
        symbol->kind = kind;
        symbol->axis = axis;
        symbol->name = draft_format("%s%c", names[kind - DRAFT_THREAD], "xyz"[axis]);
        if (kind == DRAFT_THREAD || kind == DRAFT_BLOCK_INDEX) {
            symbol->end = draft_symbol_value(
                draft_builtin(kind == DRAFT_THREAD ? DRAFT_BLOCK_SIZE : DRAFT_GRID_SIZE, axis));
        }
    }
    return symbol;
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

draft_amount *draft_local(const char *name, draft_amount *value)
{
    int64_t number;
    if (!draft_is_known(value) || value->kind == DRAFT_SYMBOL || draft_is_number(value, &number)) {
        return value;
    }
    draft_symbol *symbol = draft_new_symbol(DRAFT_LOCAL, name);
    symbol->definition = value;
    return draft_symbol_value(symbol);
}

static draft_buffer *buffer_of(draft_decl *parameter, const char *path, cx_type type)
{
    draft_kernel_facts *out = draft_now.out;
    for (size_t i = 0; i < out->buffers.count; i++) {
        draft_buffer *known = out->buffers.items[i];
        if (known->parameter == parameter && strcmp(known->path, path) == 0) {
            return known;
        }
    }
    draft_buffer *buffer = draft_new(sizeof *buffer);
    buffer->name = draft_format("%s%s", parameter->name, path);
    buffer->parameter = parameter;
    buffer->path = path;
    buffer->type = type;
    draft_add(&out->buffers, buffer);
    return buffer;
}

static draft_symbol *parameter_symbol(draft_decl *parameter, const char *path)
{
    draft_kernel_facts *out = draft_now.out;
    const char *name = draft_format("%s%s", parameter->name, path);
    for (size_t i = 0; i < out->parameters.count; i++) {
        if (strcmp(out->parameters.items[i]->name, name) == 0) {
            return out->parameters.items[i];
        }
    }
    draft_symbol *symbol = draft_new_symbol(DRAFT_PARAMETER, name);
    symbol->decl = parameter;
    draft_add(&out->parameters, symbol);
    return symbol;
}

/* ---- accesses -------------------------------------------------------------------------------- */

static void note_index(void *user, draft_symbol *symbol)
{
    draft_buffer *target = user;
    if (symbol->kind == DRAFT_LOADED && symbol->buffer) {
        symbol->buffer->is_bound = true;
        symbol->buffer->indexed = symbol->buffer->indexed ? symbol->buffer->indexed : target;
    }
    if (symbol->kind == DRAFT_LOCAL) {
        draft_symbols_of(symbol->definition, note_index, user);
    }
}

/* An index that is one loaded element gives the range that elements may have. */
static void note_plain_index(draft_buffer *target, draft_amount *offset)
{
    offset = draft_written_out(offset);
    draft_term one = {1, 1, {offset}};
    const draft_term *term = offset->kind == DRAFT_SUM && offset->count == 1 ? offset->terms : &one;
    if (term->count == 1 && term->atoms[0]->kind == DRAFT_SYMBOL &&
        term->atoms[0]->symbol->kind == DRAFT_LOADED && term->atoms[0]->symbol->buffer) {
        term->atoms[0]->symbol->buffer->indexed = target;
        term->atoms[0]->symbol->buffer->index_bytes = term->factor;
    }
}

void draft_note_access(const draft_spot *spot, cx_type type, cx_cursor at, bool read, bool written)
{
    for (; spot; spot = spot->other) {
        if (spot->variable) {
            continue;
        }
        if (!spot->buffer) {
            if (!spot->offset) {
                draft_ask_at(at,
                             "this accesses memory through a pointer whose buffer is not known");
            }
            continue;
        }
        long long bytes = cx.Type_getSizeOf(type);
        draft_access access = {
            .read = read, .written = written, .type = type, .at = at, .certain = !draft_now.unsure};
        access.length = draft_is_known(spot->offset)
                            ? draft_plus(draft_bound(spot->offset, true, &draft_now.facts),
                                         draft_number(bytes > 0 ? bytes : 1), 1)
                            : spot->offset;
        if (draft_is_known(spot->offset)) {
            draft_symbols_of(spot->offset, note_index, spot->buffer);
            note_plain_index(spot->buffer, spot->offset);
        }
        draft_add(&spot->buffer->accesses, access);
    }
}

draft_spot draft_own_memory(void)
{
    return (draft_spot){.path = "", .offset = draft_number(0)};
}

static draft_spot unknown_memory(void)
{
    return (draft_spot){.path = ""};
}

draft_amount *draft_loaded(const draft_spot *spot)
{
    const char *name = spot->buffer ? spot->buffer->name : "shared memory";
    for (size_t i = 0; spot->buffer && i < draft_now.out->loaded.count; i++) {
        draft_symbol *known = draft_now.out->loaded.items[i];
        if (known->buffer == spot->buffer && known->index == spot->offset) {
            return draft_symbol_value(known);
        }
    }
    draft_symbol *symbol = draft_new_symbol(DRAFT_LOADED, name);
    symbol->buffer = spot->buffer;
    symbol->index = spot->offset;
    if (spot->buffer) {
        draft_add(&draft_now.out->loaded, symbol);
    }
    return draft_symbol_value(symbol);
}

/* ---- variables ------------------------------------------------------------------------------- */

draft_slot *draft_find_slot(draft_decl *decl, const char *path)
{
    for (size_t i = 0; i < decl->slots.count; i++) {
        if (strcmp(decl->slots.items[i].path, path) == 0) {
            return &decl->slots.items[i];
        }
    }
    return NULL;
}

void draft_set_slot(draft_decl *decl, const char *path, draft_amount *value)
{
    draft_slot *slot = draft_find_slot(decl, path);
    draft_slot made = {path, value};
    if (!*path) {
        decl->slots.count = 0;
        slot = NULL;
    }
    if (slot) {
        slot->value = value;
    } else {
        draft_add(&decl->slots, made);
    }
}

bool draft_is_pointer(cx_type type)
{
    return type.kind == CX_TYPE_POINTER;
}

bool draft_is_array(cx_type type)
{
    return type.kind >= CX_TYPE_ARRAY && type.kind <= CX_TYPE_OPEN_ARRAY + 2;
}

bool draft_is_reference(cx_type type)
{
    return type.kind == CX_TYPE_LVALUE || type.kind == CX_TYPE_RVALUE;
}

static bool is_kernel_parameter(const draft_decl *decl)
{
    const draft_decl *kernel = draft_now.out->kernel;
    for (size_t i = 0; i < kernel->parameters.count; i++) {
        if (kernel->parameters.items[i] == decl) {
            return true;
        }
    }
    return false;
}

static draft_amount *parameter_now(draft_decl *decl, const char *path, cx_type type)
{
    if (draft_is_pointer(type)) {
        draft_spot spot = {.path = "", .offset = draft_number(0)};
        spot.buffer = buffer_of(decl, path, draft_pointee(type));
        return draft_pointer(spot);
    }
    if (draft_is_integer(type)) {
        return draft_symbol_value(parameter_symbol(decl, path));
    }
    return draft_nothing();
}

draft_amount *draft_read_variable(const draft_spot *spot, cx_type type, draft_node *node)
{
    draft_decl *decl = spot->variable;
    draft_slot *slot = draft_find_slot(decl, spot->path);
    int64_t number;
    if (slot) {
        return slot->value;
    }
    for (size_t i = 0; i < decl->slots.count;
         i++) { /* a copy of another struct, or a part of one */
        const draft_slot *outer = &decl->slots.items[i];
        size_t length = strlen(outer->path);
        if (outer->value->kind == DRAFT_OBJECT && strncmp(outer->path, spot->path, length) == 0) {
            draft_spot inner = outer->value->place;
            inner.path = draft_format("%s%s", inner.path, spot->path + length);
            return inner.variable && inner.variable != decl
                       ? draft_read_variable(&inner, type, node)
                       : draft_nothing();
        }
    }
    if (is_kernel_parameter(decl)) {
        return parameter_now(decl, spot->path, type);
    }
    if (!*spot->path && decl->at.kind == CX_VAR && draft_is_integer(type) &&
        cx.isConstQualifiedType(cx.getCursorType(decl->at)) &&
        draft_is_constant(&number, decl->at)) {
        return draft_named_number(decl->name, number);
    }
    return draft_is_integer(type)   ? draft_changing(decl->name)
           : draft_is_pointer(type) ? draft_pointer(unknown_memory())
                                    : draft_nothing();
}

draft_amount *draft_read_place(const draft_spot *spot, draft_node *node)
{
    cx_type type = node->type;
    if (draft_is_array(type)) {
        return draft_pointer(spot->variable ? draft_own_memory() : *spot);
    }
    if (spot->variable) {
        draft_amount *value = draft_read_variable(spot, type, node);
        return type.kind == CX_TYPE_RECORD && value->kind != DRAFT_OBJECT ? draft_object(*spot)
                                                                          : value;
    }
    draft_note_access(spot, type, node->at, true, false);
    if (draft_is_pointer(type)) {
        if (spot->buffer) {
            spot->buffer->is_nested = true;
        }
        return draft_pointer(draft_own_memory());
    }
    return draft_is_integer(type)        ? draft_loaded(spot)
           : type.kind == CX_TYPE_RECORD ? draft_object(*spot)
                                         : draft_nothing();
}

void draft_write_place(const draft_spot *spot, draft_node *node, draft_amount *value, bool read)
{
    if (!spot->variable) {
        draft_note_access(spot, node->type, node->at, read, true);
        return;
    }
    draft_set_slot(spot->variable, spot->path, draft_local(spot->variable->name, value));
}

/* ---- places ---------------------------------------------------------------------------------- */

draft_spot draft_pointed(draft_amount *pointer)
{
    return pointer->kind == DRAFT_POINTER || pointer->kind == DRAFT_OBJECT ? pointer->place
                                                                           : unknown_memory();
}

draft_spot draft_moved(const draft_spot *spot, draft_amount *bytes)
{
    draft_spot out = *spot;
    if (out.buffer) {
        out.offset = draft_plus(out.offset, bytes, 1);
    }
    if (out.other) {
        draft_spot *other = draft_new(sizeof *other);
        *other = draft_moved(out.other, bytes);
        out.other = other;
    }
    return out;
}

int64_t draft_size_of(cx_type type)
{
    long long bytes = cx.Type_getSizeOf(type);
    return bytes > 0 ? bytes : 1;
}

draft_spot draft_member_place(draft_node *node)
{
    draft_node *object = node->count ? node->children[0] : NULL;
    const char *name = node->decl ? node->decl->name : "";
    draft_spot spot = !object                          ? draft_now.object
                      : draft_is_pointer(object->type) ? draft_pointed(draft_eval(object))
                                                       : draft_spot_of(object);
    if (spot.variable) {
        spot.path = draft_format("%s.%s", spot.path, name);
    } else if (spot.buffer) {
        cx_type type =
            !object ? draft_canonical(cx.getCursorType(cx.getCursorSemanticParent(node->decl->at)))
            : draft_is_pointer(object->type) ? draft_pointee(object->type)
                                             : object->type;
        long long bits = cx.Type_getOffsetOf(type, name);
        spot = draft_moved(&spot, draft_number(bits > 0 ? bits / 8 : 0));
    }
    return spot;
}

draft_spot draft_variable_place(draft_decl *decl)
{
    draft_spot spot = {.variable = decl, .path = ""};
    draft_slot *slot = draft_find_slot(decl, "");
    bool refers = draft_is_reference(draft_canonical(cx.getCursorType(decl->at)));
    if (draft_has_child(decl->at, CX_SHARED_ATTRIBUTE)) {
        bool open = draft_canonical(cx.getCursorType(decl->at)).kind == CX_TYPE_OPEN_ARRAY;
        draft_now.out->has_dynamic |= open;
        draft_now.out->has_static |= !open;
        return draft_own_memory();
    }
    return refers && slot && slot->value->kind == DRAFT_OBJECT ? slot->value->place : spot;
}

draft_spot draft_spot_of(draft_node *node)
{
    draft_amount *value;
    switch (node->kind) {
    case CX_DECL_REF:
        return node->decl && (node->decl->at.kind == CX_VAR || node->decl->at.kind == CX_PARM)
                   ? draft_variable_place(node->decl)
                   : draft_own_memory();
    case CX_MEMBER_REF:
        return draft_member_place(node);
    case CX_SUBSCRIPT:
        if (node->count == 2) {
            draft_spot base = draft_pointed(draft_eval(node->children[0]));
            draft_amount *index = draft_eval(node->children[1]);
            return draft_moved(&base, draft_times(index, draft_number(draft_size_of(node->type))));
        }
        return draft_own_memory();
    case CX_UNARY:
        if (node->operation == CX_DEREF) {
            return draft_pointed(draft_eval(node->children[0]));
        }
        draft_eval(node);
        return node->count ? draft_spot_of(node->children[0]) : draft_own_memory();
    case CX_THIS:
        return draft_now.object;
    case CX_BINARY:
    case CX_COMPOUND_ASSIGN:
        draft_eval(node);
        return node->count ? draft_spot_of(node->children[0]) : draft_own_memory();
    default:
        value = draft_eval(node);
        return value->kind == DRAFT_OBJECT ? value->place : draft_own_memory();
    }
}
