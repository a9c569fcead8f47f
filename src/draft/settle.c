/* From what a kernel does and how it is launched to the values of a template's clauses. */
#include "draft/parts.h"

#include "kernel/template/symbols.h"

#include <string.h>

static const int64_t BLOCKS[] = {32, 64, 128, 256, 512, 1024};

void draft_ask(draft_settled *s, const char *format, ...)
{
    gt_text text = {0};
    va_list args;
    va_start(args, format);
    gt_text_vprintf(&text, format, args);
    va_end(args);
    for (size_t i = 0; i < s->questions.count; i++) {
        if (strcmp(s->questions.items[i], gt_text_string(&text)) == 0) {
            return;
        }
    }
    draft_need_memory(gt_texts_add(&s->questions, gt_text_string(&text), text.length));
}

/* ---- which launch
 * ----------------------------------------------------------------------------------- */

static bool is_kernel_named(draft_decl *decl, draft_decl *kernel)
{
    return decl && (decl == kernel || strcmp(draft_full_name(decl), draft_full_name(kernel)) == 0);
}

static bool has_allocations(const draft_launched *launch)
{
    for (unsigned i = 0; i < launch->count; i++) {
        if (launch->arguments[i]->type.kind == CX_TYPE_POINTER &&
            draft_host_bytes(launch->arguments[i])) {
            return true;
        }
    }
    return false;
}

/* Of several launches the one with allocations that are known, or else the first. */
draft_decl *draft_launched_instance(const draft_launched **launch, const draft_program *program,
                                    draft_decl *kernel)
{
    *launch = NULL;
    for (size_t i = 0; i < program->launches.count; i++) {
        const draft_launched *l = &program->launches.items[i];
        bool instance = l->callee && (draft_template_of(l->callee) != l->callee ||
                                      l->callee->at.kind != CX_FUNCTION_TEMPLATE);
        bool better = is_kernel_named(l->kernel, kernel) && instance &&
                      (!*launch || (!has_allocations(*launch) && has_allocations(l)));
        *launch = better ? l : *launch;
    }
    return !*launch                                         ? NULL
           : draft_template_of((*launch)->callee) == kernel ? (*launch)->callee
                                                            : kernel;
}

/* In a template, the launch of a kernel whose arguments depend on it: its geometry is known. */
static const draft_launched *dependent_launch(const draft_program *program, draft_decl *kernel)
{
    for (size_t i = 0; i < program->launches.count; i++) {
        const draft_launched *l = &program->launches.items[i];
        if (l->grid && is_kernel_named(l->kernel, kernel)) {
            return l;
        }
    }
    return NULL;
}

/* ---- values in the host's names
 * ------------------------------------------------------------------------- */

static int parameter_index(const draft_settled *s, const draft_decl *parameter)
{
    for (size_t i = 0; i < s->instance->parameters.count; i++) {
        if (s->instance->parameters.items[i] == parameter) {
            return (int)i;
        }
    }
    return -1;
}

/* What the launch passes for a parameter, or the part of it at ".a.b". */
static draft_node *passed(const draft_settled *s, const draft_decl *parameter, const char *path)
{
    const int index = parameter_index(s, parameter);
    draft_node *node = s->launch && index >= 0 && index < (int)s->launch->count
                           ? s->launch->arguments[index]
                           : NULL;
    while (node && *path == '.') {
        size_t length = strcspn(path + 1, ".");
        node = draft_host_member(node, draft_format("%.*s", (int)length, path + 1));
        path += 1 + length;
    }
    return node;
}

/* The symbol of a parameter whose value nobody gives. */
static draft_symbol *own_symbol(draft_decl *parameter, const char *path)
{
    static GT_ARRAY(draft_symbol *) all;
    const char *name = draft_format("%s%s", parameter->name, path);
    for (size_t i = 0; i < all.count; i++) {
        if (all.items[i]->decl == parameter && strcmp(all.items[i]->given, name) == 0) {
            return all.items[i];
        }
    }
    draft_symbol *symbol = draft_new(sizeof *symbol);
    symbol->kind = DRAFT_HOST;
    symbol->name = symbol->given = name;
    symbol->decl = parameter;
    draft_add(&all, symbol);
    return symbol;
}

static draft_amount *raw_value(draft_settled *s, draft_decl *parameter, const char *path)
{
    draft_node *node = passed(s, parameter, path);
    draft_amount *value = node ? draft_host_value(node) : NULL;
    return value && draft_is_known(value) ? value : draft_symbol_value(own_symbol(parameter, path));
}

static draft_amount *settle_symbol(void *user, draft_symbol *symbol)
{
    draft_settled *s = user;
    switch (symbol->kind) {
    case DRAFT_PARAMETER:
        return draft_settled_value(s, symbol->decl, symbol->name + strlen(symbol->decl->name));
    case DRAFT_BLOCK_SIZE:
        return s->block[symbol->axis];
    case DRAFT_GRID_SIZE:
        return s->grid[symbol->axis];
    case DRAFT_HOST:
        for (unsigned i = 0; i < s->axis_count; i++) {
            if (s->axes[i].symbol == symbol) {
                return draft_named_number(s->axes[i].name, s->axes[i].usual);
            }
        }
        return NULL;
    case DRAFT_CONSTANT:
        for (unsigned i = 0; i < s->axis_count; i++) {
            if (strcmp(s->axes[i].name, symbol->name) == 0) {
                return NULL;
            }
        }
        return draft_number(symbol->number);
    default:
        return NULL;
    }
}

static draft_amount *settled(draft_settled *s, draft_amount *value)
{
    return draft_is_known(value) ? draft_replace(value, settle_symbol, s) : value;
}

draft_amount *draft_settled_value(draft_settled *s, draft_decl *parameter, const char *path)
{
    draft_amount *value = raw_value(s, parameter, path);
    return value->kind == DRAFT_TEXT ? value : settled(s, value);
}

/* ---- the block
 * ---------------------------------------------------------------------------------------------- */

/* Divisions by a number, or a multiple of it, become divisions by the axis that has it. */
static draft_amount *tie(draft_amount *value, int64_t number, draft_amount *axis)
{
    int64_t by;
    if (!value->a) {
        draft_amount *total = draft_number(0);
        if (value->kind != DRAFT_SUM) {
            return value;
        }
        for (unsigned i = 0; i < value->count; i++) {
            draft_amount *product = draft_number(value->terms[i].factor);
            for (unsigned k = 0; k < value->terms[i].count; k++) {
                product = draft_times(product, tie(value->terms[i].atoms[k], number, axis));
            }
            total = draft_plus(total, product, 1);
        }
        return total;
    }
    draft_amount *a = tie(value->a, number, axis),
                 *b = value->b ? tie(value->b, number, axis) : NULL;
    if ((value->kind == DRAFT_CEIL_DIV || value->kind == DRAFT_QUOTIENT) &&
        draft_is_number(value->b, &by) && by % number == 0) {
        b = draft_times(axis, draft_number(by / number));
    }
    return draft_make(value->kind, a, b, value->c ? tie(value->c, number, axis) : NULL);
}

static draft_axis_found *add_axis(draft_settled *s, const char *name, int64_t usual)
{
    if (s->axis_count == sizeof s->axes / sizeof *s->axes) {
        return NULL;
    }
    draft_axis_found *axis = &s->axes[s->axis_count++];
    *axis = (draft_axis_found){.name = name, .usual = usual};
    return axis;
}

static void add_axis_value(draft_axis_found *axis, int64_t value)
{
    unsigned at = 0;
    while (at < axis->count && axis->values[at] < value) {
        at++;
    }
    if (axis->count < sizeof axis->values / sizeof *axis->values &&
        !(at < axis->count && axis->values[at] == value)) {
        memmove(&axis->values[at + 1], &axis->values[at],
                (axis->count - at) * sizeof *axis->values);
        axis->values[at] = value;
        axis->count++;
    }
}

/* Whether the kernel's template has a parameter of that name. */
static bool is_template_parameter(const draft_settled *s, const char *name)
{
    draft_cursors children = draft_children(s->kernel->at);
    bool found = false;
    for (size_t i = 0; i < children.count; i++) {
        found |= children.items[i].kind == CX_VALUE_PARAMETER &&
                 strcmp(draft_string(cx.getCursorSpelling(children.items[i])), name) == 0;
    }
    return found;
}

/* The template parameter whose argument is that number, if just one is. */
static const char *parameter_with(const draft_settled *s, int64_t number)
{
    draft_cursors children = draft_children(s->kernel->at);
    const char *found = NULL;
    unsigned index = 0, matches = 0;
    for (size_t i = 0; i < children.count; i++) {
        int kind = children.items[i].kind;
        if (kind == CX_VALUE_PARAMETER && s->instance != s->kernel &&
            cx.Cursor_getTemplateArgumentKind(s->instance->at, index) == 4 &&
            cx.Cursor_getTemplateArgumentValue(s->instance->at, index) == number) {
            found = draft_string(cx.getCursorSpelling(children.items[i]));
            matches++;
        }
        index += kind == CX_TYPE_PARAMETER || kind == CX_VALUE_PARAMETER ||
                 kind == CX_TEMPLATE_PARAMETER;
    }
    return matches == 1 ? found : NULL;
}

static bool has_fixed_shared(const draft_settled *s)
{
    return s->facts.has_static;
}

/* The name of an axis for an extent of the block; NULL: the extent stays as it is. */
static const char *block_axis(draft_settled *s, int d, draft_amount *extent, int64_t number,
                              bool is_flat)
{
    const char *parameter = parameter_with(s, number);
    bool named =
        extent->kind == DRAFT_SYMBOL && extent->symbol->kind == DRAFT_CONSTANT &&
        (draft_slice_has(extent->symbol->name) || is_template_parameter(s, extent->symbol->name));
    if (named) {
        return extent->symbol->name;
    }
    if (!s->facts.reads_block[d]) {
        return parameter && number >= 8 ? parameter : NULL;
    }
    bool single = extent->kind == DRAFT_SYMBOL || draft_is_number(extent, &number);
    return !single ? NULL : is_flat ? "BLOCK" : draft_format("BLOCK_%c", "XYZ"[d]);
}

/* A name for a number that divides the grid, beside the block's: how much each thread, or block,
 * does. */
static void add_divisor(void *user, draft_symbol *symbol)
{
    draft_settled *s = user;
    bool known = symbol->kind != DRAFT_CONSTANT || symbol->number < 1 || symbol->number > 64 ||
                 !(draft_slice_has(symbol->name) || is_template_parameter(s, symbol->name));
    for (unsigned i = 0; i < s->axis_count; i++) {
        known |= strcmp(s->axes[i].name, symbol->name) == 0;
    }
    draft_axis_found *axis = known ? NULL : add_axis(s, symbol->name, symbol->number);
    for (int64_t value = 1; axis && value <= 4 * symbol->number && value <= 16; value *= 2) {
        add_axis_value(axis, value);
    }
    if (axis) {
        add_axis_value(axis, symbol->number);
    }
}

static void find_divisors(draft_settled *s, const draft_amount *value)
{
    if (value->kind == DRAFT_CEIL_DIV || value->kind == DRAFT_QUOTIENT) {
        draft_symbols_of(value->b, add_divisor, s);
    }
}

static void settle_block(draft_settled *s)
{
    int64_t numbers[3], total = 1;
    bool known = true, is_flat;
    if (s->launch && s->launch->block) {
        draft_host_extents(s->block, s->launch->block);
    }
    for (int d = 0; d < 3; d++) {
        if (!s->launch || !s->launch->block || !draft_is_known(s->block[d]) ||
            !draft_evaluate(&numbers[d], s->block[d]) || numbers[d] < 1) {
            known = false;
        }
    }
    if (!known) {
        draft_ask(s,
                  "%s: which block is '%s' launched with? Nothing here says so; complete block()",
                  draft_place_of(s->kernel->at), s->kernel->name);
        bool deep = s->facts.reads_block[1];
        for (int d = 0; d < 3; d++) {
            numbers[d] = d == 0 ? (deep ? 32 : 256) : d == 1 && deep ? 8 : 1;
            s->block[d] = draft_number(numbers[d]);
        }
    }
    is_flat = numbers[1] == 1 && numbers[2] == 1;
    for (int d = 0; d < 3; d++) {
        total *= numbers[d];
    }
    for (int d = 0; d < 3; d++) {
        const char *name =
            numbers[d] > 1 ? block_axis(s, d, s->block[d], numbers[d], is_flat) : NULL;
        draft_axis_found *axis = NULL;
        for (unsigned i = 0; name && i < s->axis_count; i++) {
            axis = strcmp(s->axes[i].name, name) == 0 ? &s->axes[i] : axis;
        }
        if (!name) {
            continue;
        }
        if (!axis && (axis = add_axis(s, name, numbers[d])) != NULL) {
            axis->symbol =
                s->block[d]->kind == DRAFT_SYMBOL && s->block[d]->symbol->kind == DRAFT_HOST
                    ? s->block[d]->symbol
                    : NULL;
            add_axis_value(axis, numbers[d]);
            for (size_t i = 0; i < sizeof BLOCKS / sizeof *BLOCKS; i++) {
                int64_t value = is_flat ? BLOCKS[i] : BLOCKS[i] / 8;
                bool fits = value * (total / numbers[d]) <= 1024 && (!is_flat || value >= 64) &&
                            (!has_fixed_shared(s) || value <= numbers[d]);
                if (fits && value >= 1) {
                    add_axis_value(axis, value);
                }
            }
        }
        if (axis) {
            s->block[d] = draft_named_number(name, numbers[d]);
            for (int g = 0; s->launch && g < 3; g++) {
                bool mine = g == d || is_flat;
                s->grid[g] = mine && draft_is_known(s->grid[g])
                                 ? tie(s->grid[g], numbers[d], s->block[d])
                                 : s->grid[g];
            }
        }
    }
}

/* ---- the grid
 * -------------------------------------------------------------------------------------------------
 */

static draft_amount *builtin(draft_symbol_kind kind, int axis)
{
    return draft_symbol_value(draft_builtin(kind, axis));
}

/* What a guard keeps the global index of dimension d below; *per_block: of a block's index alone.
 */
static draft_amount *guarded(draft_settled *s, int d, bool *per_block)
{
    draft_amount *bid = builtin(DRAFT_BLOCK_INDEX, d), *tid = builtin(DRAFT_THREAD, d);
    draft_amount *size = builtin(DRAFT_BLOCK_SIZE, d);
    draft_amount *plain = draft_plus(draft_times(bid, size), tid, 1);
    draft_amount *linear =
        draft_plus(bid, draft_times(builtin(DRAFT_BLOCK_INDEX, 1), builtin(DRAFT_GRID_SIZE, 0)), 1);
    linear = draft_plus(draft_times(linear, size), tid, 1);
    for (size_t i = 0; i < s->facts.guards.count; i++) {
        const draft_fact *fact = &s->facts.guards.items[i];
        draft_amount *lhs = draft_written_out(fact->lhs);
        *per_block = lhs == bid;
        if (lhs == plain || (d == 0 && lhs == linear) || lhs == bid) {
            draft_amount *most = draft_bound(fact->most, true, &(draft_facts){0});
            return draft_is_known(most) ? draft_plus(most, draft_number(1), 1) : NULL;
        }
    }
    return NULL;
}

static void settle_grid(draft_settled *s)
{
    const char *why = NULL;
    int64_t number;
    for (int d = 0; d < 3; d++) {
        if (!draft_is_known(s->grid[d])) {
            why = s->grid[d]->text;
        } else if (s->grid[d]->kind == DRAFT_SYMBOL && s->grid[d]->symbol->kind == DRAFT_HOST &&
                   !draft_evaluate(&number, s->grid[d])) {
            why = draft_format("'%s' is computed elsewhere", s->grid[d]->symbol->name);
        }
    }
    if (!why) {
        return;
    }
    bool covers = false, per_block;
    for (int d = 0; d < 3; d++) {
        draft_amount *below = guarded(s, d, &per_block);
        covers |= below != NULL;
        s->grid[d] = !below      ? draft_number(1)
                     : per_block ? settled(s, below)
                                 : draft_make(DRAFT_CEIL_DIV, settled(s, below), s->block[d], NULL);
    }
    draft_ask(
        s, "%s: which grid is '%s' launched with? %s; %s",
        draft_place_of(s->launch ? s->launch->call->at : s->kernel->at), s->kernel->name, why,
        covers
            ? "the one below has a thread for each index that the kernel compares; correct grid()"
            : "complete grid()");
}

/* ---- lengths
 * ----------------------------------------------------------------------------------------------------
 */

/* The type that a buffer is accessed as, if it is declared as void; its own else. */
static cx_type element_type(const draft_buffer *buffer)
{
    return buffer->type.kind == CX_TYPE_VOID && buffer->accesses.count
               ? draft_canonical(buffer->accesses.items[0].type)
               : buffer->type;
}

static draft_amount *allocated(draft_settled *s, const draft_buffer *buffer, int64_t bytes)
{
    draft_node *node = passed(s, buffer->parameter, buffer->path);
    draft_amount *all = node ? draft_host_bytes(node) : NULL;
    return all && draft_is_known(all)
               ? settled(s, draft_make(DRAFT_QUOTIENT, all, draft_number(bytes), NULL))
               : NULL;
}

static draft_amount *accessed(draft_settled *s, const draft_buffer *buffer, int64_t bytes)
{
    draft_amount *most = NULL, *unknown = NULL;
    for (size_t i = 0; i < buffer->accesses.count; i++) {
        const draft_access *access = &buffer->accesses.items[i];
        draft_amount *length =
            draft_is_known(access->length)
                ? draft_make(DRAFT_CEIL_DIV, settled(s, access->length), draft_number(bytes), NULL)
                : access->length;
        if (!draft_is_known(length)) {
            unknown = unknown ? unknown
                              : draft_unknown("%s: %s", draft_place_of(access->at), length->text);
        } else {
            most = most ? draft_make(DRAFT_MAX, most, length, NULL) : length;
        }
    }
    return unknown ? unknown : most ? most : draft_number(1);
}

static draft_amount *number_of_axis(void *user, draft_symbol *symbol)
{
    draft_settled *s = user;
    for (unsigned i = 0; symbol->kind == DRAFT_CONSTANT && i < s->axis_count; i++) {
        draft_axis_found *axis = &s->axes[i];
        if (strcmp(axis->name, symbol->name) == 0) {
            axis->values[0] = axis->usual;
            axis->count = 1;
            return draft_number(axis->usual);
        }
    }
    return NULL;
}

/* A length is the same for all variants: an axis that it depends on has the program's value alone.
 */
static draft_amount *without_axes(draft_settled *s, draft_amount *length)
{
    return draft_is_known(length) ? draft_replace(length, number_of_axis, s) : length;
}

static void settle_lengths(draft_settled *s)
{
    size_t count = s->facts.buffers.count;
    s->lengths = draft_new((count + 1) * sizeof *s->lengths);
    s->types = draft_new((count + 1) * sizeof *s->types);
    for (size_t i = 0; i < count; i++) {
        const draft_buffer *buffer = s->facts.buffers.items[i];
        s->types[i] = element_type(buffer);
        long long bytes = cx.Type_getSizeOf(s->types[i]);
        draft_amount *length = allocated(s, buffer, bytes > 0 ? bytes : 1);
        s->lengths[i] =
            length && draft_is_known(length) ? length : accessed(s, buffer, bytes > 0 ? bytes : 1);
        s->lengths[i] = without_axes(s, s->lengths[i]);
        int64_t number;
        if (draft_is_number(s->lengths[i], &number) && number < 1) {
            s->lengths[i] = draft_number(1);
        }
    }
}

/* ---- sizes
 * -------------------------------------------------------------------------------------------------------
 */

static void add_size(void *user, draft_symbol *symbol)
{
    draft_settled *s = user;
    if (symbol->kind != DRAFT_HOST) {
        return;
    }
    for (size_t i = 0; i < s->sizes.count; i++) {
        if (s->sizes.items[i] == symbol) {
            return;
        }
    }
    draft_add(&s->sizes, symbol);
}

static bool is_taken(const draft_settled *s, const char *name, const draft_symbol *by)
{
    for (size_t i = 0; i < s->instance->parameters.count; i++) {
        const draft_decl *p = s->instance->parameters.items[i];
        if (strcmp(p->name, name) == 0 &&
            !(draft_is_integer(draft_canonical(cx.getCursorType(p->at))) &&
              draft_settled_value((draft_settled *)s, (draft_decl *)p, "") ==
                  draft_symbol_value((draft_symbol *)by))) {
            return true;
        }
    }
    for (size_t i = 0; i < s->sizes.count; i++) {
        if (s->sizes.items[i] != by && strcmp(s->sizes.items[i]->name, name) == 0) {
            return true;
        }
    }
    for (unsigned i = 0; i < s->axis_count; i++) {
        if (strcmp(s->axes[i].name, name) == 0) {
            return true;
        }
    }
    return gt_symbol_is_reserved(name) || gt_is_any(name, strlen(name), "type const bucket");
}

static char *plain_name(const char *name)
{
    char *out = draft_format("%s", name);
    for (char *at = out; *at; at++) {
        *at = *at == '.' ? '_' : *at;
    }
    return out;
}

/* A size that one parameter is has the parameter's name; no two have the same. */
static void name_sizes(draft_settled *s)
{
    for (size_t i = 0; i < s->sizes.count; i++) {
        s->sizes.items[i]->name = "";
    }
    for (size_t i = 0; i < s->sizes.count; i++) {
        draft_symbol *symbol = s->sizes.items[i];
        const char *name = plain_name(symbol->given);
        for (size_t k = 0; k < s->instance->parameters.count; k++) {
            draft_decl *p = s->instance->parameters.items[k];
            if (draft_is_integer(draft_canonical(cx.getCursorType(p->at))) &&
                draft_settled_value(s, p, "") == draft_symbol_value(symbol)) {
                name = p->name;
                break;
            }
        }
        while (is_taken(s, name, symbol)) {
            name = draft_format("%s_size", name);
        }
        symbol->name = name;
    }
}

static unsigned degree_with(const draft_amount *value, const draft_symbol *symbol)
{
    unsigned most = value->kind == DRAFT_SYMBOL && value->symbol == symbol;
    for (unsigned i = 0; i < value->count; i++) {
        unsigned degree = 0;
        bool has = false;
        for (unsigned k = 0; k < value->terms[i].count; k++) {
            has |= draft_has_symbol(value->terms[i].atoms[k], symbol);
            degree += draft_has_kind(value->terms[i].atoms[k], DRAFT_HOST);
        }
        most = has && degree > most ? degree : most;
    }
    const draft_amount *parts[] = {value->a, value->b, value->c};
    for (int i = 0; i < 3; i++) {
        unsigned degree = parts[i] ? degree_with(parts[i], symbol) : 0;
        most = degree > most ? degree : most;
    }
    return most;
}

/* Example values, so that buffers have some millions of elements at most. */
static void choose_numbers(draft_settled *s)
{
    static const int64_t usual[] = {1 << 20, 1 << 20, 1 << 10, 128, 32, 16, 8};
    for (size_t i = 0; i < s->sizes.count; i++) {
        draft_symbol *symbol = s->sizes.items[i];
        unsigned degree = 0;
        if (symbol->has_number && symbol->number > 0) {
            continue;
        }
        for (size_t k = 0; k < s->facts.buffers.count; k++) {
            unsigned d = draft_is_known(s->lengths[k]) ? degree_with(s->lengths[k], symbol) : 0;
            degree = d > degree ? d : degree;
        }
        symbol->number = usual[degree < 6 ? degree : 6];
        symbol->is_guess = true;
    }
}

/* ---- all
 * ------------------------------------------------------------------------------------------------------------
 */

static void settle_shared(draft_settled *s)
{
    s->shared =
        s->launch && s->launch->shared ? draft_host_value(s->launch->shared) : draft_number(0);
    if (draft_is_known(s->shared)) {
        s->shared = settled(s, s->shared);
    }
    int64_t number;
    bool none = draft_is_known(s->shared) && draft_is_number(s->shared, &number) && number == 0;
    if (!draft_is_known(s->shared) || (none && s->facts.has_dynamic)) {
        draft_ask(s, "%s: how many bytes of shared memory does '%s' get? Complete shared()",
                  draft_place_of(s->launch ? s->launch->call->at : s->kernel->at), s->kernel->name);
        s->shared = draft_number(s->facts.has_dynamic ? 16384 : 0);
    }
}

static void find_sizes(draft_settled *s)
{
    for (int d = 0; d < 3; d++) {
        draft_symbols_of(s->grid[d], add_size, s);
        draft_symbols_of(s->block[d], add_size, s);
    }
    draft_symbols_of(s->shared, add_size, s);
    for (size_t i = 0; i < s->facts.buffers.count; i++) {
        if (draft_is_known(s->lengths[i])) {
            draft_symbols_of(s->lengths[i], add_size, s);
        }
    }
    for (size_t i = 0; i < s->facts.parameters.count; i++) {
        draft_symbol *p = s->facts.parameters.items[i];
        draft_amount *value = draft_settled_value(s, p->decl, p->name + strlen(p->decl->name));
        if (value->kind != DRAFT_SYMBOL && value->kind != DRAFT_TEXT) {
            draft_symbols_of(value, add_size, s);
        }
    }
}

void draft_settle(draft_settled *s, const draft_program *program, draft_decl *kernel)
{
    *s = (draft_settled){.kernel = kernel};
    s->instance = draft_launched_instance(&s->launch, program, kernel);
    s->instance = s->instance ? s->instance : kernel;
    if (s->launch && !s->launch->grid) {
        const draft_launched *other = dependent_launch(program, kernel);
        s->is_instance_guessed = true;
        s->launch = other ? other : s->launch;
    }
    draft_body_of(s->instance);
    draft_body_read(&s->facts, s->instance);
    for (int d = 0; d < 3; d++) {
        s->grid[d] = s->block[d] = draft_unknown("no launch of it was found");
    }
    if (s->launch && s->launch->grid) {
        draft_host_extents(s->grid, s->launch->grid);
    }
    settle_block(s);
    for (int d = 0; d < 3; d++) {
        find_divisors(s, s->grid[d]);
    }
    for (int d = 0; d < 3; d++) {
        s->grid[d] = settled(s, s->grid[d]);
        s->block[d] = settled(s, s->block[d]);
    }
    settle_grid(s);
    settle_shared(s);
    settle_lengths(s);
    find_sizes(s);
    name_sizes(s);
    choose_numbers(s);
    for (size_t i = 0; i < s->facts.unread.count; i++) {
        draft_ask(s, "%s", s->facts.unread.items[i]);
    }
}
