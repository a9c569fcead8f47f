/* What the writers of clauses share: names, expressions, what is there already. */
#include "draft/print.h"
#include "draft/write.h"

#include <string.h>

bool gt_draft_has_clause(const gt_draft_writer *w, const char *word)
{
    for (size_t i = 0; i < w->present->clauses.count; i++) {
        if (strcmp(w->present->clauses.items[i].word, word) == 0) {
            return true;
        }
    }
    return false;
}

/* Whether a clause gives a value to the name: `NAME = …`. */
bool gt_draft_is_declared(const gt_draft_writer *w, const char *name)
{
    for (size_t i = 0; i < w->present->clauses.count; i++) {
        for (gt_lexer body = w->present->clauses.items[i].body; body.token.kind != GT_TOKEN_END;) {
            bool is_name = gt_lexer_is(&body, name);
            gt_lexer_next(&body);
            if (is_name && gt_lexer_is(&body, "=")) {
                return true;
            }
        }
    }
    return false;
}

bool gt_draft_occurs(const char *text, size_t length, const char *name)
{
    gt_lexer lexer;
    gt_lexer_open(&lexer, text, length, (gt_place){"", 1, 1});
    while (lexer.token.kind != GT_TOKEN_END && !gt_lexer_is(&lexer, name)) {
        gt_lexer_next(&lexer);
    }
    return lexer.token.kind != GT_TOKEN_END;
}

bool gt_draft_in_kernel(const gt_draft *draft, const char *name)
{
    const gt_function *function = &draft->function;
    return gt_draft_occurs(draft->text + function->global, function->end - function->global, name);
}

/* ---- expressions ----------------------------------------------------------------------------- */

const char *gt_draft_name_of(const gt_draft_writer *w, uint16_t symbol)
{
    const char *name = w->draft->symbols.items[symbol].name;
    const char *dot = strchr(name, '.');
    if (symbol >= GT_DRAFT_BLOCK_DIM && symbol < GT_DRAFT_GRID_DIM) {
        return w->draft->axes[symbol - GT_DRAFT_BLOCK_DIM];
    }
    const char *extent = gt_call_extent(w->draft, symbol);
    if (extent[0]) {
        return extent;
    }
    for (size_t i = 0; i < w->draft->parameter_count && w->draft->call && !dot; i++) {
        const char *value = gt_text_string(&w->draft->call->parameters[i].enclosed);
        if (value[0] && strcmp(w->draft->parameters[i].name, name) == 0) {
            return value;
        }
    }
    return dot ? dot + 1 : name;
}

/* Expressions know the axes and the problem; the code's own constants are numbers there. */
static gt_polynomial with_numbers(const gt_draft_writer *w, gt_polynomial p)
{
    for (uint16_t d = 0; d < 3; d++) {
        const gt_polynomial *fixed = &w->draft->dimensions[d].fixed;
        p = fixed->known ? gt_polynomial_replace(&p, (uint16_t)(GT_DRAFT_BLOCK_DIM + d), fixed) : p;
    }
    for (size_t i = 0; i < w->draft->constants.count; i++) {
        const gt_draft_constant *constant = &w->draft->constants.items[i];
        int symbol = gt_draft_find_symbol(w->draft, constant->name);
        if (symbol > 0 && constant->has_value && !constant->is_template_parameter &&
            gt_polynomial_has(&p, (uint16_t)symbol) &&
            !gt_draft_is_block(w->draft, constant->name) &&
            !gt_draft_is_declared(w, constant->name)) {
            gt_polynomial value = gt_polynomial_number(constant->value);
            p = gt_polynomial_replace(&p, (uint16_t)symbol, &value);
        }
    }
    return p;
}

static void append_name(void *user, gt_text *out, uint16_t symbol, int around)
{
    (void)around;
    gt_text_append(out, gt_draft_name_of(user, symbol));
}

void gt_draft_append_sum(gt_draft_writer *w, const gt_polynomial *sum)
{
    const gt_polynomial numbers = with_numbers(w, *sum);
    gt_polynomial_append(w->out, &numbers, append_name, w);
}

/* How many indices of the buffer's accesses a symbol is multiplied with: the innermost extent, most
 * often. */
static uint32_t times_stride(const gt_draft *draft, uint32_t buffer, uint16_t symbol)
{
    uint32_t count = 0;
    for (size_t i = 0; i < draft->accesses.count; i++) {
        const gt_draft_access *access = &draft->accesses.items[i];
        gt_polynomial plain = gt_draft_expand(draft, access->index, true);
        gt_polynomial factor = gt_polynomial_factor(&plain, symbol);
        count += access->buffer == buffer && factor.known ? factor.count : 0;
    }
    return count;
}

/* `[h][w]` of h * w elements, slowest first; false: it is no such product. */
bool gt_draft_append_extents(gt_draft_writer *w, uint32_t buffer, const gt_polynomial *length)
{
    uint16_t order[3];
    uint32_t count = 0;
    const gt_monomial *term = &length->terms[0];
    if (length->count != 1 || term->coefficient > 1 || term->coefficient < 1) {
        return false;
    }
    for (uint32_t k = 0; k < term->count; k++) {
        for (int e = term->powers[k].exponent; e != 0; e--) {
            if (e < 0 || count == 3) {
                return false;
            }
            uint32_t at = count++;
            uint32_t own = times_stride(w->draft, buffer, term->powers[k].symbol);
            for (; at > 0 && times_stride(w->draft, buffer, order[at - 1]) > own; at--) {
                order[at] = order[at - 1];
            }
            order[at] = term->powers[k].symbol;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        gt_text_printf(w->out, "[%s]", gt_draft_name_of(w, order[i]));
    }
    return count > 0;
}

/* The constant that is the kernel's block in a dimension, so that it is an axis. */
bool gt_draft_is_block(const gt_draft *draft, const char *name)
{
    for (uint16_t d = 0; d < 3; d++) {
        uint16_t symbol;
        if (gt_polynomial_is_symbol(&draft->dimensions[d].fixed, &symbol) &&
            strcmp(draft->symbols.items[symbol].name, name) == 0) {
            return true;
        }
    }
    return false;
}
