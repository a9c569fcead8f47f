/* The largest value of an index, by the comparisons in front of it. */
#include "draft/parts.h"

const gt_draft_symbol *gt_draft_symbol_at(const gt_draft *draft, uint16_t symbol)
{
    return &draft->symbols.items[symbol];
}

int gt_draft_first_of(const gt_draft *draft, const gt_polynomial *p, gt_draft_kind kind)
{
    gt_powers at = {0};
    const gt_power *power;
    while ((power = gt_polynomial_next(p, &at)) &&
           gt_draft_symbol_at(draft, power->symbol)->kind != kind) {
    }
    return power ? power->symbol : -1;
}

/* A local that its definition can stand for; -1: none. */
static int expandable(const gt_draft *draft, const gt_polynomial *p, bool loops)
{
    gt_powers at = {0};
    for (const gt_power *power; (power = gt_polynomial_next(p, &at));) {
        const gt_draft_symbol *symbol = gt_draft_symbol_at(draft, power->symbol);
        if (symbol->kind == GT_DRAFT_LOCAL && symbol->definition.known &&
            (loops || !symbol->is_stepped)) {
            return power->symbol;
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
                                  &gt_draft_symbol_at(draft, (uint16_t)symbol)->definition);
    }
    return p.known && expandable(draft, &p, loops) < 0 ? p : gt_polynomial_unknown();
}

/* Whether the symbol takes many values within a launch. */
static bool is_variable(const gt_draft *draft, uint16_t symbol)
{
    gt_draft_kind kind = gt_draft_symbol_at(draft, symbol)->kind;
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

/* How far the largest value is from the bound: a loop that begins at 0 stops a step before it. */
static gt_polynomial distance(const gt_draft *draft, const gt_polynomial *left)
{
    uint16_t symbol;
    double first;
    bool is_loop =
        gt_polynomial_is_symbol(left, &symbol) && gt_draft_symbol_at(draft, symbol)->is_stepped &&
        gt_draft_symbol_at(draft, symbol)->step.known &&
        gt_polynomial_is_number(&gt_draft_symbol_at(draft, symbol)->definition, &first) &&
        first <= 0;
    return is_loop ? gt_draft_symbol_at(draft, symbol)->step : gt_polynomial_number(1);
}

/* Puts the guard's bound in the place of its left side, if `p` has that as a part. */
static bool apply_guard(gt_polynomial *p, const gt_polynomial *left, const gt_polynomial *bound,
                        const gt_polynomial *less)
{
    const gt_polynomial first = {.known = true, .count = 1, .terms = {left->terms[0]}};
    for (uint32_t i = 0; i < p->count; i++) {
        const gt_polynomial term = {.known = true, .count = 1, .terms = {p->terms[i]}};
        gt_polynomial times = gt_polynomial_divide(&term, &first);
        gt_polynomial part = gt_polynomial_multiply(&times, left);
        gt_polynomial rest = gt_polynomial_add(p, &part, -1);
        bool has = times.known && rest.known && rest.count + left->count == p->count &&
                   times.terms[0].coefficient > 0;
        for (uint32_t k = 0; has && k < times.terms[0].count; k++) {
            has = times.terms[0].powers[k].exponent > 0;
        }
        if (has) {
            gt_polynomial most = gt_polynomial_add(bound, less, -1);
            most = gt_polynomial_multiply(&times, &most);
            *p = gt_polynomial_add(&rest, &most, 1);
            return true;
        }
    }
    return false;
}

int gt_draft_rank(const gt_draft_guard *guard)
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
        if (!gt_draft_is_taken(draft, names[i])) {
            own->total = gt_draft_add_symbol(draft, names[i], GT_DRAFT_SIZE);
        }
    }
    return own->total;
}

/* Whether the loop's variable begins at an element of that buffer. */
static bool begins_with(const gt_draft *draft, const gt_polynomial *left, uint16_t loaded)
{
    uint16_t symbol;
    gt_polynomial first = gt_polynomial_is_symbol(left, &symbol)
                              ? gt_draft_symbol_at(draft, symbol)->definition
                              : gt_polynomial_unknown();
    first = gt_draft_expand(draft, first, false);
    return first.known && gt_polynomial_has(&first, loaded);
}

static bool apply_guards(gt_draft *draft, gt_polynomial *p)
{
    for (int rank = 0; rank < 3; rank++) {
        for (size_t i = draft->guards.count; i > 0; i--) {
            const gt_draft_guard *guard = &draft->guards.items[i - 1];
            gt_polynomial bound = guard->bound;
            int loaded;
            if (gt_draft_rank(guard) != rank) {
                continue;
            }
            while ((loaded = gt_draft_first_of(draft, &bound, GT_DRAFT_LOADED)) >= 0) {
                const uint32_t buffer = gt_draft_symbol_at(draft, (uint16_t)loaded)->buffer;
                uint16_t total = total_of(draft, buffer);
                draft->buffers[buffer].is_prefix |=
                    begins_with(draft, &guard->left, (uint16_t)loaded);
                gt_polynomial value = total ? gt_polynomial_symbol(total) : gt_polynomial_unknown();
                bound = gt_polynomial_replace(&bound, (uint16_t)loaded, &value);
                guard = &draft->guards.items[i - 1];
            }
            gt_polynomial plain = gt_draft_expand(draft, guard->left, false);
            gt_polynomial less = distance(draft, &guard->left);
            if (bound.known &&
                (apply_guard(p, &guard->left, &bound, &less) ||
                 (plain.known && plain.count && apply_guard(p, &plain, &bound, &less)))) {
                return true;
            }
        }
    }
    return false;
}

/* threadIdx and blockIdx are below blockDim and gridDim. */
static gt_polynomial bound_builtins(gt_polynomial p)
{
    for (uint16_t i = 0; i < (uint16_t)GT_DRAFT_BLOCK_DIM; i++) {
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
            bool open = gt_draft_first_of(draft, &p, GT_DRAFT_LOCAL) >= 0 ||
                        gt_draft_first_of(draft, &p, GT_DRAFT_LOADED) >= 0;
            return open ? gt_polynomial_unknown() : bound_builtins(p);
        }
        p = gt_polynomial_replace(&p, (uint16_t)symbol,
                                  &gt_draft_symbol_at(draft, (uint16_t)symbol)->definition);
    }
    return gt_polynomial_unknown();
}
