/* Settles how a kernel is launched, and how long its buffers are, by what its body compares. */
#include "kernel/draft_parts.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const gt_draft_symbol *symbol_at(const gt_draft *draft, uint16_t symbol)
{
    return &draft->symbols.items[symbol];
}

/* The first symbol of that kind in `p`; -1: none. */
static int first_of(const gt_draft *draft, const gt_polynomial *p, gt_draft_kind kind)
{
    for (uint32_t i = 0; i < p->count; i++) {
        for (uint32_t k = 0; k < p->terms[i].count; k++) {
            uint16_t symbol = p->terms[i].powers[k].symbol;
            if (symbol_at(draft, symbol)->kind == kind) {
                return symbol;
            }
        }
    }
    return -1;
}

/* A local that its definition can stand for; -1: none. */
static int expandable(const gt_draft *draft, const gt_polynomial *p, bool loops)
{
    for (uint32_t i = 0; i < p->count; i++) {
        for (uint32_t k = 0; k < p->terms[i].count; k++) {
            const gt_draft_symbol *symbol = symbol_at(draft, p->terms[i].powers[k].symbol);
            if (symbol->kind == GT_DRAFT_LOCAL && symbol->definition.known &&
                (loops || !symbol->is_stepped)) {
                return p->terms[i].powers[k].symbol;
            }
        }
    }
    return -1;
}

gt_polynomial gt_draft_expand(const gt_draft *draft, gt_polynomial p, bool loops)
{
    enum { ROUNDS = 64 };
    int symbol;
    for (int i = 0; i < ROUNDS && p.known && (symbol = expandable(draft, &p, loops)) >= 0; i++) {
        p = gt_polynomial_replace(&p, (uint16_t)symbol,
                                  &symbol_at(draft, (uint16_t)symbol)->definition);
    }
    return p.known && expandable(draft, &p, loops) < 0 ? p : gt_polynomial_unknown();
}

/* ---- the largest value ----------------------------------------------------------------------- */

/* Whether the symbol takes many values within a launch. */
static bool is_variable(const gt_draft *draft, uint16_t symbol)
{
    gt_draft_kind kind = symbol_at(draft, symbol)->kind;
    return symbol < GT_DRAFT_BLOCK_DIM || kind == GT_DRAFT_LOCAL || kind == GT_DRAFT_LOADED;
}

static bool is_variable_term(const gt_draft *draft, const gt_monomial *term)
{
    for (uint32_t k = 0; k < term->count; k++) {
        if (is_variable(draft, term->powers[k].symbol)) {
            return true;
        }
    }
    return false;
}

/* Nothing here is negative: what is taken away is 0 at least. */
static void drop_subtracted(const gt_draft *draft, gt_polynomial *p)
{
    for (uint32_t i = p->count; i > 0; i--) {
        gt_monomial *term = &p->terms[i - 1];
        if (term->coefficient < 0 && is_variable_term(draft, term)) {
            *term = p->terms[--p->count];
        }
    }
}

/* Puts the guard's bound in the place of its left side, if `p` has that as a part. */
static bool apply_guard(gt_polynomial *p, const gt_polynomial *left, const gt_polynomial *bound)
{
    const gt_polynomial first = {.known = true, .count = 1, .terms = {left->terms[0]}};
    for (uint32_t i = 0; i < p->count; i++) {
        const gt_polynomial term = {.known = true, .count = 1, .terms = {p->terms[i]}};
        gt_polynomial times = gt_polynomial_divide(&term, &first), one = gt_polynomial_number(1);
        gt_polynomial part = gt_polynomial_multiply(&times, left);
        gt_polynomial rest = gt_polynomial_add(p, &part, -1);
        bool has = times.known && rest.known && rest.count + left->count == p->count &&
                   times.terms[0].coefficient > 0;
        for (uint32_t k = 0; has && k < times.terms[0].count; k++) {
            has = times.terms[0].powers[k].exponent > 0;
        }
        if (has) {
            gt_polynomial most = gt_polynomial_add(bound, &one, -1);
            most = gt_polynomial_multiply(&times, &most);
            *p = gt_polynomial_add(&rest, &most, 1);
            return true;
        }
    }
    return false;
}

/* Which guards are asked first: those that name a size, then those that leave the kernel, then
 * numbers. */
static int rank_of(const gt_draft_guard *guard)
{
    double number;
    return gt_polynomial_is_number(&guard->bound, &number) ? 2 : guard->is_exit ? 1 : 0;
}

/* The size that the elements of a buffer are bounds of ("nnz" of row pointers). */
static uint16_t total_of(gt_draft *draft, uint32_t buffer)
{
    static const char *const names[] = {"nnz", "total", "count", "entries"};
    gt_draft_buffer *own = &draft->buffers[buffer];
    for (size_t i = 0; i < sizeof names / sizeof *names && !own->total; i++) {
        if (gt_draft_find_symbol(draft, names[i]) < 0) {
            own->total = gt_draft_add_symbol(draft, names[i], GT_DRAFT_SIZE);
        }
    }
    return own->total;
}

static bool apply_guards(gt_draft *draft, gt_polynomial *p)
{
    for (int rank = 0; rank < 3; rank++) {
        for (size_t i = draft->guards.count; i > 0; i--) {
            const gt_draft_guard *guard = &draft->guards.items[i - 1];
            gt_polynomial bound = guard->bound;
            int loaded;
            if (rank_of(guard) != rank) {
                continue;
            }
            while ((loaded = first_of(draft, &bound, GT_DRAFT_LOADED)) >= 0) {
                uint16_t total = total_of(draft, symbol_at(draft, (uint16_t)loaded)->buffer);
                gt_polynomial value = total ? gt_polynomial_symbol(total) : gt_polynomial_unknown();
                bound = gt_polynomial_replace(&bound, (uint16_t)loaded, &value);
                guard = &draft->guards.items[i - 1];
            }
            gt_polynomial plain = gt_draft_expand(draft, guard->left, false);
            if (bound.known && (apply_guard(p, &guard->left, &bound) ||
                                (plain.known && plain.count && apply_guard(p, &plain, &bound)))) {
                return true;
            }
        }
    }
    return false;
}

/* threadIdx and blockIdx are below blockDim and gridDim. */
static gt_polynomial bound_builtins(gt_polynomial p)
{
    for (uint16_t i = 0; i < GT_DRAFT_BLOCK_DIM; i++) {
        gt_polynomial one = gt_polynomial_number(1);
        gt_polynomial most = gt_polynomial_symbol((uint16_t)(i + GT_DRAFT_BLOCK_DIM));
        most = gt_polynomial_add(&most, &one, -1);
        p = gt_polynomial_has(&p, i) ? gt_polynomial_replace(&p, i, &most) : p;
    }
    return p;
}

gt_polynomial gt_draft_maximum(gt_draft *draft, gt_polynomial p)
{
    enum { ROUNDS = 64 };
    for (int i = 0; i < ROUNDS && p.known; i++) {
        drop_subtracted(draft, &p);
        if (apply_guards(draft, &p)) {
            continue;
        }
        int symbol = expandable(draft, &p, false);
        if (symbol < 0) {
            bool open = first_of(draft, &p, GT_DRAFT_LOCAL) >= 0 ||
                        first_of(draft, &p, GT_DRAFT_LOADED) >= 0;
            return open ? gt_polynomial_unknown() : bound_builtins(p);
        }
        p = gt_polynomial_replace(&p, (uint16_t)symbol,
                                  &symbol_at(draft, (uint16_t)symbol)->definition);
    }
    return gt_polynomial_unknown();
}

/* ---- the launch ------------------------------------------------------------------------------ */

static bool has_grid(const gt_polynomial *p)
{
    return gt_polynomial_has(p, GT_DRAFT_GRID_DIM) || gt_polynomial_has(p, GT_DRAFT_GRID_DIM + 1) ||
           gt_polynomial_has(p, GT_DRAFT_GRID_DIM + 2);
}

/* How many elements of dimension d lie between two blocks of an index. */
static gt_polynomial step_of(const gt_draft *draft, const gt_polynomial *index, uint16_t d,
                             gt_polynomial *plain)
{
    *plain = gt_draft_expand(draft, *index, true);
    gt_polynomial step = gt_polynomial_factor(plain, GT_DRAFT_BLOCK_INDEX + d);
    return step.known && step.count > 0 && !has_grid(&step) ? step : gt_polynomial_unknown();
}

/* A warp's index is a thread's by 32: both sides times 32. */
static void clear_fraction(gt_polynomial *step, gt_polynomial *size)
{
    double coefficient = step->terms[0].coefficient;
    if (coefficient < 1 && coefficient > 0) {
        gt_polynomial times = gt_polynomial_number(1 / coefficient);
        *step = gt_polynomial_multiply(step, &times);
        *size = gt_polynomial_multiply(size, &times);
    }
}

static bool looks_like_block(const char *name)
{
    char lower[GT_NAME_MAX];
    size_t length = strlen(name);
    for (size_t i = 0; i <= length; i++) {
        lower[i] = (char)tolower((unsigned char)name[i]);
    }
    return strstr(lower, "block") || strstr(lower, "thread") || strstr(lower, "bs") ||
           strstr(lower, "bdim");
}

/* The block, where the step between blocks is made of numbers and constants alone. */
static void note_fixed(gt_draft *draft, uint16_t d, const gt_polynomial *plain)
{
    gt_draft_dimension *dimension = &draft->dimensions[d];
    gt_polynomial own = gt_polynomial_factor(plain, GT_DRAFT_THREAD + d);
    gt_polynomial ratio = gt_polynomial_divide(&dimension->step, &own);
    double number;
    if (dimension->fixed.known || !ratio.known || ratio.count != 1 ||
        gt_polynomial_has(&dimension->step, (uint16_t)(GT_DRAFT_BLOCK_DIM + d))) {
        return;
    }
    if (gt_polynomial_is_number(&ratio, &number)) {
        dimension->fixed = ratio;
        return;
    }
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t k = 0; k < ratio.terms[0].count; k++) {
            uint16_t symbol = ratio.terms[0].powers[k].symbol;
            if (symbol_at(draft, symbol)->kind == GT_DRAFT_CONSTANT &&
                (pass || looks_like_block(symbol_at(draft, symbol)->name))) {
                dimension->fixed = gt_polynomial_symbol(symbol);
                return;
            }
        }
    }
}

/* Whether a loop takes what the grid does not: its variable is compared, and changed later. */
static bool is_loop(const gt_draft *draft, const gt_polynomial *left)
{
    uint16_t symbol;
    return gt_polynomial_is_symbol(left, &symbol) && symbol_at(draft, symbol)->is_stepped;
}

/* The comparison that bounds dimension d. */
static bool settle_by_guard(gt_draft *draft, uint16_t d)
{
    gt_draft_dimension *dimension = &draft->dimensions[d];
    for (int rank = 0; rank < 2; rank++) {
        for (size_t i = 0; i < draft->guards.count; i++) {
            const gt_draft_guard *guard = &draft->guards.items[i];
            gt_polynomial plain, step = step_of(draft, &guard->left, d, &plain);
            if (rank_of(guard) != rank || !step.known || step.count != 1 ||
                first_of(draft, &guard->bound, GT_DRAFT_LOADED) >= 0) {
                continue;
            }
            dimension->step = step;
            dimension->size = guard->bound;
            dimension->is_strided = dimension->has_grid && is_loop(draft, &guard->left);
            note_fixed(draft, d, &plain);
            clear_fraction(&dimension->step, &dimension->size);
            return true;
        }
    }
    return false;
}

/* The step by an index that nothing bounds. */
static void settle_step(gt_draft *draft, uint16_t d)
{
    gt_draft_dimension *dimension = &draft->dimensions[d];
    dimension->step = gt_polynomial_number(1);
    for (size_t i = draft->symbols.count; i > 0; i--) {
        const gt_draft_symbol *symbol = symbol_at(draft, (uint16_t)(i - 1));
        gt_polynomial plain, step = gt_polynomial_unknown();
        if (symbol->kind == GT_DRAFT_LOCAL && symbol->definition.known) {
            step = step_of(draft, &symbol->definition, d, &plain);
        }
        if (step.known && step.count == 1 && first_of(draft, &step, GT_DRAFT_PARAMETER) < 0 &&
            gt_polynomial_has(&plain, GT_DRAFT_THREAD + d)) {
            dimension->step = step;
            note_fixed(draft, d, &plain);
            return;
        }
    }
}

/* The parameter that stands in front of another dimension's index, where d is the innermost one;
 * or a parameter that nothing else is known of. -1: none. */
static int size_among_parameters(const gt_draft *draft, uint16_t d)
{
    int only = -1, count = 0;
    for (size_t i = 0; i < draft->accesses.count; i++) {
        gt_polynomial plain = gt_draft_expand(draft, draft->accesses.items[i].index, true);
        gt_polynomial own = gt_polynomial_factor(&plain, GT_DRAFT_BLOCK_INDEX + d);
        int stride = first_of(draft, &plain, GT_DRAFT_PARAMETER);
        if (own.known && own.count && first_of(draft, &own, GT_DRAFT_PARAMETER) < 0 &&
            stride >= 0) {
            return stride;
        }
    }
    for (size_t i = GT_DRAFT_BUILTINS; i < draft->symbols.count; i++) {
        const gt_draft_symbol *symbol = symbol_at(draft, (uint16_t)i);
        if (symbol->kind == GT_DRAFT_PARAMETER && symbol->is_integer) {
            only = (int)i;
            count++;
        }
    }
    return count == 1 ? only : -1;
}

static void settle_size(gt_draft *draft, uint16_t d)
{
    static const char *const names[] = {"nx", "ny", "nz"};
    gt_draft_dimension *dimension = &draft->dimensions[d];
    int found = size_among_parameters(draft, d);
    const char *name =
        draft->dimensions[1].has_blocks || draft->dimensions[2].has_blocks ? names[d] : "n";
    if (found < 0 && gt_draft_find_symbol(draft, name) >= 0) {
        name = d == 0 ? "size_x" : d == 1 ? "size_y" : "size_z";
    }
    if (found < 0) {
        found = gt_draft_add_symbol(draft, name, GT_DRAFT_SIZE);
    }
    dimension->is_guessed = true;
    dimension->size = found > 0 ? gt_polynomial_symbol((uint16_t)found) : gt_polynomial_number(1);
}

static void settle_dimension(gt_draft *draft, uint16_t d)
{
    gt_draft_dimension *dimension = &draft->dimensions[d];
    if (!dimension->has_blocks) {
        dimension->size = dimension->step = gt_polynomial_number(1);
    } else if (!settle_by_guard(draft, d)) {
        settle_step(draft, d);
        settle_size(draft, d);
    }
    if (!dimension->has_threads) {
        dimension->fixed = gt_polynomial_number(1);
    }
}

/* ---- lengths --------------------------------------------------------------------------------- */

double gt_draft_evaluate(const gt_draft *draft, const gt_polynomial *p)
{
    double sum = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        double product = p->terms[i].coefficient;
        for (uint32_t k = 0; k < p->terms[i].count; k++) {
            const gt_power *power = &p->terms[i].powers[k];
            const gt_draft_symbol *symbol = symbol_at(draft, power->symbol);
            const gt_draft_constant *constant = symbol->kind == GT_DRAFT_CONSTANT
                                                    ? gt_draft_constant_of(draft, symbol->name)
                                                    : NULL;
            double value = constant && constant->has_value ? constant->value
                           : symbol->value > 0             ? symbol->value
                                                           : 16;
            for (int e = power->exponent; e > 0; e--) {
                product *= value;
            }
            for (int e = power->exponent; e < 0; e++) {
                product /= value;
            }
        }
        sum += product;
    }
    return sum;
}

/* With the launch's own numbers in place: blocks that are fixed, and the grid. */
static gt_polynomial with_launch(const gt_draft *draft, gt_polynomial p)
{
    for (uint16_t d = 0; d < 3; d++) {
        const gt_draft_dimension *dimension = &draft->dimensions[d];
        gt_polynomial grid = gt_polynomial_divide(&dimension->size, &dimension->step);
        if (dimension->is_strided) {
            grid = gt_polynomial_number(GT_DRAFT_STRIDED_GRID);
        }
        if (gt_polynomial_has(&p, (uint16_t)(GT_DRAFT_GRID_DIM + d))) {
            p = gt_polynomial_replace(&p, (uint16_t)(GT_DRAFT_GRID_DIM + d), &grid);
        }
        if (dimension->fixed.known && gt_polynomial_has(&p, (uint16_t)(GT_DRAFT_BLOCK_DIM + d))) {
            p = gt_polynomial_replace(&p, (uint16_t)(GT_DRAFT_BLOCK_DIM + d), &dimension->fixed);
        }
    }
    return p;
}

/* Numbers in place of the constants that have one, and stay what they are. */
static gt_polynomial with_constants(const gt_draft *draft, gt_polynomial p)
{
    for (size_t i = 0; i < draft->symbols.count; i++) {
        const gt_draft_symbol *symbol = symbol_at(draft, (uint16_t)i);
        const gt_draft_constant *constant =
            symbol->kind == GT_DRAFT_CONSTANT ? gt_draft_constant_of(draft, symbol->name) : NULL;
        if (constant && constant->has_value && !constant->is_template_parameter &&
            gt_polynomial_has(&p, (uint16_t)i)) {
            gt_polynomial value = gt_polynomial_number(constant->value);
            p = gt_polynomial_replace(&p, (uint16_t)i, &value);
        }
    }
    return p;
}

static int highest_degree(const gt_polynomial *p)
{
    int highest = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        int degree = gt_monomial_degree(&p->terms[i]);
        highest = degree > highest ? degree : highest;
    }
    return highest;
}

/* A buffer of h * w - 1 elements has h * w. */
static void round_up(gt_polynomial *p)
{
    int highest = highest_degree(p);
    bool all = highest > 0;
    for (uint32_t i = 0; i < p->count; i++) {
        all &= gt_monomial_degree(&p->terms[i]) == highest || p->terms[i].coefficient < 0;
    }
    for (uint32_t i = p->count; i > 0 && all; i--) {
        if (gt_monomial_degree(&p->terms[i - 1]) < highest) {
            p->terms[i - 1] = p->terms[--p->count];
        }
    }
}

/* Whether a length depends on the block or the grid, of which then one must be chosen. */
static bool needs_pin(const gt_polynomial *p)
{
    for (uint32_t i = 0; i < p->count; i++) {
        for (uint32_t k = 0; k < p->terms[i].count; k++) {
            const gt_power *power = &p->terms[i].powers[k];
            bool is_block =
                power->symbol >= GT_DRAFT_BLOCK_DIM && power->symbol < GT_DRAFT_GRID_DIM;
            if (is_block || power->exponent < 0) {
                return true;
            }
        }
    }
    return false;
}

static bool has_strided_grid(const gt_draft *draft, const gt_polynomial *p)
{
    bool has = false;
    for (uint16_t d = 0; d < 3; d++) {
        has |= draft->dimensions[d].is_strided &&
               gt_polynomial_has(p, (uint16_t)(GT_DRAFT_GRID_DIM + d));
    }
    return has;
}

static void settle_length(gt_draft *draft, uint32_t index)
{
    gt_draft_buffer *buffer = &draft->buffers[index];
    double largest = 0;
    for (size_t i = 0; i < draft->accesses.count; i++) {
        const gt_draft_access *access = &draft->accesses.items[i];
        gt_polynomial plain = gt_draft_expand(draft, access->index, true);
        int loaded = first_of(draft, &plain, GT_DRAFT_LOADED);
        if (access->buffer != index) {
            continue;
        }
        if (loaded >= 0 && !access->size.known) {
            draft->buffers[symbol_at(draft, (uint16_t)loaded)->buffer].indexed = (int)index;
        }
        gt_polynomial size = with_launch(draft, access->size);
        draft->is_pinned |=
            size.known && (needs_pin(&size) || has_strided_grid(draft, &access->size));
        size = with_constants(draft, size);
        double value = gt_draft_evaluate(draft, &size);
        if (size.known && value > largest && !buffer->is_moved) {
            largest = value;
            buffer->length = size;
            round_up(&buffer->length);
        }
    }
}

/* ---- sizes ----------------------------------------------------------------------------------- */

static void mark_sizes(gt_draft *draft, const gt_polynomial *p)
{
    for (uint32_t i = 0; i < p->count; i++) {
        for (uint32_t k = 0; k < p->terms[i].count; k++) {
            gt_draft_symbol *symbol = &draft->symbols.items[p->terms[i].powers[k].symbol];
            symbol->is_size |= symbol->kind == GT_DRAFT_PARAMETER || symbol->kind == GT_DRAFT_SIZE;
        }
    }
}

/* Enough to measure, and not so much that three loops over it take minutes. */
static void choose_values(gt_draft *draft)
{
    static const double values[] = {1 << 20, 1 << 20, 1024, 256, 64};
    size_t depth = 0;
    for (uint16_t d = 0; d < 3; d++) {
        depth += draft->dimensions[d].has_blocks;
    }
    for (size_t i = 0; i < draft->guards.count; i++) {
        const gt_draft_guard *guard = &draft->guards.items[i];
        gt_polynomial plain = gt_draft_expand(draft, guard->left, true);
        bool is_own = gt_polynomial_has(&plain, GT_DRAFT_BLOCK_INDEX) ||
                      gt_polynomial_has(&plain, GT_DRAFT_BLOCK_INDEX + 1);
        depth += is_loop(draft, &guard->left) && !is_own &&
                 first_of(draft, &guard->bound, GT_DRAFT_PARAMETER) >= 0;
    }
    depth = depth < 4 ? depth : 4;
    for (size_t i = 0; i < draft->symbols.count; i++) {
        gt_draft_symbol *symbol = &draft->symbols.items[i];
        if (symbol->kind == GT_DRAFT_PARAMETER || symbol->kind == GT_DRAFT_SIZE) {
            symbol->value = values[depth];
        }
    }
}

static void pin(gt_draft *draft)
{
    const uint32_t count = draft->dimensions[0].has_threads + draft->dimensions[1].has_threads +
                           draft->dimensions[2].has_threads;
    for (uint16_t d = 0; d < 3; d++) {
        gt_draft_dimension *dimension = &draft->dimensions[d];
        double threads = count < 2 ? 256 : count == 2 ? 16 : 8;
        if (!dimension->fixed.known) {
            bool limited = dimension->limit > 0 && dimension->limit < threads;
            dimension->fixed = gt_polynomial_number(limited ? dimension->limit : threads);
        }
        dimension->fixed = with_constants(draft, dimension->fixed);
        dimension->step = gt_polynomial_replace(
            &dimension->step, (uint16_t)(GT_DRAFT_BLOCK_DIM + d), &dimension->fixed);
        dimension->step = with_constants(draft, dimension->step);
    }
}

static void settle_lengths(gt_draft *draft)
{
    for (uint32_t i = 0; i < draft->buffer_count; i++) {
        draft->buffers[i].length = gt_polynomial_unknown();
        draft->buffers[i].indexed = -1;
    }
    for (uint32_t i = 0; i < draft->buffer_count; i++) {
        settle_length(draft, i);
    }
}

void gt_draft_settle(gt_draft *draft)
{
    for (uint16_t d = 0; d < 3; d++) {
        settle_dimension(draft, d);
    }
    choose_values(draft);
    settle_lengths(draft);
    if (draft->is_pinned) {
        pin(draft);
        settle_lengths(draft);
    }
    for (uint32_t i = 0; i < draft->buffer_count; i++) {
        mark_sizes(draft, &draft->buffers[i].length);
    }
    for (uint16_t d = 0; d < 3; d++) {
        gt_draft_dimension *dimension = &draft->dimensions[d];
        dimension->size = with_constants(draft, dimension->size);
        round_up(&dimension->size);
        mark_sizes(draft, &dimension->size);
    }
}
