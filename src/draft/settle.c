/* Settles how long buffers are, and which sizes a problem has. */
#include "draft/parts.h"

static double value_of(const void *user, uint16_t at)
{
    const gt_draft_symbol *symbol = gt_draft_symbol_at(user, at);
    const gt_draft_constant *constant =
        symbol->kind == GT_DRAFT_CONSTANT ? gt_draft_constant_of(user, symbol->name) : NULL;
    return constant && constant->has_value ? constant->value
           : symbol->value > 0             ? symbol->value
                                           : 16;
}

double gt_draft_evaluate(const gt_draft *draft, const gt_polynomial *p)
{
    return gt_polynomial_value(p, value_of, draft);
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
        const gt_draft_symbol *symbol = gt_draft_symbol_at(draft, (uint16_t)i);
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

/* A length that holds for every block that is tried, where the block has a name. */
static gt_polynomial with_blocks(const gt_draft *draft, gt_polynomial p)
{
    const bool is_plane = draft->dimensions[1].has_threads;
    for (size_t i = 0; i < draft->symbols.count; i++) {
        const gt_draft_symbol *symbol = gt_draft_symbol_at(draft, (uint16_t)i);
        gt_polynomial largest = gt_polynomial_number(is_plane ? 32 : 1024);
        if (symbol->kind == GT_DRAFT_CONSTANT && gt_polynomial_has(&p, (uint16_t)i) &&
            gt_draft_is_block(draft, symbol->name) && !draft->is_pinned) {
            p = gt_polynomial_replace(&p, (uint16_t)i, &largest);
        }
    }
    return p;
}

/* A buffer of h * w - 1 elements has h * w. */
static void round_up(gt_polynomial *p)
{
    int highest = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        int degree = gt_monomial_degree(&p->terms[i]);
        highest = degree > highest ? degree : highest;
    }
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
    gt_powers at = {0};
    bool needs = false;
    for (const gt_power *power; (power = gt_polynomial_next(p, &at));) {
        needs |= power->exponent < 0 ||
                 (power->symbol >= GT_DRAFT_BLOCK_DIM && power->symbol < GT_DRAFT_GRID_DIM);
    }
    return needs;
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

/* An index or a size has elements of a buffer as one of its parts. */
static void note_part(gt_draft *draft, gt_draft_buffer *of, const gt_polynomial *p, uint16_t part)
{
    const gt_polynomial symbol = gt_polynomial_symbol(part);
    of->factor = gt_polynomial_factor(p, part);
    gt_polynomial own = gt_polynomial_multiply(&of->factor, &symbol);
    own = gt_draft_maximum(draft, gt_polynomial_add(p, &own, -1));
    of->rest = with_constants(draft, with_launch(draft, own));
}

/* The elements of one buffer index another: bytes have 256 values. */
static void note_indexed(gt_draft *draft, uint32_t index, const gt_polynomial *plain,
                         uint16_t loaded)
{
    const uint32_t by = gt_draft_symbol_at(draft, loaded)->buffer;
    const gt_function_parameter *parameter = &draft->parameters[draft->buffers[by].parameter];
    draft->buffers[by].indexed = (int)index;
    note_part(draft, &draft->buffers[by], plain, loaded);
    if (parameter->has_type && parameter->element.bytes == 1 &&
        !draft->buffers[index].length.known) {
        draft->buffers[index].length = gt_polynomial_number(256);
    }
}

static void settle_length(gt_draft *draft, uint32_t index)
{
    gt_draft_buffer *buffer = &draft->buffers[index];
    double largest = 0;
    for (size_t i = 0; i < draft->accesses.count; i++) {
        const gt_draft_access *access = &draft->accesses.items[i];
        gt_polynomial plain = gt_draft_expand(draft, access->index, true);
        int loaded = gt_draft_first_of(draft, &plain, GT_DRAFT_LOADED);
        if (access->buffer != index) {
            continue;
        }
        if (loaded >= 0 && !access->size.known) {
            const gt_polynomial in_loops = gt_draft_expand(draft, access->index, false);
            bool is_there = in_loops.known && gt_polynomial_has(&in_loops, (uint16_t)loaded);
            note_indexed(draft, index, is_there ? &in_loops : &plain, (uint16_t)loaded);
        }
        for (uint32_t by = 0; by < draft->buffer_count && access->size.known; by++) {
            gt_draft_buffer *bound = &draft->buffers[by];
            if (bound->total && gt_polynomial_has(&access->size, bound->total)) {
                bound->bounded = (int)index;
                note_part(draft, bound, &access->size, bound->total);
            }
        }
        gt_polynomial size = with_launch(draft, access->size);
        draft->is_pinned |= size.known && !buffer->is_moved &&
                            (needs_pin(&size) || has_strided_grid(draft, &access->size));
        size = with_constants(draft, with_blocks(draft, size));
        double value = gt_draft_evaluate(draft, &size);
        if (size.known && value > largest && !buffer->is_moved) {
            largest = value;
            buffer->length = size;
            round_up(&buffer->length);
        }
    }
}

bool gt_draft_quotient(const gt_draft *draft, const gt_polynomial *p, gt_polynomial *size,
                       gt_polynomial *by)
{
    if (!p->known || p->count != 1) {
        return false;
    }
    double coefficient = p->terms[0].coefficient;
    *size = gt_polynomial_number(coefficient < 1 ? 1 : coefficient);
    *by = gt_polynomial_number(coefficient < 1 ? 1 / coefficient : 1);
    bool whole = true;
    for (uint32_t k = 0; k < p->terms[0].count; k++) {
        const gt_power *power = &p->terms[0].powers[k];
        gt_draft_kind kind = gt_draft_symbol_at(draft, power->symbol)->kind;
        gt_polynomial symbol = gt_polynomial_symbol(power->symbol);
        gt_polynomial *side = power->exponent > 0 ? size : by;
        whole &= kind == GT_DRAFT_PARAMETER || kind == GT_DRAFT_CONSTANT;
        *side = gt_polynomial_multiply(side, &symbol);
    }
    *size = with_constants(draft, *size);
    double number;
    return whole && !gt_polynomial_is_number(size, &number) &&
           !(gt_polynomial_is_number(by, &number) && number <= 1);
}

static void mark_sizes(gt_draft *draft, const gt_polynomial *p)
{
    gt_powers at = {0};
    for (const gt_power *power; (power = gt_polynomial_next(p, &at));) {
        gt_draft_symbol *symbol = &draft->symbols.items[power->symbol];
        symbol->is_size |= symbol->kind == GT_DRAFT_PARAMETER || symbol->kind == GT_DRAFT_SIZE;
    }
}

/* How many sizes are multiplied. */
static size_t size_degree(const gt_draft *draft, const gt_polynomial *p)
{
    int highest = 0;
    for (uint32_t i = 0; i < p->count && p->known; i++) {
        int degree = 0;
        for (uint32_t k = 0; k < p->terms[i].count; k++) {
            const gt_power *power = &p->terms[i].powers[k];
            gt_draft_kind kind = gt_draft_symbol_at(draft, power->symbol)->kind;
            degree += kind == GT_DRAFT_PARAMETER || kind == GT_DRAFT_SIZE ? power->exponent : 0;
        }
        highest = degree > highest ? degree : highest;
    }
    return (size_t)highest;
}

/* Enough to measure, and not so much that three loops over it take minutes. */
static void choose_values(gt_draft *draft)
{
    static const double values[] = {1 << 20, 1 << 20, 1024, 256, 64};
    size_t depth = 0;
    for (uint16_t d = 0; d < 3; d++) {
        size_t degree = size_degree(draft, &draft->dimensions[d].size);
        depth += !draft->dimensions[d].has_blocks ? 0 : degree > 1 ? degree : 1;
    }
    for (size_t i = 0; i < draft->guards.count; i++) {
        const gt_draft_guard *guard = &draft->guards.items[i];
        gt_polynomial plain = gt_draft_expand(draft, guard->left, true);
        bool is_own = gt_polynomial_has(&plain, GT_DRAFT_BLOCK_INDEX) ||
                      gt_polynomial_has(&plain, GT_DRAFT_BLOCK_INDEX + 1);
        bool again = false;
        for (size_t k = 0; k < i; k++) {
            again |= gt_polynomial_equal(&guard->bound, &draft->guards.items[k].bound) &&
                     gt_draft_is_loop(draft, &draft->guards.items[k].left);
        }
        depth += gt_draft_is_loop(draft, &guard->left) && !is_own && !again &&
                 gt_draft_first_of(draft, &guard->bound, GT_DRAFT_PARAMETER) >= 0;
    }
    depth = depth < 4 ? depth : 4;
    for (size_t i = 0; i < draft->symbols.count; i++) {
        gt_draft_symbol *symbol = &draft->symbols.items[i];
        if (symbol->kind == GT_DRAFT_PARAMETER || symbol->kind == GT_DRAFT_SIZE) {
            symbol->value = values[depth];
        }
    }
}

void gt_draft_pin(gt_draft *draft)
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
        draft->buffers[i].indexed = draft->buffers[i].bounded = -1;
    }
    for (uint32_t i = 0; i < draft->buffer_count; i++) {
        settle_length(draft, i);
    }
}

/* Where pointers are moved, nothing says which integers are sizes. */
static void mark_integers(gt_draft *draft)
{
    for (size_t i = 0; i < draft->symbols.count && gt_draft_has_moved(draft); i++) {
        gt_draft_symbol *symbol = &draft->symbols.items[i];
        symbol->is_size |= symbol->kind == GT_DRAFT_PARAMETER && symbol->is_integer;
    }
}

/* A body that leaves all of it to others has one dimension, as most have. */
static void note_opaque(gt_draft *draft)
{
    draft->is_opaque = true;
    for (uint16_t d = 0; d < 3; d++) {
        draft->is_opaque &= !draft->dimensions[d].has_threads && !draft->dimensions[d].has_blocks;
    }
    if (draft->is_opaque) {
        draft->dimensions[0].has_threads = draft->dimensions[0].has_blocks = true;
    }
}

/* Whether the value of p is that of the text, whichever axes there are. */
static bool is_settled(const gt_draft *draft, const gt_polynomial *p)
{
    gt_powers at = {0};
    bool settled = p->known;
    for (const gt_power *power; (power = gt_polynomial_next(p, &at));) {
        const gt_draft_constant *constant =
            gt_draft_constant_of(draft, gt_draft_symbol_at(draft, power->symbol)->name);
        settled &= constant && constant->has_value && !gt_draft_is_block(draft, constant->name);
    }
    return settled;
}

void gt_draft_settle(gt_draft *draft)
{
    note_opaque(draft);
    for (uint16_t d = 0; d < 3; d++) {
        gt_draft_settle_dimension(draft, d);
    }
    choose_values(draft);
    settle_lengths(draft);
    if (draft->is_pinned) {
        gt_draft_pin(draft);
        settle_lengths(draft);
    }
    for (size_t i = 0; i < draft->shared.count; i++) {
        draft->shared.items[i].length = with_launch(draft, draft->shared.items[i].length);
        mark_sizes(draft, &draft->shared.items[i].length);
    }
    mark_integers(draft);
    for (uint32_t i = 0; i < draft->buffer_count; i++) {
        mark_sizes(draft, &draft->buffers[i].length);
    }
    for (uint16_t d = 0; d < 3; d++) {
        gt_draft_dimension *dimension = &draft->dimensions[d];
        dimension->size = with_constants(draft, dimension->size);
        round_up(&dimension->size);
        mark_sizes(draft, &dimension->size);
        mark_sizes(draft, &dimension->step);
    }
    if (is_settled(draft, &draft->thread_bound)) {
        draft->thread_limit = gt_draft_evaluate(draft, &draft->thread_bound);
    }
}
