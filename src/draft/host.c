/* What a program computes for a launch. Variables without a value that is known are symbols; so
 * are those with a plain number, which is their default, since it may vary. */
#include "draft/parts.h"

#include <ctype.h>
#include <string.h>

enum { DEEP = 60 };
static int depth;

typedef struct known_symbol {
    draft_decl *decl; /* of a variable */
    const char *text; /* of another expression: its source */
    draft_symbol *symbol;
} known_symbol;
static GT_ARRAY(known_symbol) known;

/* ---- symbols -----------------------------------------------------------------------------------
 */

/* The last name in a text, in front of the last arguments: "n" of "x.n", "size" of "x.size(k)". */
static const char *last_name(const char *text)
{
    size_t end = strlen(text), begin, depth = 0;
    while (end && (depth || (!isalnum((unsigned char)text[end - 1]) && text[end - 1] != '_'))) {
        end--;
        depth += text[end] == ')' || text[end] == ']';
        depth -= depth && (text[end] == '(' || text[end] == '[');
    }
    begin = end;
    while (begin && (isalnum((unsigned char)text[begin - 1]) || text[begin - 1] == '_')) {
        begin--;
    }
    return end > begin && !isdigit((unsigned char)text[begin])
               ? draft_format("%.*s", (int)(end - begin), text + begin)
               : "size";
}

static draft_symbol *host_symbol(draft_decl *decl, const char *text)
{
    for (size_t i = 0; i < known.count; i++) {
        if (decl ? known.items[i].decl == decl
                 : known.items[i].text && strcmp(known.items[i].text, text) == 0) {
            return known.items[i].symbol;
        }
    }
    draft_symbol *symbol = draft_new(sizeof *symbol);
    *symbol = (draft_symbol){
        .kind = DRAFT_HOST, .name = decl ? decl->name : last_name(text), .decl = decl};
    symbol->given = symbol->name;
    known_symbol entry = {decl, text, symbol};
    draft_add(&known, entry);
    return symbol;
}

static draft_amount *leaf(draft_decl *decl, const char *text)
{
    return draft_symbol_value(host_symbol(decl, text));
}

draft_amount *draft_named_number(const char *name, int64_t number)
{
    for (size_t i = 0; i < known.count; i++) {
        const draft_symbol *s = known.items[i].symbol;
        if (s->kind == DRAFT_CONSTANT && s->number == number && strcmp(s->name, name) == 0) {
            return draft_symbol_value(known.items[i].symbol);
        }
    }
    draft_symbol *symbol = draft_new(sizeof *symbol);
    *symbol =
        (draft_symbol){.kind = DRAFT_CONSTANT, .name = name, .number = number, .has_number = true};
    known_symbol entry = {NULL, NULL, symbol};
    draft_add(&known, entry);
    return draft_symbol_value(symbol);
}

/* A number, with the name that the code has for it. */
draft_amount *draft_literal(draft_node *node, int64_t number)
{
    const char *name = draft_name_at(node->at);
    bool is_word = !name || strcmp(name, "true") == 0 || strcmp(name, "false") == 0 ||
                   strcmp(name, "NULL") == 0 || strcmp(name, "nullptr") == 0;
    return is_word ? draft_number(number) : draft_named_number(name, number);
}

/* ---- variables ----------------------------------------------------------------------------------
 */

/* The number that an expression may come to: of a ? b : c either. */
static bool example(int64_t *out, draft_node *node)
{
    if (!node) {
        return false;
    }
    if (node->kind == CX_CONDITIONAL && node->count == 3) {
        return draft_is_constant(out, node->children[2]->at) ||
               draft_is_constant(out, node->children[1]->at);
    }
    if (draft_is_constant(out, node->at)) {
        return true;
    }
    draft_amount *value = draft_host_value(node);
    return draft_is_known(value) && draft_evaluate(out, value);
}

static bool is_const(draft_decl *decl)
{
    cx_type type = cx.getCursorType(decl->at);
    return cx.isConstQualifiedType(type) != 0;
}

/* The struct's constructor call or list has the size of a container in front. */
static draft_node *size_of_container(draft_node *call)
{
    draft_node *member = call->callee;
    draft_decl *object =
        member && member->kind == CX_MEMBER_REF && member->count ? member->children[0]->decl : NULL;
    draft_node *made = object && object->at.kind == CX_VAR ? draft_initialiser_of(object) : NULL;
    bool is_size = call->count == 0 && call->decl && strcmp(call->decl->name, "size") == 0;
    return is_size && made && made->kind == CX_CALL && made->count &&
                   draft_is_integer(made->children[0]->type)
               ? made->children[0]
               : NULL;
}

static draft_amount *variable_value(draft_decl *decl)
{
    draft_node *made = draft_initialiser_of(decl);
    const size_t assigned = decl->assigned.count;
    draft_node *single = made && !assigned        ? made
                         : !made && assigned == 1 ? decl->assigned.items[0]
                                                  : NULL;
    draft_symbol *symbol = host_symbol(decl, NULL);
    int64_t number;
    if (is_const(decl) && draft_is_constant(&number, decl->at) && decl->in_slice) {
        return draft_named_number(decl->name, number);
    }
    if (single && !decl->busy) {
        decl->busy = true;
        draft_amount *value = draft_host_value(single);
        decl->busy = false;
        bool is_call = value->kind == DRAFT_SYMBOL && value->symbol->kind == DRAFT_HOST &&
                       !value->symbol->decl;        /* the variable's name is the better one */
        bool is_choice = value->kind == DRAFT_COND; /* argc > 1 ? number(argv[1]) : 4096 */
        if (draft_is_known(value) && !draft_is_number(value, &number) && !is_call && !is_choice) {
            return value;
        }
    }
    if (!symbol->has_number && !decl->busy) {
        decl->busy = true;
        if (example(&number, made) || (assigned && example(&number, decl->assigned.items[0]))) {
            symbol->has_number = true;
            symbol->number = number;
        }
        decl->busy = false;
    }
    return leaf(decl, NULL);
}

static draft_decl *parent_function(draft_decl *parameter)
{
    return draft_decl_of(cx.getCursorSemanticParent(parameter->at));
}

/* The argument that a parameter gets in its function's only call. */
static draft_node *only_argument(draft_decl *parameter)
{
    draft_decl *function = parent_function(parameter);
    draft_node *body = function ? draft_body_of(function) : NULL;
    for (size_t i = 0; body && function->calls.count == 1 && i < function->parameters.count; i++) {
        if (function->parameters.items[i] == parameter && i < function->calls.items[0]->count) {
            return function->calls.items[0]->children[i];
        }
    }
    return NULL;
}

static draft_amount *parameter_value(draft_decl *decl)
{
    draft_node *argument =
        decl->bound || decl->assigned.count || decl->busy ? NULL : only_argument(decl);
    draft_symbol *symbol = host_symbol(decl, NULL);
    int64_t number;
    if (decl->bound) {
        return decl->bound;
    }
    if (argument) {
        decl->busy = true;
        draft_amount *value = draft_host_value(argument);
        decl->busy = false;
        if (value->kind == DRAFT_TEXT ||
            (draft_is_known(value) && !draft_is_number(value, &number))) {
            return value;
        }
        if (draft_is_known(value)) {
            symbol->has_number = true;
            symbol->number = number;
        }
    }
    return draft_symbol_value(symbol);
}

/* ---- calls
 * ---------------------------------------------------------------------------------------- */

/* The value of a function that only returns an expression of its parameters; NULL: it does more. */
static draft_node *only_returned(draft_decl *function)
{
    draft_node *body =
        function && draft_is_own(function->at) && !function->busy ? draft_body_of(function) : NULL;
    draft_node *only = body && body->count == 1 ? body->children[0] : NULL;
    return only && only->kind == CX_RETURN && only->count == 1 ? only->children[0] : NULL;
}

static void bind(draft_decl *function, draft_node *call, draft_amount **values)
{
    for (size_t i = 0; i < function->parameters.count; i++) {
        function->parameters.items[i]->bound = i < call->count ? values[i] : NULL;
    }
}

static draft_amount *call_value(draft_node *node)
{
    draft_decl *function = node->decl;
    const char *name = function ? function->name : "";
    draft_node *returned = only_returned(function), *size = size_of_container(node);
    bool rounds = strncmp(name, "ceil", 4) == 0;
    if (size) {
        int64_t number;
        draft_amount *value = draft_host_value(size);
        draft_symbol *symbol = host_symbol(NULL, draft_source_of(node->at));
        if (!draft_is_number(value, &number)) {
            return value;
        }
        symbol->has_number = true;
        symbol->number = number;
        return draft_symbol_value(symbol);
    }
    if ((rounds || strncmp(name, "floor", 5) == 0) && node->count == 1) {
        draft_amount *value = draft_host_value(node->children[0]);
        return value->kind == DRAFT_REAL
                   ? draft_make(rounds ? DRAFT_CEIL_DIV : DRAFT_QUOTIENT, value->a, value->b, NULL)
                   : value;
    }
    if ((strcmp(name, "min") == 0 || strcmp(name, "max") == 0) && node->count == 2) {
        return draft_make(strcmp(name, "min") == 0 ? DRAFT_MIN : DRAFT_MAX,
                          draft_host_value(node->children[0]), draft_host_value(node->children[1]),
                          NULL);
    }
    if (returned) {
        draft_amount **values = draft_new((node->count + 1) * sizeof *values);
        for (unsigned i = 0; i < node->count; i++) {
            values[i] = draft_host_value(node->children[i]);
        }
        bind(function, node, values);
        function->busy = true;
        draft_amount *value = draft_host_value(returned);
        function->busy = false;
        bind(function, &(draft_node){.count = 0}, NULL);
        return value;
    }
    return draft_is_integer(node->type)
               ? leaf(NULL, draft_source_of(node->at))
               : draft_unknown("'%s' is not read", draft_source_of(node->at));
}

/* ---- members
 * -------------------------------------------------------------------------------------- */

/* The field's place in its struct. */
typedef struct field_search {
    const char *name;
    int at, found;
} field_search;

static int compare_field(cx_cursor field, void *user)
{
    field_search *s = user;
    if (strcmp(draft_string(cx.getCursorSpelling(field)), s->name) == 0) {
        s->found = s->at;
    }
    s->at++;
    return CX_CONTINUE_VISIT;
}

/* What a copy of a struct is made from. */
static draft_node *copied(draft_node *node)
{
    bool is_copy = node->kind == CX_CALL && node->decl && node->decl->at.kind == CX_CONSTRUCTOR &&
                   node->count == 1 && node->children[0]->type.kind == CX_TYPE_RECORD;
    return is_copy ? copied(node->children[0]) : node;
}

draft_node *draft_host_member(draft_node *object, const char *member)
{
    object = copied(object);
    draft_decl *decl = object->kind == CX_DECL_REF ? object->decl : NULL;
    draft_node *made = decl && decl->at.kind == CX_VAR ? draft_initialiser_of(decl) : NULL,
               *found = NULL;
    for (size_t i = 0; decl && i < decl->parts.count; i++) {
        if (strcmp(decl->parts.items[i].member, member) == 0) {
            if (found) {
                return NULL;
            }
            found = decl->parts.items[i].value;
        }
    }
    made = object->kind == CX_INIT_LIST ? object : made;
    if (!found && made && made->kind == CX_INIT_LIST) {
        field_search s = {member, 0, -1};
        cx.Type_visitFields(object->type, compare_field, &s);
        found = s.found >= 0 && s.found < (int)made->count ? made->children[s.found] : NULL;
    }
    return found;
}

static bool is_dim3(cx_type type)
{
    const char *name = draft_string(cx.getTypeSpelling(type));
    return strstr(name, "dim3") != NULL || strstr(name, "uint3") != NULL;
}

static draft_amount *member_value(draft_node *node)
{
    draft_node *object = node->count ? node->children[0] : NULL;
    const char *name = node->decl ? node->decl->name : "";
    int64_t number;
    if (object && is_dim3(object->type) && name[0] >= 'x' && name[0] <= 'z' && !name[1]) {
        draft_amount *extents[3];
        draft_host_extents(extents, object);
        return extents[name[0] - 'x'];
    }
    draft_node *value = object ? draft_host_member(object, name) : NULL;
    draft_amount *of = value ? draft_host_value(value) : NULL;
    if (of && (of->kind == DRAFT_TEXT || (draft_is_known(of) && !draft_is_number(of, &number)))) {
        return of;
    }
    draft_symbol *symbol = host_symbol(NULL, draft_source_of(node->at));
    if (of && draft_is_known(of)) {
        symbol->has_number = true;
        symbol->number = number;
    }
    return draft_symbol_value(symbol);
}

/* ---- expressions
 * ------------------------------------------------------------------------------------ */

static draft_amount *reference_value(draft_node *node)
{
    int64_t number;
    draft_decl *decl = node->decl;
    if (!decl) {
        return draft_unknown("'%s' is not declared", draft_source_of(node->at));
    }
    switch (decl->at.kind) {
    case CX_VAR:
        return variable_value(decl);
    case CX_PARM:
        return parameter_value(decl);
    case CX_ENUMERATOR:
        return draft_named_number(decl->name, cx.getEnumConstantDeclValue(decl->at));
    default:
        return draft_is_constant(&number, node->at) ? draft_literal(node, number)
                                                    : draft_unknown("'%s' is not read", decl->name);
    }
}

static draft_amount *real_division(draft_node *node)
{
    draft_amount *a = draft_host_value(node->children[0]), *b = draft_host_value(node->children[1]);
    return draft_make(DRAFT_REAL, a, b, NULL);
}

static draft_amount *operation_value(draft_node *node)
{
    bool real = draft_is_float(node->type);
    if (node->kind == CX_CONDITIONAL && node->count == 3) {
        return draft_make(DRAFT_COND, draft_host_value(node->children[0]),
                          draft_host_value(node->children[1]), draft_host_value(node->children[2]));
    }
    if (node->kind == CX_BINARY && node->count == 2) {
        if (real && node->operation == CX_DIV) {
            return real_division(node);
        }
        return draft_binary(node->operation, draft_host_value(node->children[0]),
                            draft_host_value(node->children[1]), real);
    }
    if (node->kind == CX_UNARY && node->count == 1) {
        draft_amount *a = draft_host_value(node->children[0]);
        return node->operation == CX_MINUS         ? draft_times(draft_number(-1), a)
               : node->operation == CX_PLUS        ? a
               : node->operation == CX_LOGICAL_NOT ? draft_make(DRAFT_NEGATION, a, NULL, NULL)
                                                   : draft_unknown("its operator is not read");
    }
    return draft_unknown("'%s' is not read", draft_source_of(node->at));
}

static draft_amount *host_value(draft_node *node)
{
    int64_t number;
    switch (node->kind) {
    case CX_FLOATING:
        return draft_float_text(draft_source_of(node->at));
    case CX_DECL_REF:
        return reference_value(node);
    case CX_MEMBER_REF:
        return draft_is_float(node->type)
                   ? draft_unknown("'%s' is not read", draft_source_of(node->at))
                   : member_value(node);
    case DRAFT_TRUNCATE: {
        draft_amount *value = draft_host_value(node->children[0]);
        return value->kind == DRAFT_REAL ? draft_make(DRAFT_QUOTIENT, value->a, value->b, NULL)
                                         : value;
    }
    case CX_CALL:
        return call_value(node);
    case CX_INIT_LIST:
        return node->count == 1 ? draft_host_value(node->children[0])
                                : draft_unknown("it is a list");
    case CX_UNARY:
        if (node->operation == CX_MINUS && node->children[0]->kind == CX_FLOATING) {
            return draft_float_text(draft_source_of(node->at));
        }
        return operation_value(node);
    case CX_BINARY:
    case CX_CONDITIONAL:
        return operation_value(node);
    default:
        return draft_is_constant(&number, node->at)
                   ? draft_literal(node, number)
                   : draft_unknown("'%s' is not read", draft_source_of(node->at));
    }
}

draft_amount *draft_host_value(draft_node *node)
{
    draft_amount *value;
    if (depth > DEEP) {
        return draft_unknown("it is nested too deep");
    }
    depth++;
    value = host_value(node);
    depth--;
    return value;
}

/* ---- geometry
 * --------------------------------------------------------------------------------------- */

static void set_extents(draft_amount *out[3], draft_amount *x)
{
    out[0] = x;
    out[1] = out[2] = draft_number(1);
}

/* A variable of dim3: how it was made, then what its members were given. */
static void variable_extents(draft_amount *out[3], draft_decl *decl)
{
    draft_node *made = draft_initialiser_of(decl);
    size_t assigned = decl->assigned.count;
    made = made && !assigned ? made : assigned == 1 ? decl->assigned.items[0] : NULL;
    if (made && !decl->busy) {
        decl->busy = true;
        draft_host_extents(out, made);
        decl->busy = false;
    } else {
        for (int i = 0; i < 3; i++) {
            out[i] = draft_unknown("'%s' has no single value", decl->name);
        }
    }
    for (size_t i = 0; i < decl->parts.count; i++) {
        const char *member = decl->parts.items[i].member;
        if (*member >= 'x' && *member <= 'z') {
            out[*member - 'x'] = draft_host_value(decl->parts.items[i].value);
        }
    }
}

void draft_host_extents(draft_amount *out[3], draft_node *node)
{
    draft_node *returned = node->kind == CX_CALL ? only_returned(node->decl) : NULL;
    if (!is_dim3(node->type)) {
        set_extents(out, draft_host_value(node));
        return;
    }
    if (node->kind == CX_DECL_REF && node->decl && node->decl->at.kind == CX_VAR) {
        variable_extents(out, node->decl);
        return;
    }
    if ((node->kind == CX_CALL && node->decl && node->decl->at.kind == CX_CONSTRUCTOR) ||
        node->kind == CX_INIT_LIST) {
        if (node->count == 1 && is_dim3(node->children[0]->type)) {
            draft_host_extents(out, node->children[0]);
            return;
        }
        set_extents(out, draft_number(1));
        for (unsigned i = 0; i < node->count && i < 3; i++) {
            out[i] = draft_host_value(node->children[i]);
        }
        return;
    }
    if (returned && is_dim3(returned->type)) {
        draft_amount **values = draft_new((node->count + 1) * sizeof *values);
        for (unsigned i = 0; i < node->count; i++) {
            values[i] = draft_host_value(node->children[i]);
        }
        bind(node->decl, node, values);
        node->decl->busy = true;
        draft_host_extents(out, returned);
        node->decl->busy = false;
        bind(node->decl, &(draft_node){.count = 0}, NULL);
        return;
    }
    for (int i = 0; i < 3; i++) {
        out[i] = draft_unknown("'%s' is computed elsewhere", draft_source_of(node->at));
    }
}

/* ---- allocations
 * -------------------------------------------------------------------------------------- */

static draft_decl *pointer_variable(draft_node *node, int level)
{
    draft_decl *decl =
        node && (node->kind == CX_DECL_REF || node->kind == CX_MEMBER_REF) ? node->decl : NULL;
    if (!decl || level > 6 || decl->allocated) {
        return decl;
    }
    if (decl->at.kind == CX_PARM) {
        draft_node *argument = only_argument(decl);
        return argument ? pointer_variable(argument, level + 1) : NULL;
    }
    if (decl->at.kind == CX_VAR) {
        draft_node *made = draft_initialiser_of(decl);
        made = made && !decl->assigned.count ? made : NULL;
        return made ? pointer_variable(made, level + 1) : NULL;
    }
    return NULL;
}

draft_amount *draft_host_bytes(draft_node *pointer)
{
    draft_decl *decl = pointer_variable(pointer, 0);
    return decl && decl->allocated && decl->allocations == 1 ? draft_host_value(decl->allocated)
                                                             : NULL;
}
