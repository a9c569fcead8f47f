/* What the writers of clauses share: names, expressions, what is there already. */
#include "draft/parts.h"

#include <stdarg.h>
#include <string.h>

bool gt_draft_has_clause(const gt_reader *present, const char *word)
{
    bool has = false;
    for (size_t i = 0; i < present->clauses.count && !has; i++) {
        has = strcmp(present->clauses.items[i].word, word) == 0;
    }
    return has;
}

/* Whether a clause gives a value to the name: `NAME = …`. */
bool gt_draft_is_declared(const gt_draft *draft, const char *name)
{
    for (size_t i = 0; i < draft->present->clauses.count; i++) {
        for (gt_lexer body = draft->present->clauses.items[i].body;
             body.token.kind != GT_TOKEN_END;) {
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
    const gt_token token = gt_token_of(name);
    return gt_lexer_has(gt_lexer_on(text, length), &token);
}

bool gt_draft_in_kernel(const gt_draft *draft, const char *name)
{
    const gt_function *function = &draft->function;
    return gt_draft_occurs(draft->text + function->global, function->end - function->global, name);
}

const char *gt_draft_keep(gt_draft *draft, gt_text *text)
{
    char *kept;
    const bool keeps =
        gt_text_take(&kept, text) == GPUTUNE_OK && gt_texts_take(&draft->kept, kept) == GPUTUNE_OK;
    draft->failed |= !keeps;
    return keeps ? kept : "";
}

const char *gt_draft_print(gt_draft *draft, const char *format, ...)
{
    gt_text text = {0};
    va_list args;
    va_start(args, format);
    gt_text_vprintf(&text, format, args);
    va_end(args);
    return gt_draft_keep(draft, &text);
}

void gt_draft_append_values(gt_text *out, const gt_values *values)
{
    for (size_t i = 0; i < values->count; i++) {
        gt_text_printf(out, "%s%lld", i ? ", " : "", (long long)values->list[i]);
    }
}

/* ---- expressions ----------------------------------------------------------------------------- */

const char *gt_draft_name_of(const gt_draft *draft, int symbol)
{
    const char *name = draft->symbols.items[symbol].name, *dot = strchr(name, '.');
    const char *extent = gt_call_extent(draft, symbol);
    const gt_draft_argument *argument = gt_draft_argument_of(draft, name);
    if (symbol >= GT_DRAFT_BLOCK_DIM && symbol < GT_DRAFT_GRID_DIM) {
        return draft->axes[symbol - GT_DRAFT_BLOCK_DIM];
    }
    if (extent[0]) {
        return extent;
    }
    if (argument && argument->enclosed[0]) {
        return argument->enclosed;
    }
    return dot ? dot + 1 : name;
}

/* Expressions know the axes and the problem; the code's own constants are numbers there. */
static gt_sum with_numbers(const gt_draft *draft, gt_sum sum)
{
    for (int d = 0; d < 3; d++) {
        const gt_sum *fixed = &draft->dimensions[d].fixed;
        sum = fixed->known ? gt_sum_replace(sum, GT_DRAFT_BLOCK_DIM + d, *fixed) : sum;
    }
    for (size_t i = 0; i < draft->constants.count; i++) {
        const gt_draft_constant *constant = &draft->constants.items[i];
        int symbol = gt_draft_find_symbol(draft, constant->name);
        if (symbol > 0 && constant->has_value && !constant->is_template_parameter &&
            gt_sum_has(&sum, symbol) && !gt_draft_is_block(draft, constant->name) &&
            !gt_draft_is_declared(draft, constant->name)) {
            sum = gt_sum_replace(sum, symbol, gt_sum_number(constant->value));
        }
    }
    return sum;
}

static void append_name(void *user, gt_text *out, int symbol, int around)
{
    (void)around;
    gt_text_append(out, gt_draft_name_of(user, symbol));
}

void gt_draft_append_sum(gt_draft *draft, const gt_sum *sum)
{
    const gt_sum numbers = with_numbers(draft, *sum);
    gt_sum_append(draft->out, &numbers, append_name, draft);
}

/* How many indices of the buffer's accesses a symbol is multiplied with: the innermost extent, most
 * often. */
static uint32_t times_stride(const gt_draft *draft, const gt_draft_argument *buffer, int symbol)
{
    uint32_t count = 0;
    for (size_t i = 0; i < draft->accesses.count; i++) {
        const gt_draft_access *access = &draft->accesses.items[i];
        const gt_sum factor = gt_sum_factor(gt_draft_expand(draft, access->index, true), symbol);
        count += access->buffer == buffer && factor.known ? factor.count : 0;
    }
    return count;
}

bool gt_draft_append_extents(gt_draft *draft, const gt_draft_argument *buffer, const gt_sum *length)
{
    int order[3];
    uint32_t count = 0;
    const gt_product *term = &length->terms[0];
    if (length->count != 1 || term->coefficient > 1 || term->coefficient < 1) {
        return false;
    }
    for (uint32_t k = 0; k < term->count; k++) {
        for (int e = term->powers[k].exponent; e != 0; e--) {
            if (e < 0 || count == 3) {
                return false;
            }
            uint32_t at = count++;
            uint32_t own = times_stride(draft, buffer, term->powers[k].symbol);
            for (; at > 0 && times_stride(draft, buffer, order[at - 1]) > own; at--) {
                order[at] = order[at - 1];
            }
            order[at] = term->powers[k].symbol;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        gt_text_printf(draft->out, "[%s]", gt_draft_name_of(draft, order[i]));
    }
    return count > 0;
}
