/* Following a kernel's code: statements, calls and expressions. */
#include "draft/body_parts.h"

#include <string.h>

enum { STEPS_MOST = 400000, CALLS_MOST = 24 };

draft_reader draft_now;

/* ---- statements ------------------------------------------------------------------------------ */

static void declare(draft_decl *decl)
{
    draft_node *made = draft_initialiser_of(decl);
    cx_type type = draft_canonical(cx.getCursorType(decl->at));
    if (draft_has_child(decl->at, CX_SHARED_ATTRIBUTE)) {
        draft_variable_place(decl);
        return;
    }
    decl->slots.count = 0;
    if (!made) {
        return;
    }
    if (draft_is_reference(type)) {
        draft_set_slot(decl, "", draft_object(draft_spot_of(made)));
    } else if (type.kind == CX_TYPE_RECORD) {
        draft_amount *value = draft_eval(made);
        draft_set_slot(decl, "", value);
    } else {
        draft_amount *value = draft_eval(made);
        draft_set_slot(decl, "",
                       draft_is_array(type) ? draft_nothing() : draft_local(decl->name, value));
    }
    if (draft_is_array(type) ||
        (type.kind == CX_TYPE_RECORD && draft_find_slot(decl, "")->value->kind != DRAFT_OBJECT)) {
        decl->slots.count = 0;
    }
}

static bool run_if(draft_node *node)
{
    unsigned at = 0;
    draft_decls changed = {0};
    size_t facts = draft_now.facts.count;
    while (at < node->count && node->children[at]->kind >= CX_DECL_STMT) {
        draft_run(node->children[at++]);
    }
    if (at >= node->count) {
        return false;
    }
    draft_node *condition = node->children[at],
               *then = at + 1 < node->count ? node->children[at + 1] : NULL;
    draft_node *otherwise = at + 2 < node->count ? node->children[at + 2] : NULL;
    if (condition->kind == CX_VAR) { /* if (int n = …) */
        declare(condition->decl);
    }
    draft_amount *value = draft_eval(condition);
    int64_t number;
    bool unsure = draft_is_unsure(value);
    if (draft_is_number(value, &number)) { /* if constexpr, and the like */
        draft_node *taken = number ? then : otherwise;
        return taken && draft_run(taken);
    }
    if (then) {
        draft_find_changed(&changed, then);
    }
    if (otherwise) {
        draft_find_changed(&changed, otherwise);
    }
    draft_state before = draft_save(&changed);
    draft_now.unsure += unsure;
    draft_assume(condition, true);
    bool then_leaves = then && draft_run(then);
    draft_now.facts.count = facts;
    draft_state after = draft_save(&changed);
    draft_restore(&before);
    draft_assume(condition, false);
    bool else_leaves = otherwise && draft_run(otherwise);
    draft_now.unsure -= unsure;
    if (then_leaves && !else_leaves) {
        return false; /* what was assumed holds from here on */
    }
    draft_now.facts.count = facts;
    if (else_leaves && !then_leaves) {
        draft_restore(&after);
        draft_assume(condition, true);
        return false;
    }
    draft_merge(&after);
    return then_leaves && else_leaves;
}

static void run_switch(draft_node *node)
{
    draft_decls changed = {0};
    draft_find_changed(&changed, node);
    draft_state before = draft_save(&changed);
    bool unsure = node->count && draft_is_unsure(draft_eval(node->children[0]));
    draft_now.unsure += unsure;
    for (unsigned i = 1; i < node->count; i++) {
        draft_run(node->children[i]);
    }
    draft_now.unsure -= unsure;
    draft_merge(&before);
}

static bool run_all(draft_node *node)
{
    size_t facts = draft_now.facts.count;
    bool leaves = false;
    for (unsigned i = 0; i < node->count && !leaves; i++) {
        leaves = draft_run(node->children[i]);
    }
    draft_now.facts.count = facts;
    return leaves;
}

static bool run_return(draft_node *node)
{
    draft_amount *value = node->count ? draft_eval(node->children[0]) : draft_nothing();
    if (node->count && value->kind != DRAFT_OBJECT && draft_now.calls &&
        draft_is_reference(node->type)) {
        value = draft_object(draft_spot_of(node->children[0]));
    }
    draft_now.returned =
        draft_now.returned ? draft_either("a result", draft_now.returned, value) : value;
    return true;
}

bool draft_run(draft_node *node)
{
    if (++draft_now.steps > STEPS_MOST) {
        if (!draft_now.ended) {
            draft_ask_at(node->at, "the code is too long to be followed from here on");
        }
        draft_now.ended = true;
        return true;
    }
    switch (node->kind) {
    case CX_COMPOUND:
        return run_all(node);
    case CX_IF:
        return run_if(node);
    case CX_FOR:
        draft_run_for(node);
        return false;
    case CX_WHILE:
    case CX_DO:
        if (node->count > 1) {
            bool first = node->kind == CX_WHILE;
            draft_loop l = {.condition = node->children[first ? 0 : 1],
                            .body = node->children[first ? 1 : 0]};
            draft_run_loop(&l, first);
        }
        return false;
    case CX_RANGE_FOR:
        if (node->count) {
            draft_loop l = {.body = node->children[node->count - 1]};
            draft_run_loop(&l, false);
        }
        return false;
    case CX_SWITCH:
        run_switch(node);
        return false;
    case CX_CASE:
    case CX_DEFAULT:
    case CX_LABEL:
    case CX_TRY:
    case CX_UNEXPOSED_STMT: /* with an attribute, such as #pragma unroll */
        for (unsigned i = 0; i < node->count; i++) {
            draft_run(node->children[i]);
        }
        return false;
    case CX_DECL_STMT:
        for (unsigned i = 0; i < node->count; i++) {
            if (node->children[i]->kind == CX_VAR) {
                declare(node->children[i]->decl);
            }
        }
        return false;
    case CX_RETURN:
        return run_return(node);
    case CX_BREAK:
    case CX_CONTINUE:
        return true;
    default:
        draft_eval(node);
        return false;
    }
}

/* ---- calls ----------------------------------------------------------------------------------- */

static void bind_parameter(draft_decl *parameter, draft_node *argument, draft_amount *value)
{
    cx_type type = draft_canonical(cx.getCursorType(parameter->at));
    parameter->slots.count = 0;
    if (draft_is_reference(type)) {
        bool is_kept_value = value && value->kind == DRAFT_POINTER;
        draft_set_slot(parameter, "",
                       is_kept_value && argument->kind != CX_DECL_REF
                           ? value
                           : draft_object(draft_spot_of(argument)));
    } else if (value) {
        draft_set_slot(parameter, "", draft_local(parameter->name, value));
    }
}

/* A function that is only declared: it may access whatever it gets a pointer to. */
static draft_amount *call_unknown(draft_node *node)
{
    for (unsigned i = 0; i < node->count; i++) {
        draft_node *argument = node->children[i];
        draft_amount *value = draft_eval(argument);
        draft_spot spot = draft_pointed(value);
        if (value->kind == DRAFT_POINTER && spot.buffer && draft_is_pointer(argument->type)) {
            cx_type to = cx.getPointeeType(argument->type);
            bool writes = !cx.isConstQualifiedType(to);
            draft_spot whole = spot;
            whole.offset = draft_unknown("'%s' gets it, which is not read",
                                         node->decl ? node->decl->name : "a function");
            draft_note_access(&whole, draft_canonical(to), argument->at, true, writes);
        }
    }
    return draft_is_integer(node->type) ? draft_changing(node->decl ? node->decl->name : "a result")
                                        : draft_nothing();
}

/* The body of the lambda that a variable holds. */
static draft_node *lambda_body(draft_decl *variable, draft_decls *parameters)
{
    draft_node *made = variable ? draft_initialiser_of(variable) : NULL;
    if (!made || made->kind != CX_LAMBDA) {
        return NULL;
    }
    draft_cursors children = draft_children(made->at);
    for (size_t i = 0; i < children.count; i++) {
        if (children.items[i].kind == CX_PARM) {
            draft_add(parameters, draft_decl_of(children.items[i]));
        }
    }
    for (unsigned i = 0; i < made->count; i++) {
        if (made->children[i]->kind == CX_COMPOUND) {
            return made->children[i];
        }
    }
    return NULL;
}

/* The object of a method's call; false: the call has none. */
static bool object_of(draft_spot *out, draft_node *node)
{
    draft_node *callee = node->callee;
    if (!callee || callee->kind != CX_MEMBER_REF) {
        return false;
    }
    if (!callee->count) {
        *out = draft_now.object;
        return true;
    }
    draft_node *object = callee->children[0];
    *out =
        draft_is_pointer(object->type) ? draft_pointed(draft_eval(object)) : draft_spot_of(object);
    return true;
}

/* Follows a body with what the call gives its parameters. The arguments are the caller's. */
static draft_amount *follow(draft_node *body, draft_decls parameters, draft_node *node,
                            unsigned skipped, const draft_spot *object)
{
    draft_decl *function = node->decl;
    draft_amount *outer = draft_now.returned;
    draft_spot outer_object = draft_now.object;
    draft_amount **values = draft_new((node->count + 1) * sizeof *values);
    size_t facts = draft_now.facts.count;
    for (unsigned i = skipped; i < node->count; i++) {
        cx_type type = i - skipped < parameters.count
                           ? draft_canonical(cx.getCursorType(parameters.items[i - skipped]->at))
                           : node->children[i]->type;
        bool by_place = draft_is_reference(type) && node->children[i]->kind != CX_CALL &&
                        !draft_is_pointer(draft_pointee(type));
        values[i] = by_place ? NULL : draft_eval(node->children[i]);
    }
    for (unsigned i = skipped; i < node->count && i - skipped < parameters.count; i++) {
        bind_parameter(parameters.items[i - skipped], node->children[i], values[i]);
    }
    draft_now.returned = NULL;
    draft_now.object = *object;
    draft_now.calls++;
    function->busy = true;
    draft_run(body);
    function->busy = false;
    draft_now.calls--;
    draft_amount *result = draft_now.returned ? draft_now.returned : draft_nothing();
    draft_now.returned = outer;
    draft_now.object = outer_object;
    draft_now.facts.count = facts;
    return result;
}

/* A constructor's call: a copy, or values of which nothing is known. */
static draft_amount *construct(draft_node *node)
{
    if (node->count == 1 && node->children[0]->type.kind == CX_TYPE_RECORD) {
        return draft_eval(node->children[0]);
    }
    for (unsigned i = 0; i < node->count; i++) {
        draft_eval(node->children[i]);
    }
    return draft_nothing();
}

/* Whether an operator of that name changes its object: = += and so on. */
static bool is_assignment(const char *name)
{
    const size_t length = strlen(name);
    return length > 8 && name[length - 1] == '=' && !strchr("=!<>", name[8])
               ? true
               : strcmp(name, "operator=") == 0;
}

/* An assignment of structs, by an operator that is not written out. */
static draft_amount *assign_whole(draft_node *node, bool reads)
{
    draft_amount *value = node->count > 1 ? draft_eval(node->children[1]) : draft_nothing();
    draft_spot spot = draft_spot_of(node->children[0]);
    draft_write_place(&spot, node->children[0], value, reads);
    return draft_object(spot);
}

static draft_amount *call(draft_node *node)
{
    draft_decl *function = node->decl;
    draft_decls parameters = {0};
    draft_node *first = node->count ? node->children[0] : NULL;
    draft_node *body = function ? draft_body_of(function) : NULL;
    draft_node *lambda =
        body || !first || first->kind != CX_DECL_REF ? NULL : lambda_body(first->decl, &parameters);
    draft_spot object = draft_now.object;
    if (lambda && function && draft_now.calls < CALLS_MOST) {
        return follow(lambda, parameters, node, 1, &object);
    }
    bool is_method = object_of(&object, node);
    bool is_operator = function && function->at.kind == CX_METHOD && !is_method && first;
    if (function && function->at.kind == CX_CONSTRUCTOR) {
        return construct(node);
    }
    if (!body && is_operator && is_assignment(function->name)) {
        return assign_whole(node, strcmp(function->name, "operator=") != 0);
    }
    if (!body && (is_method || is_operator)) { /* what it does with its object is not known */
        object = is_operator ? draft_spot_of(first) : object;
        cx_type type = is_operator           ? first->type
                       : node->callee->count ? node->callee->children[0]->type
                                             : node->type;
        type = draft_is_pointer(type) ? draft_pointee(type) : type;
        draft_note_access(&object, type, node->at, true,
                          !function || !cx.CXXMethod_isConst(function->at));
    }
    if (!body || function->busy || draft_now.calls >= CALLS_MOST) {
        if (body && function->busy) {
            draft_ask_at(node->at, "this function calls itself, and is not followed");
        }
        return call_unknown(node);
    }
    for (size_t i = 0; i < function->parameters.count; i++) {
        draft_add(&parameters, function->parameters.items[i]);
    }
    object = is_operator ? draft_spot_of(first) : object;
    return follow(body, parameters, node, is_operator ? 1 : 0, &object);
}

/* ---- expressions ----------------------------------------------------------------------------- */

/* threadIdx.x and the like; -1: the node is another. */
static draft_amount *geometry(draft_node *node)
{
    static const char *const names[] = {"threadIdx", "blockIdx", "blockDim", "gridDim"};
    draft_decl *base =
        node->count && node->children[0]->kind == CX_DECL_REF ? node->children[0]->decl : NULL;
    const char *member = node->decl ? node->decl->name : "";
    if (!base || draft_is_own(base->at) || *member < 'x' || *member > 'z') {
        return NULL;
    }
    for (int i = 0; i < 4; i++) {
        if (strcmp(base->name, names[i]) == 0) {
            draft_now.out->reads_block[*member - 'x'] |= i == 2;
            return draft_symbol_value(
                draft_builtin((draft_symbol_kind)(DRAFT_THREAD + i), *member - 'x'));
        }
    }
    return NULL;
}

static draft_amount *eval_reference(draft_node *node)
{
    draft_decl *decl = node->decl;
    int64_t number;
    if (!decl) { /* a template parameter, in an instance: its number */
        return node->count == 1 && draft_is_constant(&number, node->children[0]->at)
                   ? draft_literal(node, number)
                   : draft_nothing();
    }
    if (decl->at.kind == CX_ENUMERATOR) {
        return draft_named_number(decl->name, cx.getEnumConstantDeclValue(decl->at));
    }
    if (decl->at.kind == CX_VAR || decl->at.kind == CX_PARM) {
        if (!draft_is_own(decl->at) && strcmp(decl->name, "warpSize") == 0) {
            return draft_number(32);
        }
        draft_spot spot = draft_variable_place(decl);
        return draft_read_place(&spot, node);
    }
    return draft_is_constant(&number, node->at) ? draft_literal(node, number) : draft_nothing();
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

static draft_amount *assign(draft_node *node)
{
    draft_amount *value = draft_eval(node->children[1]);
    draft_spot spot = draft_spot_of(node->children[0]);
    draft_write_place(&spot, node->children[0], value, false);
    return value;
}

static draft_amount *change_by(draft_node *node, draft_amount *by, int operation)
{
    draft_node *target = node->children[0];
    draft_spot spot = draft_spot_of(target);
    if (!spot.variable) {
        draft_write_place(&spot, target, draft_nothing(), true);
        return draft_nothing();
    }
    draft_amount *before = draft_read_place(&spot, target), *after = draft_nothing();
    if (before->kind == DRAFT_POINTER) {
        draft_node sum = {.operation = operation, .type = target->type};
        after = pointer_sum(&sum, before, by);
    } else if (draft_is_integer(target->type)) {
        after = draft_binary(operation, before, by, false);
    }
    draft_write_place(&spot, target, after, true);
    return after;
}

static draft_amount *eval_binary(draft_node *node)
{
    if (node->count != 2) {
        return draft_nothing();
    }
    if (node->operation == CX_ASSIGN) {
        return assign(node);
    }
    draft_amount *a = draft_eval(node->children[0]);
    size_t facts = draft_now.facts.count;
    if (node->operation == CX_LOGICAL_AND || node->operation == CX_LOGICAL_OR) {
        draft_assume(node->children[0], node->operation == CX_LOGICAL_AND);
    }
    draft_amount *b = draft_eval(node->children[1]);
    draft_now.facts.count = facts;
    if (node->operation == CX_COMMA) {
        return b;
    }
    if ((a->kind == DRAFT_POINTER || b->kind == DRAFT_POINTER) && draft_is_pointer(node->type)) {
        return pointer_sum(node, a, b);
    }
    if (draft_is_float(node->type) && node->operation != CX_DIV) {
        return draft_nothing();
    }
    return draft_binary(node->operation, a, b, draft_is_float(node->type));
}

static draft_amount *eval_unary(draft_node *node)
{
    draft_node *child = node->count ? node->children[0] : NULL;
    if (!child) {
        return draft_nothing();
    }
    if (node->operation <= CX_PRE_DEC) {
        bool up = node->operation == CX_POST_INC || node->operation == CX_PRE_INC;
        bool after = node->operation == CX_PRE_INC || node->operation == CX_PRE_DEC;
        draft_amount *before = after || !draft_base_variable(child) ? NULL : draft_quietly(child);
        draft_amount *value = change_by(node, draft_number(1), up ? CX_ADD : CX_SUB);
        return before ? before : value;
    }
    if (node->operation == CX_ADDRESS) {
        return draft_pointer(draft_spot_of(child));
    }
    if (node->operation == CX_DEREF) {
        draft_spot spot = draft_pointed(draft_eval(child));
        return draft_read_place(&spot, node);
    }
    draft_amount *a = draft_eval(child);
    return node->operation == CX_MINUS         ? draft_times(draft_number(-1), a)
           : node->operation == CX_PLUS        ? a
           : node->operation == CX_LOGICAL_NOT ? draft_make(DRAFT_NEGATION, a, NULL, NULL)
                                               : draft_nothing();
}

static draft_amount *eval_conditional(draft_node *node)
{
    if (node->count != 3) {
        return draft_nothing();
    }
    draft_amount *condition = draft_eval(node->children[0]);
    size_t facts = draft_now.facts.count;
    bool unsure = draft_is_unsure(condition);
    draft_now.unsure += unsure;
    draft_assume(node->children[0], true);
    draft_amount *a = draft_eval(node->children[1]);
    draft_now.facts.count = facts;
    draft_assume(node->children[0], false);
    draft_amount *b = draft_eval(node->children[2]);
    draft_now.facts.count = facts;
    draft_now.unsure -= unsure;
    if (a->kind == DRAFT_POINTER || b->kind == DRAFT_POINTER) {
        return a->kind == b->kind         ? draft_either("a pointer", a, b)
               : a->kind == DRAFT_POINTER ? a
                                          : b;
    }
    return draft_make(DRAFT_COND, condition, a, b);
}

/* Assembly: what its text does to the memory that its operands point to. */
static draft_amount *eval_asm(draft_node *node)
{
    const char *text = draft_source_of(node->at);
    bool reads = strstr(text, "ld.") || strstr(text, "cp.async") || strstr(text, "ldmatrix") ||
                 strstr(text, "prefetch");
    bool writes = strstr(text, "st.") || strstr(text, "red.") || strstr(text, "atom.");
    for (unsigned i = 0; i < node->count; i++) {
        draft_amount *value = draft_eval(node->children[i]);
        if (value->kind == DRAFT_POINTER && value->place.buffer) {
            bool known = reads || writes;
            draft_note_access(&value->place, draft_pointee(node->children[i]->type), node->at,
                              reads || !known, writes || !known);
            if (!known) {
                draft_ask_at(node->at,
                             "assembly gets a pointer, and whether it reads or writes there is not "
                             "known; correct in, out or inout");
            }
        }
    }
    return draft_nothing();
}

draft_amount *draft_eval(draft_node *node)
{
    int64_t number;
    if (++draft_now.steps > STEPS_MOST) {
        draft_now.ended = true;
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
        draft_spot spot = draft_member_place(node);
        return draft_read_place(&spot, node);
    }
    case CX_SUBSCRIPT: {
        draft_spot spot = draft_spot_of(node);
        return draft_read_place(&spot, node);
    }
    case CX_UNARY:
        return eval_unary(node);
    case CX_BINARY:
        return eval_binary(node);
    case CX_COMPOUND_ASSIGN:
        return node->count == 2
                   ? change_by(node, draft_eval(node->children[1]), draft_compound_operation(node))
                   : draft_nothing();
    case CX_CONDITIONAL:
        return eval_conditional(node);
    case CX_CALL:
        return call(node);
    case CX_ASM:
        return eval_asm(node);
    case CX_THIS:
        return draft_pointer(draft_now.object);
    case CX_LAMBDA:
        return draft_nothing();
    case DRAFT_TRUNCATE: {
        draft_amount *value = draft_eval(node->children[0]);
        return value->kind == DRAFT_REAL ? draft_make(DRAFT_QUOTIENT, value->a, value->b, NULL)
                                         : draft_changing("a rounded number");
    }
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

void draft_body_read(draft_kernel_facts *out, draft_decl *kernel)
{
    draft_node *body = draft_body_of(kernel);
    memset(&draft_now, 0, sizeof draft_now);
    draft_now.out = out;
    draft_now.object = draft_own_memory();
    out->kernel = kernel;
    for (size_t i = 0; i < kernel->parameters.count; i++) {
        kernel->parameters.items[i]->slots.count = 0;
    }
    if (body) {
        draft_run(body);
    }
}
