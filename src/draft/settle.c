/* Determines the values of a template's clauses from the code of a kernel and from its launch. */
#include "draft/parts.h"

#include "kernel/template/symbols.h"
#include "kernel/text/lexer.h"

#include <string.h>

static const int64_t BLOCKS[] = {32, 64, 128, 256, 512, 1024};

enum { THREAD = DRAFT_KIND(DRAFT_THREAD), BLOCK_INDEX = DRAFT_KIND(DRAFT_BLOCK_INDEX) };
enum { EXTENTS = DRAFT_KIND(DRAFT_BLOCK_SIZE) | DRAFT_KIND(DRAFT_GRID_SIZE) };

/* ---- which launch ---------------------------------------------------------------------------- */

int draft_launch_rank(const draft_launched *launch)
{
    int rank = launch->skipped ? 0 : 7;
    for (int d = 0; d < 3; d++) {
        rank += draft_is_known(launch->grid[d]) + draft_is_known(launch->block[d]);
    }
    return rank;
}

/* Returns the launch of the kernel with the highest draft_launch_rank(), or NULL if there is no
 * launch. Sets the launch's member `varies` to true if another launch of the kernel differs. */
static const draft_launched *launch_of(const draft_program *program, const draft_decl *kernel)
{
    draft_launched *best = NULL;
    for (size_t i = 0; i < 2 * program->launches.count; i++) {
        draft_launched *l = &program->launches.items[i % program->launches.count];
        if (strcmp(draft_signature(l->kernel), draft_signature(kernel)) != 0) {
            continue;
        }
        if (i < program->launches.count) {
            best = !best || draft_launch_rank(l) > draft_launch_rank(best) ? l : best;
        } else {
            best->varies |= (!l->skipped || best->skipped) && !draft_is_same_launch(l, best);
        }
    }
    return best;
}

/* The functions from here on replace symbols of the program by names of the draft. */

static bool is_problem_size(const draft_settled *s, const draft_symbol *symbol);

/* Returns true if the symbol is a host constant, such as a tile size: the block depends on it, or
 * it may be a template argument of the kernel. The draft states such constants as numbers. */
static bool is_launch_constant(const draft_settled *s, const draft_symbol *symbol)
{
    bool is_extent = false;
    if (symbol->kind != DRAFT_HOST || !symbol->decl || !symbol->has_number || symbol->is_guess ||
        symbol->doubt || !s->launch) {
        return false;
    }
    for (int d = 0; d < 3; d++) {
        is_extent |= draft_has_symbol(s->launch->block[d], symbol);
    }
    const draft_node *callee = s->launch->call->callee;
    const gt_token name = gt_lexer_of(symbol->decl->name).token;
    const bool is_argument =
        s->instance != s->kernel && cx.isConstQualifiedType(cx.getCursorType(symbol->decl->at));
    return is_problem_size(s, symbol)
               ? is_argument && callee &&
                     gt_lexer_has(gt_lexer_of(draft_source_of(callee->at)), &name)
               : is_argument || is_extent;
}

static draft_amount *settle_symbol(void *user, draft_amount *part)
{
    draft_settled *s = user;
    draft_symbol *symbol = part->symbol;
    if (!symbol) {
        return NULL;
    }
    if (symbol->kind == DRAFT_BLOCK_SIZE || symbol->kind == DRAFT_GRID_SIZE) {
        return symbol->kind == DRAFT_BLOCK_SIZE ? s->block[symbol->axis] : s->grid[symbol->axis];
    }
    if (symbol->kind == DRAFT_HOST && symbol->buffer && symbol->definition) {
        return draft_replace(symbol->definition, settle_symbol,
                             s); /* range of a buffer's elements */
    }
    for (unsigned i = 0; symbol->kind == DRAFT_HOST && i < s->axis_count; i++) {
        if (s->axes[i].symbol == symbol) {
            return draft_named_number(s->axes[i].name, s->axes[i].usual);
        }
    }
    return (symbol->kind == DRAFT_CONSTANT && !draft_axis_named(s, symbol->name)) ||
                   is_launch_constant(s, symbol)
               ? draft_number(symbol->number)
               : NULL;
}

static draft_amount *settled_amount(draft_settled *s, draft_amount *value)
{
    return draft_replace(value, settle_symbol, s);
}

draft_axis *draft_axis_named(draft_settled *s, const char *name)
{
    for (unsigned i = 0; i < s->axis_count; i++) {
        if (strcmp(s->axes[i].name, name) == 0) {
            return &s->axes[i];
        }
    }
    return NULL;
}

static draft_amount *number_of_axis(void *user, draft_amount *part)
{
    bool is_named = part->symbol && part->symbol->kind == DRAFT_CONSTANT;
    draft_axis *axis = is_named ? draft_axis_named(user, part->symbol->name) : NULL;
    if (axis) {
        axis->values[0] = axis->usual;
        axis->count = 1;
    }
    return axis ? draft_number(axis->usual) : NULL;
}

/* Replaces axes in a length by constants, because all variants use the same buffers. */
draft_amount *draft_without_axes(draft_settled *s, draft_amount *length)
{
    return draft_replace(length, number_of_axis, s);
}

draft_amount *draft_settled_range(draft_settled *s, const draft_buffer *buffer)
{
    draft_amount *range = buffer->range ? draft_symbol_value(buffer->range) : draft_number(100);
    return draft_without_axes(s, settled_amount(s, range));
}

draft_amount *draft_settled_value(draft_settled *s, draft_decl *parameter, const char *path)
{
    draft_amount *value = draft_passed(s->launch, s->instance, parameter, path);
    return value && (draft_is_known(value) || value->kind == DRAFT_TEXT)
               ? settled_amount(s, value)
               : draft_host_symbol(parameter, path, NULL);
}

/* ---- axes ------------------------------------------------------------------------------------ */

static void add_value(draft_axis *axis, int64_t value)
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

/* Adds an axis with the program's value and with `first`, 2 * first, 4 * first, … up to `most`.
 * Returns NULL if there are too many axes. */
static draft_axis *add_axis(draft_settled *s, const char *name, int64_t usual, int64_t first,
                            int64_t most)
{
    if (s->axis_count == sizeof s->axes / sizeof *s->axes) {
        return NULL;
    }
    draft_axis *axis = &s->axes[s->axis_count++];
    *axis = (draft_axis){.name = name, .usual = usual};
    add_value(axis, usual);
    for (int64_t value = first; value <= most; value *= 2) {
        add_value(axis, value);
    }
    return axis;
}

/* A number, and the axis by which put_axis() replaces the number in divisors. */
typedef struct tied {
    int64_t number;
    draft_amount *axis;
} tied;

static draft_amount *put_axis(void *user, draft_amount *part)
{
    const tied *t = user;
    int64_t by;
    /* exclude (n + 7) / 32, because the 7 may depend on the divisor */
    bool divides = part->kind == DRAFT_CEIL_DIV || part->kind == DRAFT_REST ||
                   (part->kind == DRAFT_QUOTIENT && !draft_constant(part->a));
    return divides && draft_is_number(part->b, &by) && by % t->number == 0
               ? draft_make(part->kind, draft_replace(part->a, put_axis, user),
                            draft_times(t->axis, draft_number(by / t->number)), NULL)
               : NULL;
}

/* Replaces `number` by an axis in each divisor that is a multiple of the number. */
static draft_amount *tie(draft_amount *value, int64_t number, draft_amount *axis)
{
    return draft_replace(value, put_axis, &(tied){number, axis});
}

/* Returns the template parameter with this name. If `name` is NULL, returns the only parameter
 * whose argument is `number`, or NULL if there are none or several. */
static const char *template_parameter(const draft_settled *s, const char *name, int64_t number)
{
    const draft_cursors children = draft_template_parameters(s->kernel);
    const char *found = NULL;
    unsigned matches = 0;
    for (unsigned i = 0; i < children.count; i++) {
        const char *own = draft_string(cx.getCursorSpelling(children.items[i]));
        if (children.items[i].kind == CX_VALUE_PARAMETER && s->instance != s->kernel &&
            (name ? strcmp(own, name) == 0
                  : cx.Cursor_getTemplateArgumentKind(s->instance->at, i) == 4 &&
                        cx.Cursor_getTemplateArgumentValue(s->instance->at, i) == number)) {
            found = own;
            matches++;
        }
    }
    return matches == 1 ? found : NULL;
}

/* Returns true if an argument of the launch depends on the symbol. */
static bool is_passed(const draft_settled *s, const draft_symbol *symbol)
{
    bool found = false;
    for (size_t i = 0; s->launch && i < s->launch->arguments.count; i++) {
        for (draft_binding *b = s->launch->arguments.items[i]->latest; b; b = b->older) {
            found |= draft_has_symbol(b->value, symbol);
        }
    }
    return found;
}

/* Returns true if an argument or the length of a buffer depends on the symbol. The symbol is then a
 * problem size, so it may have any value. */
static bool is_problem_size(const draft_settled *s, const draft_symbol *symbol)
{
    bool found = is_passed(s, symbol);
    for (size_t i = 0; !found && i < s->facts.buffers.count; i++) {
        const draft_amount *bytes = s->facts.buffers.items[i]->bytes;
        found = bytes && draft_has_symbol(bytes, symbol);
    }
    return found;
}

/* Returns the reason why this value may differ in another launch, or NULL if it cannot differ. */
static const char *doubt_of(const draft_settled *s, const draft_amount *value)
{
    if (!draft_is_known(value)) {
        return value->text ? value->text : "it is not a number";
    }
    if (draft_has_kind(value, DRAFT_CHANGING)) {
        return "it " DRAFT_UNDECIDED;
    }
    const draft_symbols symbols = draft_symbols_of(value);
    for (size_t i = 0; i < symbols.count; i++) {
        const draft_symbol *symbol = symbols.items[i];
        if (symbol->kind == DRAFT_HOST &&
            (symbol->doubt || !symbol->has_number || symbol->is_guess) &&
            !is_problem_size(s, symbol)) {
            return draft_format("'%s' %s", symbol->given,
                                symbol->doubt ? symbol->doubt : "is computed elsewhere");
        }
    }
    return NULL;
}

static bool is_in_code(const draft_settled *s, const char *name)
{
    return draft_slice_has(name) || template_parameter(s, name, 0);
}

/* Returns the name of the axis for an extent of the block, or NULL if the extent is fixed. */
static const char *block_axis(draft_settled *s, int d, int64_t number, bool is_flat)
{
    const draft_amount *extent = s->block[d];
    if (draft_is_symbol(extent, DRAFT_CONSTANT) && is_in_code(s, extent->symbol->name)) {
        return extent->symbol->name;
    }
    if (!s->facts.reads_block[d]) {
        return number >= 8 ? template_parameter(s, NULL, number) : NULL;
    }
    const bool is_size = draft_is_symbol(extent, DRAFT_HOST) &&
                         (is_passed(s, extent->symbol) ||
                          (extent->symbol->is_guess && is_problem_size(s, extent->symbol)));
    return is_size || !(extent->symbol || draft_is_number(extent, &number)) ? NULL
           : is_flat                                                        ? "BLOCK"
                     : draft_format("BLOCK_%c", "XYZ"[d]);
}

/* Returns the number in __launch_bounds__(), or 0 if there is none or it is not a literal. */
static int64_t launch_bound(const draft_settled *s, bool *has)
{
    static const char mark[] = "launch_bounds ";
    const draft_cursors children = draft_children(s->kernel->at);
    int64_t number = 0;
    *has = false;
    for (size_t i = 0; i < children.count; i++) {
        const char *text = draft_string(cx.getCursorSpelling(children.items[i]));
        if (strncmp(text, mark, strlen(mark)) == 0) {
            char *end;
            number = strtoll(text + strlen(mark), &end, 10);
            number = *end && *end != ',' ? 0 : number;
            *has = true;
        }
    }
    return number;
}

/* Replaces the symbols for the block's extents by numbers. */
static draft_amount *put_block(void *user, draft_amount *part)
{
    const int64_t *numbers = user;
    return draft_is_symbol(part, DRAFT_BLOCK_SIZE) ? draft_number(numbers[part->symbol->axis])
                                                   : NULL;
}

/* Returns true if no array of fixed size is too small for this block. */
static bool fits_arrays(const draft_settled *s, int64_t block[3])
{
    bool fits = true;
    for (size_t i = 0; fits && i < s->facts.limits.count; i++) {
        const draft_fact *limit = &s->facts.limits.items[i];
        draft_amount *length = draft_replace(limit->lhs, put_block, block);
        int64_t last, most;
        fits =
            !draft_evaluate(&last, length) || !draft_evaluate(&most, limit->most) || last <= most;
    }
    return fits;
}

/* Returns the location of the launch, or that of the kernel if there is no launch. */
static const char *place_of(const draft_settled *s)
{
    return draft_place_of(s->launch ? s->launch->call->at : s->kernel->at);
}

/* Determines the block size, and the reasons why the program may launch other sizes. */
static void find_block(draft_settled *s, int64_t numbers[3], const char *doubts[3])
{
    static const int64_t usual[2][3] = {{256, 1, 1}, {32, 8, 1}};
    for (int d = 0; d < 3; d++) {
        draft_amount *extent = s->block[d];
        doubts[d] = doubt_of(s, extent);
        if (draft_evaluate(&numbers[d], extent) && numbers[d] >= 1) {
            continue;
        }
        numbers[d] = usual[s->facts.reads_thread[1]][d];
        if (draft_is_symbol(extent, DRAFT_HOST)) {
            extent->symbol->has_number = extent->symbol->is_guess = true;
            extent->symbol->number = numbers[d];
        } else if (doubts[d]) {
            s->block[d] = draft_number(numbers[d]);
        }
    }
}

/* Returns true if the value contains blockIdx and blockDim, like the global index of a thread. */
static bool is_global_index(const draft_amount *value, int d)
{
    return draft_has_kind(value, DRAFT_BLOCK_INDEX) &&
           draft_has_symbol(value, draft_builtin(DRAFT_BLOCK_SIZE, d)->symbol);
}

/* Returns true if blocks along dimension `d` work on different elements. */
static bool has_elements(const draft_settled *s, int d)
{
    bool found = s->facts.strides_grid;
    for (size_t i = 0; !found && i < s->facts.guards.count; i++) {
        const draft_fact *guard = &s->facts.guards.items[i];
        found = !guard->is_difference && is_global_index(guard->lhs, d);
    }
    for (size_t i = 0; !found && i < s->facts.accesses.count; i++) {
        found = is_global_index(s->facts.accesses.items[i].offset, d);
    }
    return found;
}

/* Returns true if some access has an index that depends on all kinds of symbols in `has`, and on
 * none in `lacks`. If `writes` is true, only writes count. */
static bool has_index(const draft_settled *s, unsigned has, unsigned lacks, bool writes)
{
    bool found = false;
    for (size_t i = 0; i < s->facts.accesses.count; i++) {
        const draft_access *access = &s->facts.accesses.items[i];
        const draft_symbols symbols = draft_symbols_of(access->offset);
        unsigned kinds = access->offset->kinds;
        for (size_t k = 0; k < symbols.count; k++) {
            kinds |= symbols.items[k]->step ? symbols.items[k]->step->kinds : 0;
        }
        found |= (access->written || !writes) && (kinds & has) == has && !(kinds & lacks);
    }
    return found;
}

/* Returns true if some access multiplies blockIdx in dimension `g` by blockDim in dimension `d`, so
 * its index would not depend on blockIdx if blockDim were 0. */
static bool multiplies(const draft_settled *s, int g, int d)
{
    const draft_symbol *block = draft_builtin(DRAFT_BLOCK_INDEX, g)->symbol;
    int64_t numbers[] = {d != 0, d != 1, d != 2};
    bool found = false;
    for (size_t i = 0; !found && i < s->facts.accesses.count; i++) {
        draft_amount *offset = s->facts.accesses.items[i].offset;
        const draft_amount *rest = draft_replace(offset, put_block, numbers);
        found = draft_has_symbol(offset, block) && draft_is_known(rest) &&
                !draft_has_symbol(rest, block);
    }
    return found;
}

/* In the divisors of the grid's extent `g`, replaces the program's block size `number` in dimension
 * `d` by `extent`, unless no index multiplies blockIdx in dimension `g` by blockDim in `d`. */
static draft_amount *tied_grid(const draft_settled *s, int g, int d, int64_t number,
                               draft_amount *extent)
{
    return g == d || multiplies(s, g, d) ? tie(s->grid[g], number, extent) : s->grid[g];
}

/* Returns true if the block size must not change, because the results depend on it. This is so if
 * an index contains blockIdx and threadIdx but neither blockDim nor gridDim. It is also so if each
 * block has its own elements, and either stores a single result or the grid does not depend on the
 * block size. */
static bool is_block_fixed(const draft_settled *s, int d, int64_t number, bool is_code)
{
    draft_amount *own = draft_builtin(DRAFT_BLOCK_SIZE, d), *extent = s->block[d];
    bool follows = s->facts.strides_grid;
    for (int g = 0; g < 3; g++) {
        draft_amount *grid = s->grid[g];
        follows |= (g == d && !draft_is_known(grid)) ||
                   (extent->symbol && draft_has_symbol(grid, extent->symbol)) ||
                   tied_grid(s, g, d, number, own) != grid;
    }
    return (!is_code && has_index(s, BLOCK_INDEX | THREAD, EXTENTS, false)) ||
           (has_elements(s, d) && (has_index(s, BLOCK_INDEX, THREAD, true) || !follows));
}

/* Returns the axis that was made for the symbol of this extent, or NULL. In a square block, two
 * extents share an axis. Removes the axis's values that would give more than 1024 threads. */
static draft_axis *shared_axis(draft_settled *s, const draft_amount *extent)
{
    draft_axis *axis = NULL;
    for (unsigned i = 0; extent->symbol && i < s->axis_count; i++) {
        axis = s->axes[i].symbol == extent->symbol ? &s->axes[i] : axis;
    }
    while (axis && axis->count > 1 && axis->values[axis->count - 1] > axis->usual &&
           axis->values[axis->count - 1] * axis->values[axis->count - 1] > 1024) {
        axis->count--;
    }
    return axis;
}

/* Adds an axis for an extent of the block. Its values are block sizes that the kernel supports. */
static draft_axis *add_extent(draft_settled *s, int d, const char *name, const int64_t numbers[3])
{
    const int64_t total = numbers[0] * numbers[1] * numbers[2];
    const bool is_flat = total == numbers[0], is_code = is_in_code(s, name);
    bool has_bound;
    int64_t most = launch_bound(s, &has_bound);
    most = most ? most : has_bound && !is_code ? total : 1024;
    draft_axis *axis = add_axis(s, name, numbers[d], 1, 0);
    const bool is_open = axis && !is_block_fixed(s, d, numbers[d], is_code);
    for (size_t i = 0; is_open && i < sizeof BLOCKS / sizeof *BLOCKS; i++) {
        int64_t value = is_flat ? BLOCKS[i] : BLOCKS[i] / 8;
        int64_t block[] = {numbers[0], numbers[1], numbers[2]};
        block[d] = value;
        if (value * (total / numbers[d]) <= most && value >= (is_flat ? 64 : 1) &&
            (is_code || fits_arrays(s, block))) {
            add_value(axis, value);
        }
    }
    if (axis && draft_is_symbol(s->block[d], DRAFT_HOST)) {
        axis->symbol = s->block[d]->symbol;
    }
    return axis;
}

static void settle_block(draft_settled *s)
{
    int64_t numbers[3];
    const char *doubts[3], *first = NULL;
    find_block(s, numbers, doubts);
    const bool is_flat = numbers[1] == 1 && numbers[2] == 1;
    for (int d = 0; d < 3; d++) {
        const char *name = numbers[d] > 1 ? block_axis(s, d, numbers[d], is_flat) : NULL;
        draft_axis *axis = name ? shared_axis(s, s->block[d]) : NULL;
        axis = name && !axis ? draft_axis_named(s, name) : axis;
        axis = name && !axis ? add_extent(s, d, name, numbers) : axis;
        /* the grid depends on the axis only if the kernel depends on the block size, too */
        const bool follows = s->launch && axis && (is_in_code(s, name) || has_elements(s, d));
        s->block[d] = axis ? draft_named_number(axis->name, numbers[d]) : s->block[d];
        for (int g = 0; follows && g < 3; g++) {
            s->grid[g] = tied_grid(s, g, d, numbers[d], s->block[d]);
        }
        if (doubts[d] && follows && axis->count > 1 && has_elements(s, d) &&
            fits_arrays(s, numbers)) {
            draft_add_text(&s->guesses,
                           draft_format("'%s' in default() (%s)", axis->name, doubts[d]));
        } else {
            first = first ? first : doubts[d];
        }
    }
    if (first) {
        draft_ask(s, "%s: what block size is '%s' launched with? %s; complete block()", place_of(s),
                  s->kernel->name, first);
    }
}

/* Adds an axis for each named constant that divides the grid, such as the elements per thread. */
static void find_divisors(draft_settled *s, const draft_amount *grid)
{
    const bool divides = grid->kind == DRAFT_CEIL_DIV || grid->kind == DRAFT_QUOTIENT;
    const draft_symbols symbols = divides ? draft_symbols_of(grid->b) : (draft_symbols){0};
    for (size_t i = 0; i < symbols.count; i++) {
        const int64_t number = symbols.items[i]->number;
        const char *name = symbols.items[i]->name;
        if (symbols.items[i]->kind == DRAFT_CONSTANT && number >= 1 && number <= 64 &&
            is_in_code(s, name) && !draft_axis_named(s, name)) {
            add_axis(s, name, number, 1, number < 4 ? 4 * number : 16);
        }
    }
}

/* Adds the axis ITEMS and divides the grid by it. The kernel must have a grid-stride loop, and no
 * buffer's length may depend on the grid. */
static void add_items(draft_settled *s)
{
    static const char name[] = "ITEMS";
    bool fits = s->facts.strides_grid && !draft_slice_has(name) && s->launch &&
                draft_has_kind(s->grid[0], DRAFT_HOST);
    for (size_t i = 0; i < s->facts.accesses.count; i++) {
        const draft_amount *length = s->facts.accesses.items[i].length;
        fits = fits && draft_is_known(length) && !draft_has_kind(length, DRAFT_GRID_SIZE);
    }
    if (fits && add_axis(s, name, 1, 2, 8)) {
        s->grid[0] = draft_make(DRAFT_CEIL_DIV, s->grid[0], draft_named_number(name, 1), NULL);
    }
}

/* Adds axes that affect only how the code is compiled: UNROLL (0 lets the compiler choose), and
 * MAXREG (0 is no limit) for kernels with a loop but without __launch_bounds__(). */
static void add_code_axes(draft_settled *s)
{
    bool has_bound;
    launch_bound(s, &has_bound);
    s->limits_registers = s->facts.has_loop && !has_bound && !draft_slice_has("MAXREG") &&
                          add_axis(s, "MAXREG", 0, 32, 128);
    if (s->kernel->unrolls) {
        add_axis(s, "UNROLL", 0, 2, 8);
    }
}

/* ---- the grid -------------------------------------------------------------------------------- */

/* Returns true if the length of a buffer depends on the grid, which is then a problem size. */
static bool is_length(const draft_settled *s, int d)
{
    const draft_symbol *grid = draft_builtin(DRAFT_GRID_SIZE, d)->symbol;
    bool found = false;
    for (size_t i = 0; i < s->facts.accesses.count; i++) {
        found |= draft_has_symbol(s->facts.accesses.items[i].length, grid);
    }
    return found && s->grid[d]->symbol && !s->grid[d]->symbol->doubt;
}

/* Returns the smallest grid that covers all indices below the bound in the kernel's check of its
 * global index, as in if (i < n). Returns 1 if there is no such check. */
static draft_amount *covering_grid(draft_settled *s, int d)
{
    for (size_t i = 0; i < s->facts.guards.count; i++) {
        const draft_fact *fact = &s->facts.guards.items[i];
        draft_amount *most = draft_bound(fact->most, true, &(draft_facts){0});
        if (!fact->is_difference && is_global_index(fact->lhs, d) && draft_is_known(most)) {
            most = settled_amount(s, draft_plus(most, draft_number(1), 1));
            return draft_make(DRAFT_CEIL_DIV, most, s->block[d], NULL);
        }
    }
    return draft_number(1);
}

/* Determines the grid. If the program does not show it, guesses it and adds a question. */
static void settle_grid(draft_settled *s)
{
    const char *why = NULL;
    int64_t number;
    for (int d = 0; !why && d < 3; d++) {
        why = is_length(s, d) ? NULL : doubt_of(s, s->grid[d]);
    }
    for (int d = 0; why && d < 3; d++) {
        s->grid[d] = draft_evaluate(&number, s->grid[d]) ? s->grid[d] : covering_grid(s, d);
    }
    if (why) {
        draft_ask(s, "%s: what grid size is '%s' launched with? %s; check grid()", place_of(s),
                  s->kernel->name, why);
    }
}

/* ---- lengths --------------------------------------------------------------------------------- */

bool draft_is_accessed(const draft_buffer *buffer)
{
    return buffer->is_read || buffer->is_written;
}

static draft_amount *put_next(void *user, draft_amount *part)
{
    return part->symbol == user ? draft_plus(part, draft_number(1), 1) : NULL;
}

/* Returns true if the value depends on the range of a buffer's elements. */
static bool has_range(const draft_amount *value)
{
    bool found = draft_is_symbol(value, DRAFT_HOST) && value->symbol->buffer;
    for (unsigned i = 0; i < value->part_count; i++) {
        found = found || has_range(value->parts[i]);
    }
    return found;
}

/* If `length` depends on elements of a buffer, limits these elements so `length` is at most `most`.
 * Adds a question if the limit would depend on the elements of another buffer. */
static void limit_ranges(draft_settled *s, draft_amount *length, draft_amount *most)
{
    for (size_t i = 0; i < s->facts.buffers.count; i++) {
        draft_symbol *range = s->facts.buffers.items[i]->range;
        if (!range || !draft_has_symbol(length, range) || draft_has_symbol(most, range)) {
            continue;
        }
        draft_amount *factor = draft_plus(draft_replace(length, put_next, range), length, -1);
        draft_amount *part = draft_times(factor, draft_symbol_value(range));
        if (draft_is_known(factor) && !draft_has_symbol(factor, range)) {
            draft_amount *limit = draft_make(
                DRAFT_QUOTIENT, draft_plus(most, draft_plus(length, part, -1), -1), factor, NULL);
            if (has_range(limit)) {
                draft_ask(s,
                          "%s: what does '%s' hold? An index is computed from it and other data; "
                          "complete its fill",
                          draft_place_of(range->buffer->parameter->at), range->buffer->name);
                continue;
            }
            range->definition = !draft_is_known(limit) ? range->definition
                                : range->definition
                                    ? draft_make(DRAFT_MIN, range->definition, limit, NULL)
                                    : limit;
        }
    }
}

static draft_amount *accessed(draft_settled *s, const draft_buffer *buffer, int64_t bytes)
{
    draft_amount *most = NULL;
    for (size_t i = 0; i < s->facts.accesses.count; i++) {
        const draft_access *access = &s->facts.accesses.items[i];
        draft_amount *length = draft_make(DRAFT_CEIL_DIV, settled_amount(s, access->length),
                                          draft_number(bytes), NULL);
        if (access->buffer == buffer && !draft_is_known(length)) {
            return draft_is_own(access->at) /* DRAFT_STUB is not a file of the user */
                       ? draft_unknown(
                             draft_format("%s: %s", draft_place_of(access->at), length->text))
                       : length;
        }
        most = access->buffer != buffer ? most
               : most                   ? draft_make(DRAFT_MAX, most, length, NULL)
                                        : length;
    }
    return most ? most : draft_number(1);
}

static void settle_lengths(draft_settled *s)
{
    const size_t count = s->facts.buffers.count;
    s->lengths = draft_new((count + 1) * sizeof *s->lengths);
    s->types = draft_new((count + 1) * sizeof *s->types);
    for (size_t i = 0; i < s->facts.limits.count; i++) {
        limit_ranges(s, s->facts.limits.items[i].lhs, s->facts.limits.items[i].most);
    }
    for (size_t i = 0; i < s->facts.accesses.count; i++) {
        const draft_access *access = &s->facts.accesses.items[i];
        if (access->buffer->bytes) {
            limit_ranges(s, access->length, access->buffer->bytes);
        }
    }
    for (size_t i = 0; i < count; i++) {
        const draft_buffer *buffer = s->facts.buffers.items[i];
        s->types[i] = buffer->type.kind == CX_TYPE_VOID && draft_is_accessed(buffer)
                          ? buffer->accessed_as
                          : buffer->type;
        const int64_t bytes = draft_size_of(s->types[i]);
        draft_amount *length = buffer->bytes
                                   ? settled_amount(s, draft_make(DRAFT_QUOTIENT, buffer->bytes,
                                                                  draft_number(bytes), NULL))
                                   : accessed(s, buffer, bytes);
        s->lengths[i] = draft_without_axes(s, length);
        int64_t number;
        if (draft_is_number(s->lengths[i], &number) && number < 1) {
            s->lengths[i] = draft_number(1);
        }
    }
}

/* ---- sizes ----------------------------------------------------------------------------------- */

bool draft_is_size(const draft_settled *s, const draft_symbol *symbol)
{
    bool found = false;
    for (size_t i = 0; i < s->sizes.count; i++) {
        found |= s->sizes.items[i] == symbol;
    }
    return found;
}

static void add_sizes(draft_settled *s, const draft_amount *value)
{
    const draft_symbols symbols = draft_symbols_of(value);
    for (size_t i = 0; i < symbols.count; i++) {
        if (symbols.items[i]->kind == DRAFT_HOST && !draft_is_size(s, symbols.items[i])) {
            draft_add(&s->sizes, symbols.items[i]);
        }
    }
}

static bool is_value_of(draft_settled *s, draft_decl *parameter, const draft_symbol *symbol)
{
    return draft_is_integer(draft_type_of(parameter)) &&
           draft_settled_value(s, parameter, "") == draft_symbol_value((draft_symbol *)symbol);
}

static bool is_taken(draft_settled *s, const char *name, const draft_symbol *by)
{
    for (size_t i = 0; i < s->instance->parameters.count; i++) {
        draft_decl *p = s->instance->parameters.items[i];
        if (strcmp(p->name, name) == 0 && !is_value_of(s, p, by)) {
            return true;
        }
    }
    for (size_t i = 0; i < s->sizes.count; i++) {
        if (s->sizes.items[i] != by && strcmp(s->sizes.items[i]->name, name) == 0) {
            return true;
        }
    }
    return draft_axis_named(s, name) || gt_symbol_is_reserved(name) ||
           gt_is_any(name, strlen(name), "type const bucket");
}

/* Gives each size a unique name. A size that is passed to the kernel has the parameter's name. */
static void name_sizes(draft_settled *s)
{
    for (size_t i = 0; i < s->sizes.count; i++) {
        s->sizes.items[i]->name = "";
    }
    for (size_t i = 0; i < s->sizes.count; i++) {
        draft_symbol *symbol = s->sizes.items[i];
        char *plain = draft_format("%s", symbol->given);
        for (char *at = plain; *at; at++) {
            *at = *at == '.' ? '_' : *at;
        }
        const char *name = plain;
        for (size_t k = s->instance->parameters.count; k-- > 0;) {
            draft_decl *p = s->instance->parameters.items[k];
            name = is_value_of(s, p, symbol) ? p->name : name;
        }
        while (is_taken(s, name, symbol)) {
            name = draft_format("%s_size", name);
        }
        symbol->name = name;
    }
}

static bool holds(const draft_amount *condition)
{
    int64_t number;
    return draft_evaluate(&number, condition) && number;
}

/* Returns true if all symbols in the condition are sizes of the problem, axes or constants. */
static bool is_about_sizes(const draft_settled *s, const draft_amount *condition)
{
    const draft_symbols symbols = draft_symbols_of(condition);
    bool is = draft_is_known(condition) && condition->kinds;
    for (size_t i = 0; i < symbols.count; i++) {
        is = is && (symbols.items[i]->kind == DRAFT_CONSTANT || draft_is_size(s, symbols.items[i]));
    }
    return is;
}

/* Returns a condition under which the program reaches the launch, or NULL after the last one. */
static draft_amount *condition_of(draft_settled *s, size_t index)
{
    return s->launch && index < s->launch->conditions.count
               ? settled_amount(s, s->launch->conditions.items[index].lhs)
               : NULL;
}

static draft_symbols chosen; /* the sizes to which choose_numbers() has given a number */

/* Returns the number of faults that the chosen sizes cause: buffers and grids that are empty or too
 * large, and conditions of the launch that are false. */
static unsigned count_faults(draft_settled *s)
{
    enum { LENGTH_MOST = 1 << 24 };
    draft_amount *condition;
    unsigned faults = 0;
    int64_t number;
    for (size_t i = 0; (condition = condition_of(s, i)); i++) {
        faults += is_about_sizes(s, condition) && !holds(condition);
    }
    for (int d = 0; d < 3; d++) {
        const draft_amount *grid = s->grid[d];
        faults += draft_evaluate(&number, grid) && number < 1;
        faults += grid->kind == DRAFT_QUOTIENT &&
                  draft_evaluate(&number, draft_make(DRAFT_REST, grid->a, grid->b, NULL)) && number;
    }
    for (size_t i = 0; i < s->facts.buffers.count; i++) {
        const bool has = draft_evaluate(&number, s->lengths[i]);
        faults += !has || number < 1 || number > LENGTH_MOST ? 100 : 0;
    }
    return faults;
}

enum { USUAL = 6, CANDIDATES = 2 * USUAL };

/* Returns a number to try for a size: first usual numbers, then multiples of `unit`, and finally
 * 1. */
static int64_t candidate(size_t k, int64_t unit)
{
    static const int64_t usual[USUAL] = {1 << 20, 1 << 10, 128, 32, 16, 8};
    const int64_t number = k < CANDIDATES ? usual[k % USUAL] : 1;
    return k < USUAL || number < unit ? number : number / unit * unit;
}

/* Gives numbers to all sizes that have none: the same number if possible, such that no buffer is
 * empty or has more than 2^24 elements, the grid is not empty and divides the work without a
 * remainder, and the program reaches the launch. */
static void choose_numbers(draft_settled *s)
{
    unsigned least = ~0U;
    int64_t unit;
    size_t best = 0;
    for (size_t i = 0; i < s->sizes.count; i++) {
        draft_symbol *symbol = s->sizes.items[i];
        if (symbol->has_number && symbol->number > 0) {
            symbol->is_guess |= symbol->doubt != NULL;
        } else {
            symbol->has_number = symbol->is_guess = true;
            draft_add(&chosen, symbol);
        }
    }
    unit = draft_evaluate(&unit, s->block[0]) && unit > 0 ? unit : 1;
    for (size_t k = 0; k <= CANDIDATES; k++) { /* the last round repeats the best one */
        for (size_t i = 0; i < chosen.count; i++) {
            chosen.items[i]->number = candidate(k < CANDIDATES ? k : best, unit);
        }
        const unsigned faults = count_faults(s);
        best = faults < least ? k : best;
        least = faults < least ? faults : least;
    }
    for (size_t i = 0; i < (CANDIDATES + 1) * chosen.count; i++) {
        draft_symbol *symbol = chosen.items[i % chosen.count];
        const int64_t before = symbol->number;
        symbol->number = candidate(i / chosen.count, unit);
        const unsigned faults = count_faults(s);
        symbol->number = faults < least ? symbol->number : before;
        least = faults < least ? faults : least;
    }
}

/* ---- requirements ---------------------------------------------------------------------------- */

/* Returns true if the condition is false at some other sizes or values of the axes. */
static bool may_fail(draft_settled *s, const draft_amount *condition)
{
    static const int64_t numbers[] = {1, 2, 3, 7, 33, 64, 100, 255, 1000, 4096, 100000};
    enum { COUNT = sizeof numbers / sizeof *numbers };
    int64_t *before = draft_new((s->sizes.count + 1) * sizeof *before), number;
    bool fails = false;
    for (size_t i = 0; i < s->sizes.count; i++) {
        before[i] = s->sizes.items[i]->number;
    }
    for (unsigned round = 0; !fails && round < 2 * COUNT; round++) {
        draft_symbol *axes[sizeof s->axes / sizeof *s->axes];
        for (size_t i = 0; i < s->sizes.count; i++) { /* in the first rounds, all sizes are equal */
            s->sizes.items[i]->number = numbers[(round + round / COUNT * 3 * i) % COUNT];
        }
        for (unsigned i = 0; i < s->axis_count; i++) {
            const draft_axis *axis = &s->axes[i];
            axes[i] = draft_named_number(axis->name, axis->usual)->symbol;
            axes[i]->number = axis->values[round % axis->count];
        }
        fails = draft_evaluate(&number, condition) && !number;
        for (unsigned i = 0; i < s->axis_count; i++) {
            axes[i]->number = s->axes[i].usual;
        }
    }
    for (size_t i = 0; i < s->sizes.count; i++) {
        s->sizes.items[i]->number = before[i];
    }
    return fails;
}

/* Adds a requirement, unless the program's own sizes violate it or all sizes fulfil it. */
static void require(draft_settled *s, draft_amount *condition)
{
    bool is_new = is_about_sizes(s, condition) && holds(condition) && may_fail(s, condition);
    for (size_t i = 0; i < s->requirements.count; i++) {
        is_new &= s->requirements.items[i] != condition;
    }
    if (is_new) {
        draft_add(&s->requirements, condition);
    }
}

static void require_multiple(draft_settled *s, draft_amount *value, draft_amount *by)
{
    draft_amount *rest = settled_amount(s, draft_make(DRAFT_REST, value, by, NULL));
    require(s, draft_make(DRAFT_EQUAL, rest, draft_number(0), NULL));
}

/* Returns true if the index is a sum of products of symbols, because it can then reach its
 * bound. */
static bool is_exact(const draft_amount *index)
{
    bool is = true;
    for (unsigned i = 0; i < index->part_count; i++) {
        is &= index->parts[i]->symbol != NULL;
    }
    return is;
}

/* Requires that the access is within its buffer, whose elements have this size. If the program's
 * own sizes violate this, guesses a longer buffer. */
static void require_bounds(draft_settled *s, const draft_access *access, draft_amount **length,
                           int64_t bytes)
{
    const int64_t size = draft_size_of(access->type), align = cx.Type_getAlignOf(access->type);
    /* the index is limited both by comparisons in the kernel and by the size of the grid */
    draft_amount *most[] = {draft_plus(access->length, draft_number(size), -1),
                            draft_bound(access->offset, true, &(draft_facts){0})};
    draft_amount *condition = NULL, *needed = NULL;
    int64_t number, least = 1 << 24;
    for (int i = 0; i < 4; i++) { /* i = 0 and 1 ignore the alignment */
        draft_amount *by = draft_number(i > 1 && align > bytes ? align / bytes : 1);
        draft_amount *last = draft_make(DRAFT_QUOTIENT, most[i % 2], draft_number(bytes), NULL);
        last = draft_times(draft_make(DRAFT_QUOTIENT, settled_amount(s, last), by, NULL), by);
        draft_amount *own = draft_plus(last, draft_number((size + bytes - 1) / bytes), 1);
        if (draft_evaluate(&number, own) && number < least) {
            needed = own;
            least = number;
        }
        last = draft_at_most(own, *length);
        if (holds(last) && !may_fail(s, last)) {
            return;
        }
        condition = !condition && holds(last) ? last : condition;
    }
    if (condition) {
        require(s, condition);
    } else if (needed && !access->depth && is_exact(access->offset)) {
        draft_add_text(&s->guesses,
                       draft_format("'%s' after the end (the program allocates fewer elements than "
                                    "the kernel may access)",
                                    access->buffer->name));
        *length = draft_make(DRAFT_MAX, *length, draft_without_axes(s, needed), NULL);
    }
}

/* Requires that each address of a vector is a multiple of the vector's alignment. */
static void require_alignment(draft_settled *s, const draft_access *access, int64_t bytes)
{
    const int64_t align = cx.Type_getAlignOf(access->type);
    for (unsigned i = 0; align > bytes && i < access->offset->count; i++) {
        const draft_term *term = &access->offset->terms[i];
        draft_amount *part = draft_number(term->factor);
        for (unsigned k = 0; k < term->count; k++) {
            part = term->atoms[k]->kinds & DRAFT_VARYING ? part : draft_times(part, term->atoms[k]);
        }
        require_multiple(s, draft_make(DRAFT_QUOTIENT, part, draft_number(bytes), NULL),
                         draft_number(align / bytes));
    }
}

/* Finds the conditions on the sizes under which the program launches the kernel, the kernel's
 * accesses are valid, and its blocks cover all elements. */
static void settle_requirements(draft_settled *s)
{
    draft_amount *condition;
    for (size_t i = 0; (condition = condition_of(s, i)); i++) {
        const draft_amount *value = condition->kind == DRAFT_EQUAL ? condition->a : condition;
        if (!draft_is_symbol(value, DRAFT_CONSTANT) || !is_in_code(s, value->symbol->name)) {
            require(s, condition); /* a case for a value of an axis does not restrict the sizes */
        }
    }
    for (size_t i = 0; i < s->facts.buffers.count; i++) {
        const draft_buffer *buffer = s->facts.buffers.items[i];
        const int64_t bytes = draft_size_of(s->types[i]);
        for (size_t k = 0; k < s->facts.accesses.count; k++) {
            const draft_access *access = &s->facts.accesses.items[k];
            if (access->buffer == buffer && draft_is_known(access->offset)) {
                require_alignment(s, access, bytes);
                if (buffer->bytes && draft_is_known(access->length) && !has_range(access->length)) {
                    require_bounds(s, access, &s->lengths[i], bytes);
                }
            }
        }
    }
    for (int g = 0; g < 3; g++) {
        if (s->grid[g]->kind == DRAFT_QUOTIENT && !s->facts.strides_grid &&
            has_index(s, BLOCK_INDEX | THREAD, 0, true)) {
            require_multiple(s, s->grid[g]->a, s->grid[g]->b);
        }
    }
}

/* If the kernel may access memory before a buffer's first element, adds a question. Asks only if
 * the program may pass a part of a buffer, or if the index depends on data. */
static void ask_before(draft_settled *s)
{
    draft_decls asked[2] = {{0}};
    int64_t first;
    for (size_t i = 0; i < s->facts.accesses.count; i++) {
        const draft_access *access = &s->facts.accesses.items[i];
        const draft_buffer *buffer = access->buffer;
        const bool is_whole = buffer->bytes && buffer->source->place.offset == draft_number(0),
                   is_data = draft_has_kind(access->offset, DRAFT_LOADED);
        const size_t before = asked[is_data].count;
        if ((is_whole && !is_data) || !draft_evaluate(&first, settled_amount(s, access->first)) ||
            first >= 0) {
            continue;
        }
        draft_add_once(&asked[is_data], buffer->parameter);
        if (asked[is_data].count > before) {
            draft_ask(s, "%s: the kernel may access elements before the pointer '%s'; %s",
                      draft_place_of(draft_is_own(access->at) ? access->at : s->kernel->at),
                      buffer->name,
                      is_data ? "complete the fills of the data that the index depends on"
                              : "pass the whole buffer");
        }
    }
}

/* Returns true if neighbouring threads or iterations access neighbouring elements. */
static bool is_dense(const draft_access *access)
{
    bool found = !(access->offset->kinds & DRAFT_VARYING);
    for (unsigned i = 0; i < access->offset->count; i++) {
        const draft_term *term = &access->offset->terms[i];
        draft_amount *step = draft_number(term->factor);
        bool varies = false;
        int64_t bytes;
        for (unsigned k = 0; k < term->count; k++) {
            const bool is_index = term->atoms[k]->kinds & DRAFT_VARYING;
            step = is_index ? step : draft_times(step, term->atoms[k]);
            varies |= is_index;
        }
        found |= varies && draft_evaluate(&bytes, step) && bytes <= draft_size_of(access->type);
    }
    return found || access->offset->kind != DRAFT_SUM;
}

/* Finds the buffers in which the kernel writes no element near the beginning or the end, or only
 * elements with gaps between them. */
static void find_unwritten(draft_settled *s)
{
    for (size_t i = 0; i < s->facts.buffers.count; i++) {
        draft_buffer *buffer = s->facts.buffers.items[i];
        const draft_access *last = NULL;
        int64_t length, least = INT64_MAX, most = 0, begin, end;
        bool is_single = true;
        for (size_t k = 0; k < s->facts.accesses.count; k++) {
            const draft_access *access = &s->facts.accesses.items[k];
            if (access->buffer == buffer && access->written) {
                const bool has_begin = draft_evaluate(&begin, settled_amount(s, access->first)),
                           has_end = draft_evaluate(&end, settled_amount(s, access->length));
                least = !has_begin ? 0 : begin < least ? begin : least;
                most = !has_end ? INT64_MAX : end > most ? end : most;
                is_single &= !last || last->offset == access->offset;
                last = access;
            }
        }
        const int64_t bytes = draft_size_of(s->types[i]);
        if (last && ((is_single && !is_dense(last)) || least > 0 ||
                     (draft_evaluate(&length, s->lengths[i]) && most <= bytes * (length - 1)))) {
            buffer->is_surely_written = false;
        }
    }
}

/* ---- all ------------------------------------------------------------------------------------- */

static void settle_shared(draft_settled *s)
{
    int64_t number;
    s->shared =
        s->launch && s->launch->shared ? settled_amount(s, s->launch->shared) : draft_number(0);
    bool none = draft_is_number(s->shared, &number) && number == 0;
    const char *doubt =
        none && s->facts.has_dynamic ? "the program does not show it" : doubt_of(s, s->shared);
    if (doubt) {
        draft_ask(s, "%s: how many bytes of shared memory does '%s' get? %s; complete shared()",
                  place_of(s), s->kernel->name, doubt);
        s->shared = draft_number(s->facts.has_dynamic ? 16384 : 0);
    }
}

static void find_sizes(draft_settled *s)
{
    for (int d = 0; d < 3; d++) {
        add_sizes(s, s->grid[d]);
        add_sizes(s, s->block[d]);
    }
    add_sizes(s, s->shared);
    for (size_t i = 0; i < s->facts.buffers.count; i++) {
        add_sizes(s, s->lengths[i]);
        add_sizes(s, draft_settled_range(s, s->facts.buffers.items[i]));
    }
    for (size_t i = 0; i < 3 * s->facts.guards.count; i++) { /* as n in if (i < n) */
        const draft_fact *guard = &s->facts.guards.items[i / 3];
        if (!guard->is_difference && is_global_index(guard->lhs, (int)(i % 3))) {
            add_sizes(s, settled_amount(s, guard->most));
        }
    }
    for (size_t i = 0; s->launch && i < s->launch->arguments.count; i++) {
        for (draft_binding *b = s->launch->arguments.items[i]->latest; b; b = b->older) {
            if (!b->value->symbol) { /* an expression such as 2 * n contains sizes */
                add_sizes(s, settled_amount(s, b->value));
            }
        }
    }
}

void draft_settle(draft_settled *s, draft_program *program, draft_decl *kernel)
{
    const draft_launched *launch = launch_of(program, kernel);
    while (chosen.count) { /* undo what the previous kernel has chosen */
        draft_symbol *symbol = chosen.items[--chosen.count];
        symbol->has_number = symbol->is_guess = false;
    }
    *s = (draft_settled){.kernel = kernel, .instance = kernel, .launch = launch};
    if (launch && draft_template_of(launch->callee) == kernel) {
        s->instance = launch->callee;
    }
    draft_body_read(&s->facts, s->instance, s->launch);
    for (int d = 0; d < 3; d++) {
        s->grid[d] = s->launch ? s->launch->grid[d] : draft_unknown("no launch of it was found");
        s->block[d] = s->launch ? s->launch->block[d] : s->grid[d];
    }
    settle_block(s);
    for (int d = 0; d < 3; d++) {
        find_divisors(s, s->grid[d]);
    }
    for (int d = 0; d < 3; d++) {
        s->grid[d] = settled_amount(s, s->grid[d]);
        s->block[d] = settled_amount(s, s->block[d]);
    }
    settle_grid(s);
    add_items(s);
    add_code_axes(s);
    settle_shared(s);
    settle_lengths(s);
    find_sizes(s);
    name_sizes(s);
    choose_numbers(s);
    settle_requirements(s);
    ask_before(s);
    find_unwritten(s);
    for (size_t i = 0; i < s->facts.unread.count; i++) {
        draft_ask(s, "%s", s->facts.unread.items[i]);
    }
}
