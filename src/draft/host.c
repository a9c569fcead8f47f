/* Finds the extents and arguments of launches by interpreting the host code, without following
 * loops to their end. A variable that is set to a number gets a symbol with that number, because
 * the variable may have a different value in another run. */
#include "draft/parts.h"

#include <ctype.h>
#include <string.h>

static draft_symbols known; /* the symbols that known_value() has created */

bool draft_on_host(void)
{
    return !draft_now.out;
}

/* ---- symbols --------------------------------------------------------------------------------- */

/* Returns the last name before the first bracket: "n" for "x.n", "size" for "x.size(k)". */
static const char *last_name(const char *text)
{
    size_t end = strcspn(text, "(["), begin = end;
    while (begin && (isalnum((unsigned char)text[begin - 1]) || text[begin - 1] == '_')) {
        begin--;
    }
    return end > begin && !isdigit((unsigned char)text[begin])
               ? draft_format("%.*s", (int)(end - begin), text + begin)
               : "size";
}

static draft_symbol *new_symbol(draft_symbol_kind kind, draft_decl *decl, const char *text,
                                const int64_t *number)
{
    draft_symbol *symbol = draft_new_symbol(kind, kind == DRAFT_CONSTANT ? text
                                                  : decl && !*text       ? decl->name
                                                                         : last_name(text));
    symbol->decl = decl;
    symbol->text = text;
    symbol->has_number = number != NULL;
    symbol->number = number ? *number : 0;
    return symbol;
}

/* Returns the symbol with these properties, and creates it if there is none. */
static draft_amount *known_value(draft_symbol_kind kind, draft_decl *decl, const char *text,
                                 const int64_t *number)
{
    for (size_t i = 0; i < known.count; i++) {
        draft_symbol *k = known.items[i];
        if (k->kind == kind && k->decl == decl && strcmp(k->text, text) == 0 &&
            (k->has_number && !k->is_guess) == (number != NULL) &&
            (!number || k->number == *number)) {
            return draft_symbol_value(k);
        }
    }
    draft_symbol *symbol = new_symbol(kind, decl, text, number);
    draft_add(&known, symbol);
    return draft_symbol_value(symbol);
}

draft_amount *draft_host_symbol(draft_decl *decl, const char *text, const int64_t *number)
{
    return known_value(DRAFT_HOST, decl, text, number);
}

draft_amount *draft_doubtful(draft_decl *decl, const char *text, const int64_t *number,
                             const char *doubt)
{
    draft_symbol *symbol = new_symbol(DRAFT_HOST, decl, text, number);
    symbol->doubt = doubt;
    return draft_symbol_value(symbol);
}

draft_amount *draft_named_number(const char *name, int64_t number)
{
    return known_value(DRAFT_CONSTANT, NULL, name, &number);
}

draft_amount *draft_literal(draft_node *node, int64_t number)
{
    const char *name = node->name;
    if (!name || strcmp(name, "true") == 0 || number < 1) {
        return draft_number(number);
    }
    if (!draft_on_host() || draft_slice_has(name)) {
        return draft_named_number(name, number);
    }
    draft_amount *value = draft_host_symbol(NULL, name, &number);
    value->symbol->has_name = true;
    return value;
}

/* Returns true if the variable's own name describes the value best. This is true for a number, for
 * the result of a call, and for the previous value of the variable. */
static bool is_plain(const draft_decl *decl, const draft_amount *value)
{
    int64_t number;
    return draft_is_number(value, &number) ||
           (draft_is_symbol(value, DRAFT_HOST) &&
            (!value->symbol->decl || value->symbol->decl == decl) && !value->symbol->has_name);
}

draft_amount *draft_named(draft_decl *decl, const char *path, draft_amount *value)
{
    int64_t number;
    if (draft_on_host() && draft_is_number(value, &number)) {
        bool is_const = cx.isConstQualifiedType(cx.getCursorType(decl->at));
        return decl->in_code && is_const                   ? draft_named_number(decl->name, number)
               : number < (draft_now.begins_loop ? 32 : 2) ? value
                                                           : draft_host_symbol(decl, path, &number);
    }
    const bool is_open = draft_has_kind(value, DRAFT_CHANGING),
               is_choice = value->kind == DRAFT_COND;
    if (!draft_on_host() ||
        !(is_choice ? is_open || (is_plain(decl, value->b) && is_plain(decl, value->c))
                    : is_open || (is_plain(decl, value) && !value->symbol->decl))) {
        return value;
    }
    const char *doubt = draft_is_symbol(value, DRAFT_HOST) ? value->symbol->doubt : DRAFT_UNDECIDED;
    doubt = is_choice && draft_evaluate(&number, value) ? NULL : doubt;
    return draft_doubtful(decl, path, draft_evaluate(&number, value) ? &number : NULL, doubt);
}

/* ---- launches -------------------------------------------------------------------------------- */

static void find_extents(draft_amount *out[3], draft_amount *value, const draft_node *node)
{
    cx_type extent = {.kind = CX_TYPE_UINT};
    out[0] = value;
    out[1] = out[2] = draft_number(1);
    if (value->kind == DRAFT_OBJECT && value->place.variable &&
        !draft_is_undeclared(cx.getTypeDeclaration(draft_type_of(value->place.variable)))) {
        for (int d = 0; d < 3; d++) {
            draft_spot spot = value->place;
            spot.path = draft_format("%s.%c", spot.path, "xyz"[d]);
            out[d] = draft_read_variable(&spot, extent);
        }
    } else if (!draft_is_known(value)) {
        out[0] = out[1] = out[2] =
            draft_unknown(draft_format("'%s' is computed elsewhere", draft_source_of(node->at)));
    }
}

static draft_decl *called_kernel(draft_amount *callee)
{
    draft_decl *decl = callee->kind == DRAFT_OBJECT || callee->kind == DRAFT_POINTER
                           ? callee->place.variable
                           : NULL;
    return decl && draft_has_child(draft_template_of(decl)->at, CX_GLOBAL_ATTRIBUTE) ? decl : NULL;
}

static bool is_same_value(const draft_amount *a, const draft_amount *b)
{
    return a == b ||
           (!draft_is_known(a) && !draft_is_known(b) &&
            !(a->kind == DRAFT_TEXT && b->kind == DRAFT_TEXT && strcmp(a->text, b->text)));
}

bool draft_is_same_launch(const draft_launched *a, const draft_launched *b)
{
    bool same = a->callee == b->callee && is_same_value(a->shared, b->shared);
    for (int d = 0; d < 3; d++) {
        same &= is_same_value(a->grid[d], b->grid[d]) && is_same_value(a->block[d], b->block[d]);
    }
    for (size_t i = 0; same && i < a->arguments.count && i < b->arguments.count; i++) {
        same = is_same_value(a->arguments.items[i]->latest->value,
                             b->arguments.items[i]->latest->value);
    }
    return same;
}

/* Records a launch. If the same launch is reached a second time, the record that is more likely to
 * be reached is kept, or else the record with more known values. */
static void note_launch(draft_node *node, draft_decl *kernel, draft_node *const *geometry,
                        unsigned count, draft_node *const *arguments, unsigned argument_count)
{
    draft_launched launch = {.call = node,
                             .callee = kernel,
                             .kernel = kernel ? draft_template_of(kernel) : NULL,
                             .in_lambda = draft_now.lambdas > 0,
                             .skipped = draft_now.skipped};
    for (size_t i = 0; i < draft_now.facts.count; i++) {
        draft_add(&launch.conditions, draft_now.facts.items[i]);
    }
    find_extents(launch.grid, draft_eval(geometry[0]), geometry[0]);
    find_extents(launch.block, draft_eval(geometry[1]), geometry[1]);
    launch.shared = count > 2 ? draft_eval(geometry[2]) : draft_number(0);
    if (draft_has_change(geometry[0]) || draft_has_change(geometry[1])) {
        launch.block[0] = launch.grid[0] = draft_unknown("the launch changes variables itself");
    }
    for (unsigned i = 0; i < argument_count; i++) {
        draft_amount *value = draft_eval(arguments[i]);
        bool is_variable =
            arguments[i]->type.kind == CX_TYPE_POINTER &&
            (arguments[i]->kind == CX_DECL_REF || arguments[i]->kind == CX_MEMBER_REF);
        /* if a pointer variable is still null here, another function probably sets it */
        bool is_null = value->kind == DRAFT_SUM && is_variable;
        draft_decl *passed = draft_new(sizeof *passed);
        draft_binding *last = draft_now.last;
        draft_assign(passed, "", is_null ? draft_nothing() : value, arguments[i]->type);
        draft_now.last = last; /* keep this binding when the branch is undone */
        draft_add(&launch.arguments, passed);
    }
    for (size_t i = 0; i < draft_now.program->launches.count; i++) {
        draft_launched *other = &draft_now.program->launches.items[i];
        if (cx.equalCursors(other->call->at, node->at) && other->callee == kernel) {
            launch.varies = other->varies |= !draft_is_same_launch(&launch, other);
            draft_now.missed += launch.skipped < other->skipped;
            *other = launch.skipped < other->skipped ||
                             (launch.skipped == other->skipped &&
                              draft_launch_rank(&launch) > draft_launch_rank(other))
                         ? launch
                         : *other;
            return;
        }
    }
    if (kernel) {
        draft_add(&draft_now.program->launches, launch);
    }
}

/* ---- CUDA's functions ------------------------------------------------------------------------ */

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* Interprets a call of cudaMalloc(&pointer, bytes). */
static void allocate(draft_node *node)
{
    draft_amount *target = draft_eval(node->children[0]), *bytes = draft_eval(node->children[1]);
    if (target->kind != DRAFT_POINTER || !target->place.variable) {
        return;
    }
    draft_buffer *buffer = draft_new(sizeof *buffer);
    buffer->name = target->place.variable->name;
    buffer->bytes = draft_is_known(bytes) ? bytes : NULL;
    draft_bind(
        target->place.variable, target->place.path,
        draft_pointer((draft_spot){.path = "", .buffer = buffer, .offset = draft_number(0)}));
}

draft_amount *draft_host_call(draft_node *node)
{
    const char *name = node->decl ? node->decl->name : "";
    bool rounds = begins(name, "ceil");
    if (node->config) {
        note_launch(node, node->callee ? called_kernel(draft_eval(node->callee)) : NULL,
                    node->config->children, node->config->count, node->children, node->count);
    } else if ((begins(name, "cudaMalloc") || begins(name, "cudaHostAlloc")) && node->count > 1 &&
               !begins(name, "cudaMallocPitch")) {
        allocate(node);
    } else if (begins(name, "cudaMemcpyToSymbol") && node->count) {
        const draft_node *to = node->children[0];
        to = to->kind == CX_UNARY && to->operation == CX_ADDRESS ? to->children[0] : to;
        if (to->decl) {
            draft_add_once(&draft_now.program->copied, to->decl);
        }
    } else if ((rounds || begins(name, "floor")) && node->count == 1) {
        draft_amount *value = draft_eval(node->children[0]);
        int64_t number;
        if (value->kind == DRAFT_REAL && !(draft_evaluate(&number, value->a) && number < 0)) {
            return draft_make(rounds ? DRAFT_CEIL_DIV : DRAFT_QUOTIENT, value->a, value->b, NULL);
        }
        return draft_has_kind(value, DRAFT_FRACTION) ? draft_nothing() : value;
    } else {
        return NULL;
    }
    return draft_nothing();
}

/* ---- all ------------------------------------------------------------------------------------- */

/* Resets the interpreter, and computes the initial values of globals that are not constants. If
 * `is_main` is false, globals that host functions change may have any value. */
static void begin_reading(draft_program *program, bool is_main)
{
    int64_t number;
    memset(&draft_now, 0, sizeof draft_now);
    draft_now.program = program;
    draft_now.object = (draft_spot){.path = ""};
    for (size_t i = 0; i < program->globals.count; i++) {
        program->globals.items[i]->latest = NULL;
    }
    for (size_t i = 0; i < program->globals.count; i++) {
        draft_decl *global = program->globals.items[i];
        const draft_node *made = draft_initialiser_of(global);
        const cx_type type = draft_type_of(global);
        const bool is_struct = draft_fields_of(type).count > 0; /* no lambda */
        if (made && (is_struct || draft_is_integer(type)) &&
            !draft_is_constant(&number, made->at) &&
            !draft_has_child(global->at, CX_DEVICE_ATTRIBUTE)) {
            draft_declare(global);
        }
    }
    for (size_t i = 0; !is_main && i < program->globals.count; i++) {
        draft_decl *global = program->globals.items[i];
        const draft_spot spot = {.variable = global, .path = ""};
        if (global->is_set) {
            draft_change_unseen(&spot, draft_type_of(global), "is changed by other functions");
        }
    }
}

static void follow_root(draft_decl *function, bool is_main)
{
    draft_node *body = draft_body_of(function);
    for (size_t i = 0; i < function->parameters.count; i++) {
        draft_forget(function->parameters.items[i]);
    }
    if (is_main && function->parameters.count) { /* argc is 1, as without arguments */
        draft_bind(function->parameters.items[0], "", draft_number(1));
    }
    function->busy = true;
    if (body) {
        draft_run(body);
    }
    function->busy = false;
}

/* Interprets the functions from last to first, because most functions are defined before their
 * callers. The second pass skips the functions that were called in the first one. */
void draft_host_read(draft_program *program)
{
    bool has_main = false;
    for (size_t i = 0; i < program->functions.count; i++) {
        has_main |= strcmp(program->functions.items[i]->name, "main") == 0;
    }
    for (int round = 0; round < 2; round++) {
        program->launches.count = 0;
        for (size_t i = program->functions.count; i-- > 0;) {
            draft_decl *function = program->functions.items[i];
            const bool is_main = strcmp(function->name, "main") == 0;
            if (!function->is_called) {
                begin_reading(program, is_main);
                const draft_binding *begin = draft_now.last;
                draft_now.skipped = has_main && !is_main; /* prefer launches in main() */
                follow_root(function, is_main);
                for (draft_binding *b = draft_now.last; b != begin; b = b->before) {
                    b->decl->is_set = true;
                }
            }
        }
    }
}

draft_amount *draft_passed(const draft_launched *launch, const draft_decl *kernel,
                           const draft_decl *parameter, const char *path)
{
    for (size_t i = 0; launch && i < kernel->parameters.count; i++) {
        if (kernel->parameters.items[i] == parameter && i < launch->arguments.count) {
            return draft_value_of(launch->arguments.items[i], path);
        }
    }
    return NULL;
}
