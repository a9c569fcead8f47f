/* Converts the cursors of libclang into plain structs. */
#include "draft/parts.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

void draft_need_memory(gputune_status status)
{
    if (status != GPUTUNE_OK) {
        _Exit(1); /* the parent process reports that this worker has exited */
    }
}

void *draft_new(size_t bytes)
{
    void *memory = calloc(1, bytes ? bytes : 1);
    draft_need_memory(memory ? GPUTUNE_OK : GPUTUNE_ENOMEM);
    return memory;
}

char *draft_format(const char *format, ...)
{
    gt_text text = {0};
    char *out;
    va_list args;
    va_start(args, format);
    gt_text_vprintf(&text, format, args);
    va_end(args);
    draft_need_memory(gt_text_take(&out, &text));
    return out;
}

size_t draft_word_length(const char *text)
{
    size_t length = 0;
    while (isalnum((unsigned char)text[length]) || text[length] == '_') {
        length++;
    }
    return length;
}

const char *draft_string(cx_string string)
{
    const char *text = cx.getCString(string);
    return text ? text : "";
}

/* ---- places ---------------------------------------------------------------------------------- */

/* Returns the file and the position of a location. `end` and `text` are not set. */
static draft_extent locate(cx_location location)
{
    draft_extent out = {0};
    cx.getExpansionLocation(location, &out.file, &out.line, &out.column, &out.begin);
    out.path = out.file ? draft_string(cx.getFileName(out.file)) : "";
    return out;
}

typedef void locate_fn(cx_location, void **, unsigned *, unsigned *, unsigned *);

static draft_extent extent_by(locate_fn *locate_by, cx_cursor at)
{
    draft_extent out = {0};
    cx_range range = cx.getCursorExtent(at);
    size_t bytes = 0;
    locate_by(cx.getRangeEnd(range), &out.file, &out.line, &out.column, &out.end);
    locate_by(cx.getRangeStart(range), &out.file, &out.line, &out.column, &out.begin);
    out.path = out.file ? draft_string(cx.getFileName(out.file)) : "";
    out.text =
        out.file ? cx.getFileContents((void *)(uintptr_t)at.data[2], out.file, &bytes) : NULL;
    if (!out.text || out.begin > bytes) { /* the location is not in a file, as for a macro of -D */
        out.text = "";
        out.begin = out.end = 0;
    }
    out.is_mixed = out.end < out.begin;
    out.end = out.end > bytes ? (unsigned)bytes : out.is_mixed ? out.begin : out.end;
    return out;
}

draft_extent draft_extent_of(cx_cursor at)
{
    return extent_by(cx.getExpansionLocation, at);
}

/* Returns the extent of a cursor. For code in a macro argument, this is only the argument and not
 * the whole macro call. */
static draft_extent argument_extent(cx_cursor at)
{
    return extent_by(cx.getFileLocation, at);
}

const char *draft_place_of(cx_cursor at)
{
    const draft_extent place = locate(cx.getCursorLocation(at));
    return draft_format("%s:%u:%u", place.path, place.line, place.column);
}

bool draft_is_own(cx_cursor at)
{
    const char *path = locate(cx.getCursorLocation(at)).path;
    return *path && strncmp(path, "/gputune-", 9) != 0;
}

bool draft_is_undeclared(cx_cursor at)
{
    return strcmp(locate(cx.getCursorLocation(at)).path, DRAFT_ANYTHING) == 0;
}

const char *draft_source_of(cx_cursor at)
{
    draft_extent e = argument_extent(at);
    gt_text out = {0};
    for (unsigned i = e.begin; i < e.end; i++) {
        bool blank = isspace((unsigned char)e.text[i]);
        if (!blank || (out.length && out.data[out.length - 1] != ' ')) {
            gt_text_append_bytes(&out, blank ? " " : &e.text[i], 1);
        }
    }
    return gt_text_string(&out);
}

/* Returns the source of a cursor if it is only a name, otherwise NULL. */
static const char *name_at(cx_cursor at)
{
    draft_extent e = argument_extent(at);
    const size_t length = draft_word_length(e.text + e.begin);
    bool is_all = e.begin + length >= e.end && e.text[e.begin + length] != '(';
    return is_all && !e.is_mixed && length && !isdigit((unsigned char)e.text[e.begin])
               ? draft_format("%.*s", (int)length, e.text + e.begin)
               : NULL;
}

/* ---- cursors --------------------------------------------------------------------------------- */

static int add_child(cx_cursor cursor, cx_cursor parent, void *user)
{
    (void)parent;
    draft_add((draft_cursors *)user, cursor);
    return CX_CONTINUE_VISIT;
}

draft_cursors draft_children(cx_cursor at)
{
    draft_cursors out = {0};
    cx.visitChildren(at, add_child, &out);
    return out;
}

bool draft_has_child(cx_cursor at, int kind)
{
    draft_cursors children = draft_children(at);
    bool found = false;
    for (size_t i = 0; i < children.count; i++) {
        found |= children.items[i].kind == kind;
    }
    gt_array_free(&children);
    return found;
}

static bool is_nothing(cx_cursor at)
{
    return at.kind == 0 || (at.kind >= CX_FIRST_INVALID && at.kind <= CX_LAST_INVALID);
}

/* ---- types ----------------------------------------------------------------------------------- */

cx_type draft_type_of(const draft_decl *decl)
{
    return cx.getCanonicalType(cx.getCursorType(decl->at));
}

cx_type draft_pointee(cx_type type)
{
    type = cx.getCanonicalType(type);
    return cx.getCanonicalType(draft_is_pointer(type) || draft_is_reference(type)
                                   ? cx.getPointeeType(type)
                                   : cx.getArrayElementType(type));
}

int64_t draft_size_of(cx_type type)
{
    long long bytes = cx.Type_getSizeOf(type);
    return bytes > 0 ? bytes : 1;
}

bool draft_is_pointer(cx_type type)
{
    return type.kind == CX_TYPE_POINTER;
}

bool draft_is_reference(cx_type type)
{
    return type.kind == CX_TYPE_LVALUE || type.kind == CX_TYPE_RVALUE;
}

bool draft_is_float(cx_type type)
{
    return type.kind == CX_TYPE_FLOAT || type.kind == CX_TYPE_DOUBLE;
}

bool draft_is_integer(cx_type type)
{
    return (type.kind >= CX_TYPE_BOOL && type.kind <= CX_TYPE_LONGLONG) ||
           type.kind == CX_TYPE_ENUM;
}

static bool is_signed(cx_type type)
{
    type = type.kind == CX_TYPE_ENUM
               ? cx.getCanonicalType(cx.getEnumDeclIntegerType(cx.getTypeDeclaration(type)))
               : type;
    return type.kind >= CX_TYPE_CHAR_S;
}

bool draft_wrap(int64_t *number, cx_type type)
{
    const int64_t before = *number, bits = 8 * draft_size_of(type);
    const uint64_t least = is_signed(type) ? (uint64_t)1 << (bits - 1) : 0;
    if (bits == 64) {
        return is_signed(type) || before >= 0;
    }
    *number = (int64_t)((((uint64_t)before + least) & (((uint64_t)1 << bits) - 1)) - least);
    return *number == before;
}

/* Returns true if converting an integer from one type to the other may change its value. */
static bool may_change_value(cx_type from, cx_type to)
{
    return from.kind != to.kind &&
           (draft_size_of(to) <= draft_size_of(from) || (is_signed(from) && !is_signed(to)));
}

bool draft_is_array(cx_type type)
{
    return type.kind >= CX_TYPE_ARRAY && type.kind <= CX_TYPE_OPEN_ARRAY + 2;
}

draft_cursors draft_template_parameters(const draft_decl *function)
{
    const draft_cursors children = draft_children(function->at);
    draft_cursors out = {0};
    for (size_t i = 0; i < children.count; i++) {
        const int kind = children.items[i].kind;
        if (kind >= CX_TYPE_PARAMETER && kind <= CX_TEMPLATE_PARAMETER) {
            draft_add(&out, children.items[i]);
        }
    }
    return out;
}

static int add_field(cx_cursor at, void *user)
{
    draft_field field = {draft_decl_of(at)->name, cx.getCanonicalType(cx.getCursorType(at)),
                         cx.Cursor_isBitField(at) != 0, at};
    draft_add((draft_fields *)user, field);
    return CX_CONTINUE_VISIT;
}

draft_fields draft_fields_of(cx_type type)
{
    draft_fields out = {0};
    const draft_cursors parts = type.kind == CX_TYPE_RECORD
                                    ? draft_children(cx.getTypeDeclaration(type))
                                    : (draft_cursors){0};
    for (size_t i = 0; i < parts.count; i++) {
        if (parts.items[i].kind == CX_BASE) {
            const draft_fields inner =
                draft_fields_of(cx.getCanonicalType(cx.getCursorType(parts.items[i])));
            for (size_t k = 0; k < inner.count; k++) {
                draft_add(&out, inner.items[k]);
            }
        }
    }
    if (type.kind == CX_TYPE_RECORD) {
        cx.Type_visitFields(type, add_field, &out);
    }
    return out;
}

bool draft_is_opaque(cx_type type)
{
    const draft_fields fields = draft_fields_of(type);
    bool found = fields.count && cx.getTypeDeclaration(type).kind == CX_UNION;
    for (size_t i = 0; i < fields.count; i++) {
        found |= fields.items[i].is_bits || draft_is_opaque(fields.items[i].type);
        for (size_t k = 0; k < i; k++) {
            found |= strcmp(fields.items[i].name, fields.items[k].name) == 0;
        }
    }
    return found;
}

/* ---- declarations ---------------------------------------------------------------------------- */

static draft_decls buckets[1 << 12];

draft_decl *draft_decl_of(cx_cursor at)
{
    if (is_nothing(at)) {
        return NULL;
    }
    cx_cursor canonical = cx.getCanonicalCursor(at);
    at = is_nothing(canonical) ? at : canonical;
    draft_decls *bucket = &buckets[cx.hashCursor(at) % (1 << 12)];
    for (size_t i = 0; i < bucket->count; i++) {
        if (cx.equalCursors(bucket->items[i]->at, at)) {
            return bucket->items[i];
        }
    }
    draft_decl *decl = draft_new(sizeof *decl);
    decl->at = at;
    decl->name = draft_string(cx.getCursorSpelling(at));
    draft_add(bucket, decl);
    return decl;
}

/* Finds the definition of a function or, for an instance without a body, of its template. */
static bool find_body(cx_cursor *out, cx_cursor *body, cx_cursor at)
{
    cx_cursor tries[] = {at, cx.getCursorDefinition(at), cx.getSpecializedCursorTemplate(at),
                         cx.getCursorDefinition(cx.getSpecializedCursorTemplate(at))};
    for (int i = 0; i < 4; i++) {
        draft_cursors children =
            is_nothing(tries[i]) ? (draft_cursors){0} : draft_children(tries[i]);
        for (size_t k = 0; k < children.count; k++) {
            if (children.items[k].kind == CX_COMPOUND) {
                *out = tries[i];
                *body = children.items[k];
                return true;
            }
        }
    }
    return false;
}

draft_node *draft_body_of(draft_decl *function)
{
    cx_cursor at = function->at, body = at;
    if (function->has_body_tried) {
        return function->body;
    }
    function->has_body_tried = true;
    if (find_body(&at, &body, function->at)) {
        function->body = draft_tree(body);
    }
    draft_cursors children = draft_children(at);
    for (size_t i = 0; i < children.count; i++) {
        if (children.items[i].kind == CX_PARM) {
            draft_add(&function->parameters, draft_decl_of(children.items[i]));
        }
    }
    return function->body;
}

draft_node *draft_initialiser_of(draft_decl *variable)
{
    if (!variable->initialiser && variable->at.kind == CX_VAR) {
        cx_cursor definition = cx.getCursorDefinition(variable->at);
        cx_cursor at =
            cx.Cursor_getVarDeclInitializer(is_nothing(definition) ? variable->at : definition);
        variable->initialiser = is_nothing(at) ? NULL : draft_tree(at);
    }
    return variable->initialiser;
}

draft_node *draft_default_of(cx_cursor declared)
{
    const draft_cursors parts = draft_children(declared);
    const cx_cursor last = parts.count ? parts.items[parts.count - 1] : declared;
    /* an initialiser ends where the declaration ends; other children end earlier */
    const bool is_last = draft_extent_of(last).end == draft_extent_of(declared).end;
    return parts.count && is_last && last.kind >= CX_UNEXPOSED_EXPR && last.kind < CX_UNEXPOSED_STMT
               ? draft_tree(last)
               : NULL;
}

bool draft_is_constant(int64_t *out, cx_cursor at)
{
    enum { INTEGER = 1 };
    void *result = cx.Cursor_Evaluate(at);
    bool is = result && cx.EvalResult_getKind(result) == INTEGER;
    if (is) {
        *out = cx.EvalResult_getAsLongLong(result);
    }
    if (result) {
        cx.EvalResult_dispose(result);
    }
    return is;
}

/* ---- trees ----------------------------------------------------------------------------------- */

static bool is_kept(int kind)
{
    return (kind >= CX_UNEXPOSED_EXPR && kind < CX_FIRST_ATTRIBUTE) || kind == CX_VAR ||
           kind == CX_OVERLOADED;
}

static bool is_cast(int kind)
{
    return kind == CX_UNEXPOSED_EXPR || kind == CX_PAREN || kind == CX_C_CAST ||
           (kind >= CX_STATIC_CAST && kind <= CX_FUNCTIONAL_CAST);
}

static bool is_config(const draft_node *child)
{
    return child->kind == CX_CALL && child->decl &&
           strcmp(child->decl->name, "__cudaPushCallConfiguration") == 0;
}

/* Splits a call into its arguments, the called function (`callee`), and the geometry if the call is
 * a launch (`config`). */
static void make_call(draft_node *node, const draft_cursors *children)
{
    const int count = cx.Cursor_getNumArguments(node->at);
    node->children = draft_new((count > 0 ? (size_t)count : 0) * sizeof(draft_node *));
    for (int i = 0; i < count; i++) {
        node->children[node->count++] = draft_tree(cx.Cursor_getArgument(node->at, (unsigned)i));
    }
    for (size_t i = 0; i < children->count; i++) {
        cx_cursor child = children->items[i];
        bool is_argument = false;
        for (unsigned k = 0; k < node->count; k++) {
            is_argument |= cx.equalCursors(child, cx.Cursor_getArgument(node->at, k)) != 0;
        }
        if (!is_argument && is_kept(child.kind)) {
            draft_node *other = draft_tree(child);
            node->config = is_config(other) ? other : node->config;
            node->callee = node->callee || is_config(other) ? node->callee : other;
        }
    }
    if (!node->decl && node->callee) {
        node->decl = node->callee->decl;
    }
}

typedef GT_ARRAY(draft_node *) leaves;

static void add_leaves(leaves *out, draft_node *node)
{
    for (unsigned i = 0; i < node->count; i++) {
        add_leaves(out, node->children[i]);
    }
    if (!node->count || node->kind == CX_DECL_REF) {
        draft_add(out, node);
    }
}

/* Finds the names of numbers in an expression. If its source is the name of a macro and its value
 * is constant, the expression becomes a number. If a macro stands for several operands, as in
 * #define N 8 * 9, it is the name of none of them. */
static void name_numbers(draft_node *node)
{
    leaves all = {0};
    int64_t number;
    node->name = node->kind == CX_SIZEOF ? NULL : name_at(node->at);
    if (node->name && node->kind != CX_DECL_REF && draft_is_integer(node->type) &&
        draft_is_constant(&number, node->at)) {
        node->kind = CX_INTEGER;
        node->count = 0;
    }
    for (unsigned i = 0; i < node->count; i++) {
        const size_t before = all.count;
        add_leaves(&all, node->children[i]);
        for (size_t k = 0; k < before * (all.count - before); k++) {
            draft_node *a = all.items[k % before], *b = all.items[before + k / before];
            if (argument_extent(a->at).begin == argument_extent(b->at).begin) {
                a->name = b->name = NULL;
            }
        }
    }
}

draft_node *draft_tree(cx_cursor at)
{
    draft_node *node = draft_new(sizeof *node);
    draft_cursors children = draft_children(at);
    *node = (draft_node){.kind = at.kind, .at = at};
    node->type = cx.getCanonicalType(cx.getCursorType(at));
    if (at.kind == CX_VAR) {
        node->decl = draft_decl_of(at);
    } else if (at.kind < CX_UNEXPOSED_STMT) {
        node->decl = draft_decl_of(cx.getCursorReferenced(at));
    }
    if (at.kind == CX_CALL) {
        make_call(node, &children);
        name_numbers(node);
        return node;
    }
    node->operation = at.kind == CX_UNARY ? cx.getCursorUnaryOperatorKind(at)
                      : at.kind == CX_BINARY || at.kind == CX_COMPOUND_ASSIGN
                          ? cx.getCursorBinaryOperatorKind(at)
                          : 0;
    node->children = draft_new((children.count + 1) * sizeof(draft_node *));
    for (size_t i = 0; i < children.count; i++) {
        if (is_kept(children.items[i].kind)) {
            node->children[node->count++] = draft_tree(children.items[i]);
        }
    }
    if (is_cast(node->kind) && node->count == 1) {
        const cx_type from = node->children[0]->type;
        if (!draft_is_integer(node->type) ||
            !(draft_is_float(from) ||
              (draft_is_integer(from) && may_change_value(from, node->type)))) {
            return node->children[0];
        }
        node->kind = DRAFT_CONVERT;
    }
    if (node->kind == CX_BINARY || node->kind == CX_CONDITIONAL || node->kind == CX_DECL_REF ||
        !node->count) {
        name_numbers(node);
    }
    return node;
}
