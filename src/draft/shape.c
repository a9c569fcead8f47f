/* Settles how a kernel is launched: how far the grid goes, and what its block is. */
#include "draft/parts.h"

#include <ctype.h>
#include <string.h>

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

bool gt_draft_fix_by_loop(gt_draft *draft, uint16_t d, const gt_polynomial *index)
{
    for (uint32_t i = 0; i < index->count && index->known; i++) {
        uint16_t symbol;
        const gt_polynomial term = {.known = true, .count = 1, .terms = {index->terms[i]}};
        if (index->count > 1 && gt_polynomial_is_symbol(&term, &symbol) &&
            gt_draft_symbol_at(draft, symbol)->kind == GT_DRAFT_LOCAL &&
            gt_draft_symbol_at(draft, symbol)->is_stepped &&
            gt_draft_symbol_at(draft, symbol)->step.known &&
            gt_draft_symbol_at(draft, symbol)->step.count == 1 &&
            gt_draft_first_of(draft, &gt_draft_symbol_at(draft, symbol)->step, GT_DRAFT_LOCAL) <
                0 &&
            gt_draft_first_of(draft, &gt_draft_symbol_at(draft, symbol)->step, GT_DRAFT_BUILTIN) <
                0) {
            draft->dimensions[d].fixed = gt_draft_symbol_at(draft, symbol)->step;
            draft->dimensions[d].walker = symbol;
            return true;
        }
    }
    return false;
}

/* Whether a block may have as many threads as the constant says. */
static bool fits_block(const gt_draft *draft, const char *name)
{
    const gt_draft_constant *constant = gt_draft_constant_of(draft, name);
    double most = 1024;
    (void)gt_polynomial_is_number(&draft->thread_bound, &most);
    return !constant || !constant->has_value || constant->value <= most;
}

/* The block, where the step between blocks is made of numbers and constants alone. */
static void note_fixed(gt_draft *draft, uint16_t d, const gt_polynomial *plain,
                       const gt_polynomial *index)
{
    gt_draft_dimension *dimension = &draft->dimensions[d];
    gt_polynomial own = gt_polynomial_factor(plain, GT_DRAFT_THREAD + d);
    gt_polynomial ratio = gt_polynomial_divide(&dimension->step, &own);
    double number;
    if (dimension->fixed.known || !ratio.known || ratio.count != 1 ||
        gt_polynomial_has(&dimension->step, (uint16_t)(GT_DRAFT_BLOCK_DIM + d)) ||
        gt_draft_fix_by_loop(draft, d, index)) {
        return;
    }
    if (gt_polynomial_is_number(&ratio, &number)) {
        dimension->fixed = ratio;
        return;
    }
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t k = 0; k < ratio.terms[0].count; k++) {
            uint16_t symbol = ratio.terms[0].powers[k].symbol;
            const char *name = gt_draft_symbol_at(draft, symbol)->name;
            if (gt_draft_symbol_at(draft, symbol)->kind == GT_DRAFT_CONSTANT &&
                fits_block(draft, name) && (pass || looks_like_block(name))) {
                dimension->fixed = gt_polynomial_symbol(symbol);
                return;
            }
        }
    }
}

bool gt_draft_is_loop(const gt_draft *draft, const gt_polynomial *left)
{
    uint16_t symbol;
    return gt_polynomial_is_symbol(left, &symbol) && gt_draft_symbol_at(draft, symbol)->is_stepped;
}

/* The comparison that bounds dimension d. */
static bool settle_by_guard(gt_draft *draft, uint16_t d)
{
    gt_draft_dimension *dimension = &draft->dimensions[d];
    for (int rank = 0; rank < 2; rank++) {
        for (size_t i = 0; i < draft->guards.count; i++) {
            const gt_draft_guard *guard = &draft->guards.items[i];
            gt_polynomial plain, step = step_of(draft, &guard->left, d, &plain);
            if (gt_draft_rank(guard) != rank || !step.known || step.count != 1 ||
                gt_draft_first_of(draft, &guard->bound, GT_DRAFT_LOADED) >= 0) {
                continue;
            }
            dimension->step = step;
            dimension->size = guard->bound;
            dimension->is_strided = dimension->has_grid && gt_draft_is_loop(draft, &guard->left);
            note_fixed(draft, d, &plain, &guard->left);
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
    if (draft->is_opaque) {
        dimension->step = gt_polynomial_symbol((uint16_t)(GT_DRAFT_BLOCK_DIM + d));
    }
    for (size_t i = draft->symbols.count; i > 0; i--) {
        const gt_draft_symbol *symbol = gt_draft_symbol_at(draft, (uint16_t)(i - 1));
        gt_polynomial plain, step = gt_polynomial_unknown();
        if (symbol->kind == GT_DRAFT_LOCAL && symbol->definition.known) {
            step = step_of(draft, &symbol->definition, d, &plain);
        }
        if (step.known && step.count == 1 &&
            gt_draft_first_of(draft, &step, GT_DRAFT_PARAMETER) < 0 &&
            gt_polynomial_has(&plain, GT_DRAFT_THREAD + d)) {
            dimension->step = step;
            note_fixed(draft, d, &plain, &symbol->definition);
            return;
        }
    }
}

/* The parameter that stands in front of another dimension's index, where d is the innermost one;
 * or a parameter that nothing else is known of. -1: none. */
static int size_among_parameters(const gt_draft *draft, uint16_t d)
{
    int only = -1, count = 0, unused = -1, unused_count = 0;
    const gt_function *function = &draft->function;
    for (size_t i = 0; i < draft->accesses.count; i++) {
        gt_polynomial plain = gt_draft_expand(draft, draft->accesses.items[i].index, true);
        gt_polynomial own = gt_polynomial_factor(&plain, GT_DRAFT_BLOCK_INDEX + d);
        int stride = gt_draft_first_of(draft, &plain, GT_DRAFT_PARAMETER);
        if (own.known && own.count && gt_draft_first_of(draft, &own, GT_DRAFT_PARAMETER) < 0 &&
            stride >= 0) {
            return stride;
        }
    }
    for (size_t i = GT_DRAFT_BUILTINS; i < draft->symbols.count; i++) {
        const gt_draft_symbol *symbol = gt_draft_symbol_at(draft, (uint16_t)i);
        if (symbol->kind == GT_DRAFT_PARAMETER && symbol->is_integer) {
            only = (int)i;
            count++;
            bool used = gt_draft_occurs(draft->text + function->parameters_end,
                                        function->end - function->parameters_end, symbol->name);
            unused = used ? unused : (int)i;
            unused_count += !used;
        }
    }
    bool is_plane = draft->dimensions[1].has_blocks || draft->dimensions[2].has_blocks;
    if (count == 1 && (is_plane || draft->is_opaque)) {
        return only;
    }
    return unused >= 0 && unused_count == 1 ? unused : -1;
}

bool gt_draft_has_moved(const gt_draft *draft)
{
    bool moved = false;
    for (uint32_t i = 0; i < draft->buffer_count; i++) {
        moved |= draft->buffers[i].is_moved;
    }
    return moved;
}

/* The integer parameter of that place among them; -1: there are not so many. */
static int integer_at(const gt_draft *draft, uint16_t place)
{
    for (size_t i = GT_DRAFT_BUILTINS; i < draft->symbols.count; i++) {
        const gt_draft_symbol *symbol = gt_draft_symbol_at(draft, (uint16_t)i);
        if (symbol->kind == GT_DRAFT_PARAMETER && symbol->is_integer && place-- == 0) {
            return (int)i;
        }
    }
    return -1;
}

static void settle_size(gt_draft *draft, uint16_t d)
{
    const char plane[] = {'n', (char)('x' + d), '\0'};
    gt_draft_dimension *dimension = &draft->dimensions[d];
    double step;
    int found = gt_draft_has_moved(draft) ? integer_at(draft, d) : size_among_parameters(draft, d);
    bool is_plane = draft->dimensions[1].has_blocks || draft->dimensions[2].has_blocks;
    bool is_row = gt_polynomial_is_number(&dimension->step, &step);
    const char *name = is_plane ? plane : is_row ? "rows" : "n";
    if (found < 0 && gt_draft_is_taken(draft, name)) {
        name = d == 0 ? "size_x" : d == 1 ? "size_y" : "size_z";
    }
    if (found < 0) {
        found = gt_draft_add_symbol(draft, name, GT_DRAFT_SIZE);
    }
    dimension->is_guessed = true;
    dimension->size = found > 0 ? gt_polynomial_symbol((uint16_t)found) : gt_polynomial_number(1);
}

/* A loop that begins at a thread's index and goes on by a number or a constant: as many threads. */
static void fix_by_stride(gt_draft *draft, uint16_t d)
{
    for (size_t i = GT_DRAFT_BUILTINS; i < draft->symbols.count; i++) {
        const gt_draft_symbol *symbol = gt_draft_symbol_at(draft, (uint16_t)i);
        uint16_t from, by;
        double number;
        bool begins = symbol->kind == GT_DRAFT_LOCAL && symbol->is_stepped && symbol->step.known &&
                      gt_polynomial_is_symbol(&symbol->definition, &from) &&
                      from == GT_DRAFT_THREAD + d;
        bool fits = begins && ((gt_polynomial_is_number(&symbol->step, &number) && number > 1) ||
                               (gt_polynomial_is_symbol(&symbol->step, &by) &&
                                gt_draft_symbol_at(draft, by)->kind == GT_DRAFT_CONSTANT));
        if (fits && !draft->dimensions[d].fixed.known) {
            draft->dimensions[d].fixed = symbol->step;
        }
    }
}

void gt_draft_settle_dimension(gt_draft *draft, uint16_t d)
{
    gt_draft_dimension *dimension = &draft->dimensions[d];
    fix_by_stride(draft, d);
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
