/* Settles how a kernel is launched, how long buffers are, by the largest values of their indices,
 * and which sizes a problem has. */
#include "draft/parts.h"

#include <ctype.h>
#include <string.h>

const char *gt_draft_fixed_name(const gt_draft *draft, int d)
{
    int symbol;
    return gt_sum_is_symbol(&draft->dimensions[d].fixed, &symbol)
               ? gt_draft_symbol_at(draft, symbol)->name
               : NULL;
}

gt_draft_constant *gt_draft_fixed_constant(const gt_draft *draft, int d)
{
    const char *name = gt_draft_fixed_name(draft, d);
    return name ? gt_draft_constant_of(draft, name) : NULL;
}

bool gt_draft_is_block(const gt_draft *draft, const char *name)
{
    bool is = false;
    for (int d = 0; d < 3; d++) {
        const char *fixed = gt_draft_fixed_name(draft, d);
        is |= fixed && strcmp(fixed, name) == 0;
    }
    return is;
}

/* The constant that the symbol is, with its value; NULL: it is none, or has none. */
static const gt_draft_constant *valued(const gt_draft *draft, int symbol)
{
    const gt_draft_symbol *own = gt_draft_symbol_at(draft, symbol);
    const gt_draft_constant *constant =
        own->kind == GT_DRAFT_CONSTANT ? gt_draft_constant_of(draft, own->name) : NULL;
    return constant && constant->has_value ? constant : NULL;
}

/* ---- the launch ------------------------------------------------------------------------------ */

/* How many elements of dimension d lie between two blocks of an index; not known where it falls. */
static gt_sum step_of(const gt_draft *draft, const gt_sum *index, int d, gt_sum *plain)
{
    *plain = gt_draft_expand(draft, *index, true);
    const gt_sum step = gt_sum_factor(*plain, GT_DRAFT_BLOCK_INDEX + d);
    bool is = step.known && step.count > 0 && step.terms[0].coefficient > 0;
    for (int e = 0; e < 3; e++) {
        is &= !gt_sum_has(&step, GT_DRAFT_GRID_DIM + e);
    }
    return is ? step : (gt_sum){0};
}

/* A warp's index is a thread's by 32: both sides times 32. */
static void clear_fraction(gt_sum *step, gt_sum *size)
{
    const double coefficient = step->terms[0].coefficient;
    if (coefficient < 1 && coefficient > 0) {
        *step = gt_sum_multiply(*step, gt_sum_number(1 / coefficient));
        *size = gt_sum_multiply(*size, gt_sum_number(1 / coefficient));
    }
}

static bool looks_like_block(const char *name)
{
    return strcasestr(name, "block") || strcasestr(name, "thread") || strcasestr(name, "bs") ||
           strcasestr(name, "bdim");
}

/* Whether the name ends with the letter of another dimension. */
static bool is_of_other(const char *name, int d)
{
    const int last = tolower((unsigned char)name[strlen(name) - 1]);
    return last >= 'x' && last <= 'z' && last != 'x' + d;
}

bool gt_draft_fix_by_loop(gt_draft *draft, int d, const gt_sum *index)
{
    for (uint32_t i = 0; i < index->count && index->known && index->count > 1; i++) {
        const gt_sum term = gt_sum_term(index, i);
        const gt_draft_symbol *loop = gt_draft_loop(draft, &term);
        if (loop && loop->kind == GT_DRAFT_LOCAL && loop->step.known && loop->step.count == 1 &&
            !gt_draft_has(draft, &loop->step, GT_DRAFT_VARYING | GT_DRAFT_EXTENT)) {
            draft->dimensions[d].fixed = loop->step;
            draft->dimensions[d].walker = (int)(loop - draft->symbols.items);
            return true;
        }
    }
    return false;
}

/* Whether a block may have as many threads as the constant says. */
static bool fits_block(const gt_draft *draft, int symbol)
{
    const gt_draft_constant *constant = valued(draft, symbol);
    double most = 1024;
    (void)gt_sum_is_number(&draft->thread_bound, &most);
    return !constant || constant->value <= most;
}

/* The block, where the step between blocks is made of numbers and constants alone. */
static void note_fixed(gt_draft *draft, int d, const gt_sum *plain, const gt_sum *index)
{
    gt_draft_dimension *dimension = &draft->dimensions[d];
    const gt_sum own = gt_sum_factor(*plain, GT_DRAFT_THREAD + d);
    const gt_sum ratio = gt_sum_divide(dimension->step, own);
    double number;
    if (dimension->fixed.known || !ratio.known || ratio.count != 1 ||
        gt_sum_has(&dimension->step, GT_DRAFT_BLOCK_DIM + d) ||
        gt_draft_fix_by_loop(draft, d, index)) {
        return;
    }
    if (gt_sum_is_number(&ratio, &number)) {
        dimension->fixed = ratio;
        return;
    }
    for (int pass = 0; pass < 3; pass++) { /* a block of this dimension, a block, another name */
        for (uint32_t k = 0; k < ratio.terms[0].count; k++) {
            const int symbol = ratio.terms[0].powers[k].symbol;
            const gt_draft_symbol *named = gt_draft_symbol_at(draft, symbol);
            if (named->kind == GT_DRAFT_CONSTANT && fits_block(draft, symbol) &&
                (pass == 2 || looks_like_block(named->name)) &&
                (pass > 0 || !is_of_other(named->name, d))) {
                dimension->fixed = gt_sum_symbol(symbol);
                return;
            }
        }
    }
}

/* The comparison that bounds dimension d. */
static bool settle_by_guard(gt_draft *draft, int d)
{
    gt_draft_dimension *dimension = &draft->dimensions[d];
    for (size_t i = 0; i < 2 * draft->guards.count; i++) {
        const gt_draft_guard *guard = &draft->guards.items[i % draft->guards.count];
        gt_sum plain, step = step_of(draft, &guard->left, d, &plain);
        if (gt_draft_rank(guard) == (int)(i / draft->guards.count) && step.known &&
            step.count == 1 && !gt_draft_has(draft, &guard->bound, GT_DRAFT_LOADED)) {
            dimension->step = step;
            dimension->size = guard->bound;
            dimension->is_strided = dimension->has_grid && gt_draft_loop(draft, &guard->left);
            note_fixed(draft, d, &plain, &guard->left);
            clear_fraction(&dimension->step, &dimension->size);
            return true;
        }
    }
    return false;
}

/* The step by an index that nothing bounds, which is a multiple of *own, the step between two
 * threads. A step with a fraction is that of a coordinate. */
static void settle_step(gt_draft *draft, int d, gt_sum *own)
{
    gt_draft_dimension *dimension = &draft->dimensions[d];
    *own = gt_sum_number(1);
    dimension->step = draft->is_opaque ? gt_sum_symbol(GT_DRAFT_BLOCK_DIM + d) : gt_sum_number(1);
    for (size_t i = draft->symbols.count; i > 0; i--) {
        const gt_draft_symbol *symbol = &draft->symbols.items[i - 1];
        gt_sum plain = {0}, step = {0};
        if (symbol->kind == GT_DRAFT_LOCAL && symbol->definition.known) {
            step = step_of(draft, &symbol->definition, d, &plain);
        }
        if (gt_sum_is_whole(&step) && step.count == 1 &&
            !gt_draft_has(draft, &step, GT_DRAFT_PARAMETER) &&
            gt_sum_has(&plain, GT_DRAFT_THREAD + d)) {
            dimension->step = step;
            *own = gt_sum_factor(plain, GT_DRAFT_THREAD + d);
            note_fixed(draft, d, &plain, &symbol->definition);
            return;
        }
    }
}

static bool is_plane(const gt_draft *draft)
{
    return draft->dimensions[1].has_blocks || draft->dimensions[2].has_blocks;
}

/* The integer parameter at that place among them, or among those that the body does not name; -1:
 * there are not so many. *count: how many there are. */
static int integer_at(const gt_draft *draft, size_t place, bool unused, size_t *count)
{
    int found = -1;
    *count = 0;
    for (int i = GT_DRAFT_BUILTINS; i < (int)draft->symbols.count; i++) {
        const gt_draft_symbol *symbol = gt_draft_symbol_at(draft, i);
        if (symbol->kind == GT_DRAFT_PARAMETER && symbol->is_integer &&
            !(unused &&
              gt_program_first(draft->program, draft->body, symbol->name) < draft->body.end)) {
            found = (*count)++ == place ? i : found;
        }
    }
    return found;
}

/* The parameter that stands in front of another dimension's index, where d is the innermost one;
 * or a parameter that nothing else is known of. -1: none. */
static int size_among_parameters(const gt_draft *draft, int d)
{
    size_t count, unused_count;
    const int only = integer_at(draft, 0, false, &count),
              unused = integer_at(draft, 0, true, &unused_count);
    for (size_t i = 0; i < draft->accesses.count; i++) {
        const gt_sum plain = gt_draft_expand(draft, draft->accesses.items[i].index, true);
        const gt_sum own = gt_sum_factor(plain, GT_DRAFT_BLOCK_INDEX + d);
        const int stride = gt_draft_first_of(draft, &plain, GT_DRAFT_PARAMETER);
        if (own.known && own.count && !gt_draft_has(draft, &own, GT_DRAFT_PARAMETER) &&
            stride >= 0) {
            return stride;
        }
    }
    if (count == 1 && (is_plane(draft) || draft->is_opaque)) {
        return only;
    }
    return unused_count == 1 ? unused : -1;
}

bool gt_draft_has_moved(const gt_draft *draft)
{
    bool moved = false;
    for (uint32_t i = 0; i < draft->argument_count; i++) {
        moved |= draft->arguments[i].is_moved;
    }
    return moved;
}

/* A size without a name in the kernel counts threads, as a launch does: not the `own` elements that
 * each has. */
static void settle_size(gt_draft *draft, int d, const gt_sum *own)
{
    static const char *const others[] = {"size_x", "size_y", "size_z"};
    const char plane[] = {'n', (char)('x' + d), '\0'};
    gt_draft_dimension *dimension = &draft->dimensions[d];
    double step, number;
    size_t count;
    int found = gt_draft_has_moved(draft) ? integer_at(draft, d, false, &count)
                                          : size_among_parameters(draft, d);
    const char *name = is_plane(draft)                             ? plane
                       : gt_sum_is_number(&dimension->step, &step) ? "rows"
                                                                   : "n";
    if (found < 0) {
        name = gt_draft_is_taken(draft, name) ? others[d] : name;
        found = gt_draft_add_symbol(draft, name, GT_DRAFT_SIZE);
        dimension->step =
            gt_sum_is_number(own, &number) ? gt_sum_divide(dimension->step, *own) : dimension->step;
    }
    dimension->is_guessed = true;
    dimension->size = found > 0 ? gt_sum_symbol(found) : gt_sum_number(1);
}

/* A loop that begins at a thread's index and goes on by a number or a constant: as many threads. */
static void fix_by_stride(gt_draft *draft, int d)
{
    for (size_t i = GT_DRAFT_BUILTINS; i < draft->symbols.count; i++) {
        const gt_draft_symbol *symbol = &draft->symbols.items[i];
        int from, by;
        double number;
        bool begins = symbol->kind == GT_DRAFT_LOCAL && symbol->is_stepped && symbol->step.known &&
                      gt_sum_is_symbol(&symbol->definition, &from) && from == GT_DRAFT_THREAD + d;
        bool fits = begins && ((gt_sum_is_number(&symbol->step, &number) && number > 1) ||
                               (gt_sum_is_symbol(&symbol->step, &by) &&
                                gt_draft_symbol_at(draft, by)->kind == GT_DRAFT_CONSTANT));
        if (fits && !draft->dimensions[d].fixed.known) {
            draft->dimensions[d].fixed = symbol->step;
        }
    }
}

/* A parameter of the kernel's template that is called after threads is the block of a kernel whose
 * own code leaves that to others. */
static void fix_by_template(gt_draft *draft)
{
    for (size_t i = 0; i < draft->constants.count; i++) {
        const gt_draft_constant *constant = &draft->constants.items[i];
        const char *name = constant->name;
        const bool is_block = strcasestr(name, "threads") &&
                              (!strcasestr(name, "per") || strcasestr(name, "per_block"));
        if (constant->is_template_parameter && !constant->is_type && is_block &&
            !draft->dimensions[0].fixed.known && !draft->dimensions[1].has_threads) {
            draft->dimensions[0].fixed = gt_draft_constant_sum(draft, name);
        }
    }
}

static void settle_dimension(gt_draft *draft, int d)
{
    gt_draft_dimension *dimension = &draft->dimensions[d];
    fix_by_stride(draft, d);
    if (!dimension->has_blocks) {
        dimension->size = dimension->step = gt_sum_number(1);
    } else if (!settle_by_guard(draft, d)) {
        gt_sum own;
        settle_step(draft, d, &own);
        settle_size(draft, d, &own);
    }
    if (!dimension->has_threads) {
        dimension->fixed = gt_sum_number(1);
    }
}

/* ---- values ---------------------------------------------------------------------------------- */

static double value_of(const void *user, int at)
{
    const gt_draft *draft = user;
    const gt_draft_constant *constant = valued(draft, at);
    const bool is_size = gt_draft_symbol_at(draft, at)->kind & (GT_DRAFT_PARAMETER | GT_DRAFT_SIZE);
    return constant ? constant->value : is_size && draft->is_read ? 1024 : 16;
}

double gt_draft_evaluate(const gt_draft *draft, const gt_sum *sum)
{
    return gt_sum_value(sum, value_of, draft);
}

/* With the launch's own numbers in place: blocks that are fixed, and the grid. */
static gt_sum with_launch(const gt_draft *draft, gt_sum sum)
{
    for (int d = 0; d < 3; d++) {
        const gt_draft_dimension *dimension = &draft->dimensions[d];
        const int grid = GT_DRAFT_GRID_DIM + d, block = GT_DRAFT_BLOCK_DIM + d;
        if (gt_sum_has(&sum, grid)) {
            sum = gt_sum_replace(sum, grid,
                                 dimension->is_strided
                                     ? gt_sum_number(GT_DRAFT_STRIDED_GRID)
                                     : gt_sum_divide(dimension->size, dimension->step));
        }
        if (dimension->fixed.known && gt_sum_has(&sum, block)) {
            sum = gt_sum_replace(sum, block, dimension->fixed);
        }
    }
    return sum;
}

gt_sum gt_draft_with_numbers(const gt_draft *draft, gt_sum sum, bool of_template)
{
    for (int i = 0; i < (int)draft->symbols.count; i++) {
        const gt_draft_constant *constant = gt_sum_has(&sum, i) ? valued(draft, i) : NULL;
        if (constant && constant->is_template_parameter == of_template) {
            sum = gt_sum_replace(sum, i, gt_sum_number(constant->value));
        }
    }
    return sum;
}

/* A length that holds for every block that is tried, where the block has a name. */
static gt_sum with_blocks(const gt_draft *draft, gt_sum sum)
{
    const gt_sum largest = gt_sum_number(draft->dimensions[1].has_threads ? 32 : 1024);
    for (int i = 0; i < (int)draft->symbols.count && !draft->is_pinned; i++) {
        const gt_draft_symbol *symbol = gt_draft_symbol_at(draft, i);
        if (symbol->kind == GT_DRAFT_CONSTANT && gt_sum_has(&sum, i) &&
            gt_draft_is_block(draft, symbol->name)) {
            sum = gt_sum_replace(sum, i, largest);
        }
    }
    return sum;
}

/* A buffer of h * w - 1 elements has h * w. */
static void round_up(gt_sum *sum)
{
    int highest = 0;
    for (uint32_t i = 0; i < sum->count; i++) {
        const int degree = gt_product_degree(&sum->terms[i]);
        highest = degree > highest ? degree : highest;
    }
    bool all = highest > 0;
    for (uint32_t i = 0; i < sum->count; i++) {
        all &= gt_product_degree(&sum->terms[i]) == highest || sum->terms[i].coefficient < 0;
    }
    for (uint32_t i = sum->count; i > 0 && all; i--) {
        if (gt_product_degree(&sum->terms[i - 1]) < highest) {
            sum->terms[i - 1] = sum->terms[--sum->count];
        }
    }
}

/* ---- lengths --------------------------------------------------------------------------------- */

/* Whether a length depends on the block or the grid, of which then one must be chosen. */
static bool needs_pin(const gt_draft *draft, const gt_sum *size, const gt_sum *before)
{
    gt_powers at = {0};
    bool needs = false;
    for (const gt_power *power; (power = gt_sum_next(size, &at));) {
        needs |= power->exponent < 0 ||
                 (power->symbol >= GT_DRAFT_BLOCK_DIM && power->symbol < GT_DRAFT_GRID_DIM);
    }
    for (int d = 0; d < 3; d++) {
        needs |= draft->dimensions[d].is_strided && gt_sum_has(before, GT_DRAFT_GRID_DIM + d);
    }
    return needs && size->known;
}

/* Whether more is written if the block is larger, which has a name of its own. */
static bool grows_with_block(const gt_draft *draft, const gt_sum *size)
{
    bool grows = false;
    for (uint32_t i = 0; i < size->count && size->known; i++) {
        const gt_sum term = gt_sum_term(size, i);
        const gt_sum most = with_blocks(draft, term);
        grows |= size->terms[i].coefficient > 0 && !gt_sum_equal(&term, &most);
    }
    return grows;
}

/* An index or a size has elements of a buffer as one of its parts. */
static void note_part(gt_draft *draft, gt_draft_argument *of, gt_sum sum, int part)
{
    of->factor = gt_sum_factor(sum, part);
    const gt_sum own = gt_sum_multiply(of->factor, gt_sum_symbol(part));
    const gt_sum most = gt_draft_maximum(draft, gt_sum_add(sum, own, -1));
    of->rest = gt_draft_with_numbers(draft, with_launch(draft, most), false);
}

/* The elements of one buffer index another: bytes have 256 values. */
static void note_indexed(gt_draft *draft, gt_draft_argument *indexed, const gt_sum *plain,
                         int loaded)
{
    gt_draft_argument *own = gt_draft_symbol_at(draft, loaded)->buffer;
    own->indexed = indexed;
    note_part(draft, own, *plain, loaded);
    if (own->declared.has_type && own->declared.element.bytes == 1 && !indexed->length.known) {
        indexed->length = gt_sum_number(256);
    }
}

/* Notes the dimensions whose threads all have an element of the access, whatever is compared. */
static void note_unbounded(gt_draft *draft, const gt_sum *size)
{
    for (uint32_t i = 0; i < 3 * size->count && size->known; i++) {
        const int d = (int)(i % 3);
        gt_draft_dimension *dimension = &draft->dimensions[d];
        const gt_sum term = gt_sum_term(size, i / 3);
        const gt_sum all = with_launch(draft, term);
        dimension->is_unbounded |= gt_sum_has(&term, GT_DRAFT_GRID_DIM + d) && all.known &&
                                   gt_sum_is_whole(&all) && !dimension->is_guessed &&
                                   !dimension->is_strided;
    }
}

static void settle_access(gt_draft *draft, const gt_draft_access *access, double *largest)
{
    gt_draft_argument *buffer = access->buffer;
    const gt_sum plain = gt_draft_expand(draft, access->index, true);
    const int loaded = gt_draft_first_of(draft, &plain, GT_DRAFT_LOADED);
    if (loaded >= 0 && !access->size.known) {
        const gt_sum in_loops = gt_draft_expand(draft, access->index, false);
        const bool is_there = in_loops.known && gt_sum_has(&in_loops, loaded);
        note_indexed(draft, buffer, is_there ? &in_loops : &plain, loaded);
    }
    for (gt_draft_argument *bound = NULL;
         access->size.known && (bound = gt_draft_next_buffer(draft, bound));) {
        if (bound->total && gt_sum_has(&access->size, bound->total)) {
            bound->bounded = buffer;
            note_part(draft, bound, access->size, bound->total);
        }
    }
    gt_sum size = with_launch(draft, access->size);
    note_unbounded(draft, &access->size);
    draft->is_pinned |=
        !buffer->is_moved && (needs_pin(draft, &size, &access->size) ||
                              (buffer->is_written && grows_with_block(draft, &size)));
    size = gt_draft_with_numbers(draft, with_blocks(draft, size), false);
    const double value = gt_draft_evaluate(draft, &size);
    if (size.known && value > *largest && !buffer->is_moved) {
        *largest = value;
        buffer->length = size;
        round_up(&buffer->length);
    }
}

static void settle_lengths(gt_draft *draft)
{
    gt_draft_argument *buffer = NULL;
    while ((buffer = gt_draft_next_buffer(draft, buffer))) {
        buffer->length = (gt_sum){0};
        buffer->indexed = buffer->bounded = NULL;
    }
    while ((buffer = gt_draft_next_buffer(draft, buffer))) {
        double largest = 0;
        for (size_t i = 0; i < draft->accesses.count; i++) {
            const gt_draft_access access = draft->accesses.items[i];
            if (access.buffer == buffer) {
                settle_access(draft, &access, &largest);
            }
        }
    }
}

/* ---- sizes ----------------------------------------------------------------------------------- */

size_t gt_draft_count_loops(const gt_draft *draft, gt_draft_size_fn is_counted, const void *user)
{
    size_t count = 0;
    for (size_t i = 0; i < draft->guards.count; i++) {
        const gt_draft_guard *guard = &draft->guards.items[i];
        const gt_sum plain = gt_draft_expand(draft, guard->left, true);
        const int size = gt_draft_first_of(draft, &guard->bound, GT_DRAFT_PARAMETER);
        const gt_draft_symbol *loop = gt_draft_loop(draft, &guard->left);
        const bool covers = gt_sum_has(&plain, GT_DRAFT_BLOCK_INDEX) ||
                            gt_sum_has(&plain, GT_DRAFT_BLOCK_INDEX + 1);
        double step;
        bool counts = loop && (!covers || gt_sum_is_number(&loop->step, &step)) && size >= 0 &&
                      is_counted(user, size);
        for (size_t k = 0; k < i; k++) {
            counts &= !gt_sum_equal(&guard->bound, &draft->guards.items[k].bound) ||
                      !gt_draft_loop(draft, &draft->guards.items[k].left);
        }
        count += counts;
    }
    return count;
}

void gt_draft_pin(gt_draft *draft)
{
    const int count = draft->dimensions[0].has_threads + draft->dimensions[1].has_threads +
                      draft->dimensions[2].has_threads;
    for (int d = 0; d < 3; d++) {
        gt_draft_dimension *dimension = &draft->dimensions[d];
        const double threads = count < 2 ? 256 : count == 2 ? 16 : 8;
        if (!dimension->fixed.known) {
            bool limited = dimension->limit > 0 && dimension->limit < threads;
            dimension->fixed = gt_sum_number(limited ? dimension->limit : threads);
        }
        dimension->fixed = gt_draft_with_numbers(draft, dimension->fixed, false);
        dimension->step = gt_draft_with_numbers(
            draft, gt_sum_replace(dimension->step, GT_DRAFT_BLOCK_DIM + d, dimension->fixed),
            false);
    }
}

/* ---- all ------------------------------------------------------------------------------------- */

/* A body that leaves all of it to others has one dimension, as most have. */
static void note_opaque(gt_draft *draft)
{
    draft->is_opaque = true;
    for (int d = 0; d < 3; d++) {
        draft->is_opaque &= !draft->dimensions[d].has_threads && !draft->dimensions[d].has_blocks;
    }
    if (draft->is_opaque) {
        draft->dimensions[0].has_threads = draft->dimensions[0].has_blocks = true;
    }
}

/* Whether the value is that of the text, whichever axes there are. */
static bool is_settled(const gt_draft *draft, const gt_sum *sum)
{
    gt_powers at = {0};
    bool settled = sum->known;
    for (const gt_power *power; (power = gt_sum_next(sum, &at));) {
        const gt_draft_constant *constant = valued(draft, power->symbol);
        settled &= constant && !gt_draft_is_block(draft, constant->name);
    }
    return settled;
}

void gt_draft_settle(gt_draft *draft)
{
    note_opaque(draft);
    draft->is_read = true;
    for (int d = 0; d < 3; d++) {
        settle_dimension(draft, d);
    }
    fix_by_template(draft);
    settle_lengths(draft);
    if (draft->is_pinned) {
        gt_draft_pin(draft);
        settle_lengths(draft);
    }
    for (size_t i = 0; i < draft->shared.count; i++) {
        draft->shared.items[i].length = with_launch(draft, draft->shared.items[i].length);
    }
    for (int d = 0; d < 3; d++) {
        gt_draft_dimension *dimension = &draft->dimensions[d];
        dimension->size = gt_draft_with_numbers(draft, dimension->size, false);
        round_up(&dimension->size);
    }
    if (is_settled(draft, &draft->thread_bound)) {
        draft->thread_limit = gt_draft_evaluate(draft, &draft->thread_bound);
    }
}
