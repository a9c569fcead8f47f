/* Finds the extents and arguments of launches by interpreting the host code, without following
 * loops to their end. A variable that is set to a number gets a symbol with that number, because
 * the variable may have a different value in another run. */
#include "draft/parts.h"

#include <ctype.h>
#include <string.h>

typedef struct known_symbol {
    draft_decl *decl; /* the variable that has this value, or NULL */
    const char *text; /* the member, such as ".a.b", or the source text of an expression */
    const char *doubt;
    bool has_number;
    int64_t number; /* the number that the variable has in this program */
    draft_symbol *symbol;
} known_symbol;
static GT_ARRAY(known_symbol) known;

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

/* Returns the symbol that has all these properties, and creates it if it does not exist yet. */
static draft_amount *known_value(draft_symbol_kind kind, draft_decl *decl, const char *text,
                                 const int64_t *number, const char *doubt)
{
    draft_decl *within = decl     ? draft_decl_of(cx.getCursorSemanticParent(decl->at))
                         : number ? NULL
                                  : draft_now.function;
    for (size_t i = 0; i < known.count; i++) {
        const known_symbol *k = &known.items[i];
        if (k->symbol->kind == kind && k->decl == decl && k->symbol->within == within &&
            strcmp(k->text, text) == 0 && k->has_number == (number != NULL) &&
            (!number || k->number == *number) && !k->doubt == !doubt &&
            (!doubt || strcmp(k->doubt, doubt) == 0)) {
            return draft_symbol_value(k->symbol);
        }
    }
    draft_symbol *symbol = draft_new_symbol(kind, kind == DRAFT_CONSTANT ? text
                                                  : decl && !*text       ? decl->name
                                                                         : last_name(text));
    symbol->decl = decl;
    symbol->within = within;
    symbol->has_number = number != NULL;
    symbol->number = number ? *number : 0;
    symbol->doubt = doubt;
    known_symbol entry = {decl, text, doubt, number != NULL, symbol->number, symbol};
    draft_add(&known, entry);
    return draft_symbol_value(symbol);
}

draft_amount *draft_host_symbol(draft_decl *decl, const char *text, const int64_t *number)
{
    return known_value(DRAFT_HOST, decl, text, number, NULL);
}

draft_amount *draft_doubtful(draft_decl *decl, const char *text, const int64_t *number,
                             const char *doubt)
{
    draft_amount *value = known_value(DRAFT_HOST, decl, text, number, doubt);
    const draft_binding *held = decl && (doubt || !number) ? decl->latest : NULL;
    while (held && held->value && held->value != value) {
        held = held->older;
    }
    if (held && held->value) { /* the symbol stands for an earlier value */
        draft_symbol *other = draft_new_symbol(DRAFT_HOST, "");
        *other = *value->symbol;
        value = draft_symbol_value(other);
    }
    return value;
}

draft_amount *draft_named_number(const char *name, int64_t number)
{
    return known_value(DRAFT_CONSTANT, NULL, name, &number, NULL);
}

draft_amount *draft_literal(draft_node *node, int64_t number)
{
    const char *name = draft_name_at(node->at);
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

/* Returns true if no name describes the value better than the name of the variable itself. This is
 * true for a number, for the result of a call, and for the previous value of the variable. */
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
    if (value->kind == DRAFT_OBJECT && value->place.variable) {
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

/* Returns the value that two launches agree on, or an unknown value if they differ. */
static draft_amount *same_value(draft_amount *a, draft_amount *b)
{
    return a == b || !draft_is_known(a)
               ? a
               : draft_unknown("the callers of the function that launches it use different values");
}

/* Records a launch. If the same launch is reached a second time, the record with more known values
 * is kept. If both have the same number of known values, the extents that differ become unknown. */
static void note_launch(draft_node *node, draft_decl *kernel, draft_node *const *geometry,
                        unsigned count, draft_node *const *arguments, unsigned argument_count)
{
    draft_launched launch = {.call = node,
                             .callee = kernel,
                             .kernel = kernel ? draft_template_of(kernel) : NULL,
                             .lambda = draft_now.lambda,
                             .is_skipped = draft_now.skipped > 0};
    find_extents(launch.grid, draft_eval(geometry[0]), geometry[0]);
    find_extents(launch.block, draft_eval(geometry[1]), geometry[1]);
    launch.shared = count > 2 ? draft_eval(geometry[2]) : draft_number(0);
    for (unsigned i = 0; i < argument_count; i++) {
        draft_amount *value = draft_eval(arguments[i]);
        bool is_variable =
            arguments[i]->type.kind == CX_TYPE_POINTER &&
            (arguments[i]->kind == CX_DECL_REF || arguments[i]->kind == CX_MEMBER_REF);
        /* a pointer variable that is still null here is probably set by another function */
        bool is_null = value->kind == DRAFT_SUM && is_variable;
        draft_decl *passed = draft_new(sizeof *passed);
        draft_binding *last = draft_now.last;
        draft_assign(passed, "", is_null ? draft_nothing() : value, arguments[i]->type);
        draft_now.last = last; /* undoing the branch must not undo this assignment */
        draft_add(&launch.arguments, passed);
    }
    for (size_t i = 0; i < draft_now.program->launches.count; i++) {
        draft_launched *other = &draft_now.program->launches.items[i];
        if (cx.equalCursors(other->call->at, node->at) && other->callee == kernel) {
            const int more = draft_launch_rank(&launch) - draft_launch_rank(other);
            for (int d = 0; more == 0 && d < 3; d++) {
                other->grid[d] = same_value(other->grid[d], launch.grid[d]);
                other->block[d] = same_value(other->block[d], launch.block[d]);
            }
            other->shared = more ? other->shared : same_value(other->shared, launch.shared);
            *other = more > 0 ? launch : *other;
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

/* Interprets a call of cudaLaunchKernel(kernel, grid, block, arguments, shared). The arguments of
 * the kernel are known only if `arguments` is an array { &a, &b, … }. */
static void launch_with_array(draft_node *node)
{
    draft_node *const *c = node->children;
    draft_node *geometry[] = {c[1], c[2], node->count > 4 ? c[4] : NULL};
    draft_node *list = c[3]->decl ? draft_initialiser_of(c[3]->decl) : NULL;
    const bool is_list = list && list->kind == CX_INIT_LIST && !draft_value_of(c[3]->decl, "");
    draft_node **arguments = draft_new((is_list ? list->count : 0) * sizeof *arguments);
    unsigned count = 0;
    while (is_list && count < list->count && list->children[count]->operation == CX_ADDRESS) {
        arguments[count] = list->children[count]->children[0];
        count++;
    }
    note_launch(node, called_kernel(draft_eval(c[0])), geometry, geometry[2] ? 3 : 2, arguments,
                count);
}

/* Handles cudaMemcpyToSymbol(constant, …). */
static void copy_to_symbol(const draft_node *node)
{
    const draft_node *target = node->children[0];
    target =
        target->kind == CX_UNARY && target->operation == CX_ADDRESS ? target->children[0] : target;
    if (target->decl) {
        draft_add_once(&draft_now.program->copied, target->decl);
    }
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
    } else if ((strcmp(name, "cudaLaunchKernel") == 0 ||
                strcmp(name, "cudaLaunchCooperativeKernel") == 0) &&
               node->count > 3) {
        launch_with_array(node);
    } else if (begins(name, "cudaMemcpyToSymbol") && node->count) {
        copy_to_symbol(node);
    } else if ((rounds || begins(name, "floor")) && node->count == 1) {
        draft_amount *value = draft_eval(node->children[0]);
        return value->kind == DRAFT_REAL
                   ? draft_make(rounds ? DRAFT_CEIL_DIV : DRAFT_QUOTIENT, value->a, value->b, NULL)
                   : value;
    } else {
        return NULL;
    }
    return draft_nothing();
}

/* ---- all ------------------------------------------------------------------------------------- */

/* A value of a global variable: the initial value, or the value after a function has run. */
typedef struct setting {
    draft_decl *global, *function; /* `function` is NULL for an initial value */
    draft_binding *value;
} setting;
static GT_ARRAY(setting) settings;

/* Saves the values of global variables after a function, or their initial values if it is NULL. */
static void note_globals(const draft_program *program, draft_decl *function)
{
    for (draft_binding *b = draft_now.last; b; b = b->before) {
        for (size_t i = 0; b == b->decl->latest && i < program->globals.count; i++) {
            if (program->globals.items[i] == b->decl) {
                draft_add(&settings, ((setting){b->decl, function, b}));
            }
        }
    }
}

/* Returns true if the global variable may have a value other than the saved one. */
static bool may_differ(const setting *s)
{
    bool differs = draft_initialiser_of(s->global) != NULL;
    for (const draft_binding *b = s->value->older; b; b = b->older) {
        differs |= b->value && strcmp(b->path, s->value->path) == 0;
    }
    for (size_t i = 0; i < settings.count; i++) {
        const setting *other = &settings.items[i];
        differs |= other->global == s->global && other->function != s->function &&
                   !(other->function && other->function->is_called);
    }
    return differs;
}

/* Resets the interpreter and the global variables. If `others` is true, the global variables get
 * the values that were set by functions which no other function calls. */
static void begin_reading(draft_program *program, bool others)
{
    memset(&draft_now, 0, sizeof draft_now);
    draft_now.program = program;
    draft_now.object = (draft_spot){.path = ""};
    for (size_t i = 0; i < program->globals.count; i++) {
        program->globals.items[i]->latest = NULL;
    }
    for (size_t i = 0; i < settings.count; i++) {
        const setting *s = &settings.items[i];
        const draft_spot spot = {.variable = s->global, .path = ""};
        if (!s->function || (others && !s->function->is_called)) {
            s->global->latest = s->value;
        }
        if (s->function && s->global->latest == s->value && may_differ(s)) {
            draft_change_unseen(&spot, draft_type_of(s->global), s->function->name);
        }
    }
}

/* Computes the initial values of global variables whose initialisers are not constants. */
static void read_globals(draft_program *program)
{
    int64_t number;
    begin_reading(program, false);
    for (size_t i = 0; i < program->globals.count; i++) {
        draft_decl *global = program->globals.items[i];
        const draft_node *made = draft_initialiser_of(global);
        const bool is_struct = draft_fields_of(draft_type_of(global)).count > 0; /* no lambda */
        if (made && (is_struct || draft_is_integer(draft_type_of(global))) &&
            !draft_is_constant(&number, made->at) &&
            !draft_has_child(global->at, CX_DEVICE_ATTRIBUTE)) {
            draft_declare(global);
        }
    }
    note_globals(program, NULL);
}

static void follow_root(draft_decl *function, bool is_main)
{
    draft_node *body = draft_body_of(function);
    for (size_t i = 0; i < function->parameters.count; i++) {
        draft_forget(function->parameters.items[i]);
    }
    if (is_main && function->parameters.count) {
        draft_decl *count = function->parameters.items[0]; /* argc, without arguments */
        draft_bind(count, "", draft_host_symbol(count, "", &(int64_t){1}));
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
    settings.count = 0;
    read_globals(program);
    for (int round = 0; round < 2; round++) {
        program->launches.count = 0;
        for (size_t i = program->functions.count; i-- > 0;) {
            draft_decl *function = program->functions.items[i];
            const bool is_main = strcmp(function->name, "main") == 0;
            if (!function->is_called) {
                begin_reading(program, round && !is_main);
                draft_now.skipped = has_main && !is_main; /* prefer launches in main() */
                follow_root(function, is_main);
                if (!round) {
                    note_globals(program, function);
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
