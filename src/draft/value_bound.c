/* Computes the largest and the smallest value that an expression can have under the facts that
 * comparisons imply. */
#include "draft/parts.h"

enum { DEEP = 40 };

typedef struct bounds {
    const draft_facts *facts;
    int depth;
} bounds;

static draft_amount *bound(bounds *b, draft_amount *v, bool upper);

/* Returns the upper bound that a fact gives for exactly this value; NULL if there is none. */
static draft_amount *fact_about(bounds *b, draft_amount *v)
{
    for (size_t i = b->facts->count; i-- > 0;) {
        const draft_fact *fact = &b->facts->items[i];
        if (fact->lhs == v) {
            draft_amount *most = bound(b, fact->most, true);
            if (draft_is_known(most)) {
                return most;
            }
        }
    }
    return NULL;
}

static draft_amount *bound_counter(bounds *b, const draft_symbol *s, bool upper)
{
    int64_t step, first;
    if (!s->step || !draft_is_known(s->step) || !draft_is_number(s->step, &step)) {
        step = 0;
    }
    if (!upper) {
        return step < 0 ? draft_number(0) : bound(b, s->first, false);
    }
    if (step < 0) {
        return bound(b, s->first, true);
    }
    if (!s->end) {
        return draft_unknown("the end of a loop around it is not known");
    }
    draft_amount *end = bound(b, s->end, true); /* the counter stays below its end */
    if (step > 1 && draft_is_number(s->first, &first) && first == 0) {
        draft_amount *rounds = draft_make(DRAFT_CEIL_DIV, end, draft_number(step), NULL);
        return draft_times(draft_plus(rounds, draft_number(1), -1), draft_number(step));
    }
    return draft_plus(end, draft_number(1), -1);
}

/* Bounds an element of a buffer: by its type if that is small, else by the buffer's range. */
static draft_amount *bound_loaded(draft_symbol *s)
{
    draft_buffer *buffer = s->buffer;
    if (!buffer) {
        return draft_unknown("it depends on the contents of '%s'", s->name);
    }
    if (s->number) {
        return draft_number(s->number);
    }
    if (!buffer->range) {
        buffer->range = draft_new_symbol(DRAFT_HOST, draft_format("%s_range", buffer->name));
        buffer->range->buffer = buffer;
    }
    draft_amount *range = draft_symbol_value(buffer->range);
    return buffer->is_rising ? range : draft_plus(range, draft_number(1), -1);
}

static draft_amount *bound_symbol(bounds *b, draft_amount *v, bool upper)
{
    draft_symbol *s = v->symbol;
    draft_amount *most = upper ? fact_about(b, v) : NULL;
    if (most) {
        if (s->kind == DRAFT_LOADED && s->buffer && !s->buffer->guarded) {
            s->buffer->guarded = draft_plus(most, draft_number(1), 1);
        }
        return most;
    }
    switch (s->kind) {
    case DRAFT_THREAD:
    case DRAFT_BLOCK_INDEX:
        return upper ? draft_plus(s->end, draft_number(1), -1) : draft_number(0);
    case DRAFT_COUNTER:
        return bound_counter(b, s, upper);
    case DRAFT_CHANGING:
        return upper ? draft_unknown("it depends on '%s', which changes", s->name)
                     : draft_number(0);
    case DRAFT_LOADED:
        return upper ? bound_loaded(s) : draft_number(0);
    default:
        return v;
    }
}

/* Divides a sum by `part`: returns the quotient and sets *v to the rest. Returns NULL if `part` is
 * not contained. */
static draft_amount *take_out(draft_amount **v, const draft_amount *part)
{
    const draft_term *lead = part->terms;
    const bool is_sum =
        part->kind == DRAFT_SUM && (part->count > 1 ? lead->count : lead->count > 1);
    for (unsigned i = 0; is_sum && i < (*v)->count; i++) {
        draft_term single = (*v)->terms[i];
        draft_sum first = {{single}, 1}, second = {{*lead}, 1};
        draft_amount *factor = draft_exact(draft_sum_value(&first), draft_sum_value(&second));
        draft_amount *rest =
            factor ? draft_plus(*v, draft_times(factor, (draft_amount *)part), -1) : NULL;
        if (rest && draft_is_known(rest) &&
            draft_terms_of(rest) + part->count <= draft_terms_of(*v) + 1 &&
            draft_is_not_negative(factor)) {
            *v = rest;
            return factor;
        }
    }
    return NULL;
}

static draft_amount *bound_term(bounds *b, const draft_term *term, bool upper)
{
    bool direct = term->factor > 0 ? upper : !upper;
    draft_amount *product = draft_number(term->factor);
    for (unsigned k = 0; k < term->count; k++) {
        product = draft_times(product, bound(b, term->atoms[k], direct));
    }
    return product;
}

static draft_amount *bound_sum(bounds *b, draft_amount *v, bool upper)
{
    draft_amount *most = upper ? fact_about(b, v) : NULL, *total = draft_number(0);
    for (size_t i = b->facts->count; !most && upper && i-- > 0;) {
        const draft_fact *fact = &b->facts->items[i];
        draft_amount *rest = v, *factor = take_out(&rest, fact->lhs);
        draft_amount *limit = factor ? bound(b, fact->most, true) : NULL;
        if (limit && draft_is_known(limit)) {
            draft_amount *scaled = draft_times(bound(b, factor, true), limit);
            most = draft_plus(bound(b, rest, true), scaled, 1);
        }
    }
    if (most && draft_is_known(most)) {
        return most;
    }
    for (unsigned i = 0; i < v->count; i++) {
        total = draft_plus(total, bound_term(b, &v->terms[i], upper), 1);
    }
    return total;
}

static draft_amount *bound_operation(bounds *b, draft_amount *v, bool upper)
{
    draft_amount *x = v->kind == DRAFT_COND ? NULL : bound(b, v->a, upper);
    draft_amount *y = v->kind == DRAFT_SHIFT || !v->b ? NULL : bound(b, v->b, upper), *least;
    int64_t mask;
    switch (v->kind) {
    case DRAFT_QUOTIENT:
    case DRAFT_CEIL_DIV:
        least = bound(b, v->b, !upper);
        return draft_make(v->kind, x, least, NULL);
    case DRAFT_REST:
        return upper ? draft_plus(y, draft_number(1), -1) : draft_number(0);
    case DRAFT_MIN:
        return !upper               ? draft_make(DRAFT_MIN, x, y, NULL)
               : !draft_is_known(x) ? y
               : !draft_is_known(y) ? x
                                    : draft_make(DRAFT_MIN, x, y, NULL);
    case DRAFT_MAX:
        return upper || (draft_is_known(x) && draft_is_known(y)) ? draft_make(DRAFT_MAX, x, y, NULL)
               : draft_is_known(x)                               ? x
                                                                 : y;
    case DRAFT_COND:
        return draft_make(upper ? DRAFT_MAX : DRAFT_MIN, y, bound(b, v->c, upper), NULL);
    case DRAFT_BITS:
        return !upper ? draft_number(0) : draft_is_number(v->b, &mask) && mask >= 0 ? v->b : x;
    case DRAFT_OR_BITS:
        return upper ? draft_plus(x, y, 1) : draft_number(0);
    case DRAFT_SHIFT:
        return draft_make(DRAFT_SHIFT, draft_number(1), bound(b, v->b, upper), NULL);
    case DRAFT_REAL:
        return draft_make(DRAFT_REAL, x, y, NULL);
    default:
        return draft_number(upper ? 1 : 0);
    }
}

static draft_amount *bound(bounds *b, draft_amount *v, bool upper)
{
    draft_amount *out;
    if (!draft_is_known(v) || v->kind == DRAFT_TEXT) {
        return v;
    }
    if (++b->depth > DEEP) {
        out = draft_unknown("it is nested too deep");
    } else if (v->kind == DRAFT_SYMBOL) {
        out = bound_symbol(b, v, upper);
    } else if (v->kind == DRAFT_SUM) {
        out = bound_sum(b, v, upper);
    } else {
        draft_amount *most = upper ? fact_about(b, v) : NULL;
        out = most ? most : bound_operation(b, v, upper);
    }
    b->depth--;
    return out;
}

draft_amount *draft_bound(draft_amount *v, bool upper, const draft_facts *facts)
{
    bounds b = {facts, 0};
    return bound(&b, v, upper);
}
