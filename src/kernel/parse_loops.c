/* The pragmas for, end and swap: launches that follow each other more than once. */
#include "kernel/parse.h"

#include "base/text.h"
#include "kernel/types.h"

#include <string.h>

enum { USE = GT_USE_PROBLEM | GT_USE_AXIS | GT_USE_COUNTER };

gputune_status gt_parse_order(gt_order **out, gt_parse *p, gt_order_kind kind, uint32_t index,
                              gt_place place)
{
    gt_template_parts *parts = p->parts;
    GT_TRY(gt_check_room(parts->order_count, GT_ORDERS_MAX, "launch(), for(), end() and swap()",
                         place));
    parts->has_loops |= kind != GT_ORDER_LAUNCH;
    *out = &parts->orders[parts->order_count++];
    **out = (gt_order){.kind = kind, .index = index, .place = place};
    return GPUTUNE_OK;
}

/* Reads the expression that a text of our own making is, which stands where `place` is. */
static gputune_status read_text(const gt_expression **out, gt_parse *p, const gt_text *text,
                                gt_place place)
{
    GT_TRY(text->failed ? gt_fail_memory() : GPUTUNE_OK);
    return gt_read_text(out, p, gt_text_string(text), text->length, place, USE);
}

/* `++i`, `i++`, `i += e`, `i = e` …: what the counter is next, as an expression. */
static gputune_status read_next(const gt_expression **out, gt_parse *p, const char *counter)
{
    GT_SCOPED(gt_text_free) gt_text text = {0};
    const gt_place place = gt_lexer_place(&p->at);
    bool in_front = gt_lexer_is(&p->at, "++") || gt_lexer_is(&p->at, "--"),
         down = gt_lexer_is(&p->at, "--");
    if (in_front) {
        gt_lexer_next(&p->at);
    }
    GT_EXPECT(gt_lexer_accept(&p->at, counter), &p->at,
              "what the counter is next, as in ++i, i += 2 or i /= 2");
    down |= gt_lexer_is(&p->at, "--");
    if (in_front || gt_lexer_accept(&p->at, "++") || gt_lexer_accept(&p->at, "--")) {
        gt_text_printf(&text, "%s %c 1", counter, down ? '-' : '+');
        return read_text(out, p, &text, place);
    }
    const gt_token sign = p->at.token;
    GT_EXPECT(gt_lexer_accept_any(&p->at, "+= -= *= /= <<= >>= =") >= 0, &p->at,
              "++, --, = or an assignment such as +=, *= or >>=");
    gt_place behind = gt_lexer_place(&p->at);
    if (sign.length == 1) {
        return gt_read_integer_expression(out, p, USE);
    }
    gt_text_printf(&text, "%s %.*s (", counter, (int)sign.length - 1, sign.text);
    behind.column -= (int)text.length; /* so that mistakes are placed where they stand */
    gt_text_printf(&text, "%.*s)", (int)(p->at.end - p->at.token.text), p->at.token.text);
    while (p->at.token.kind != GT_TOKEN_END) {
        gt_lexer_next(&p->at);
    }
    return read_text(out, p, &text, behind);
}

gputune_status gt_parse_for(gt_parse *p)
{
    gt_template_parts *parts = p->parts;
    gt_order *order;
    char name[GT_NAME_MAX];
    GT_TRY(gt_check_room(parts->open_loops, GT_COUNTERS_MAX, "loops inside each other",
                         p->clause->place));
    const gt_place place = gt_lexer_place(&p->at);
    GT_TRY(gt_read_new_name(name, p, "a counter, as in for(i = 0; i < n; ++i)"));
    GT_REFUSE_AT(GT_NAMED(parts->counters, parts->open_loops, name) >= 0, place,
                 "'%s' counts the loop around this one; expected another name", name);
    GT_TRY(gt_parse_order(&order, p, GT_ORDER_FOR, parts->open_loops, p->clause->place));
    GT_TRY(gt_lexer_expect(&p->at, "="));
    GT_TRY(gt_read_integer_expression(&order->begin, p, USE));
    memcpy(parts->counters[parts->open_loops++], name, sizeof name);
    GT_TRY(gt_lexer_expect(&p->at, ";"));
    GT_TRY(gt_read_integer_expression(&order->condition, p, USE));
    GT_TRY(gt_lexer_expect(&p->at, ";"));
    return read_next(&order->next, p, name);
}

/* Ends the innermost loop. */
static gputune_status end_loop(gt_parse *p, gt_place place)
{
    gt_template_parts *parts = p->parts;
    gt_order *order;
    const gt_order *last = &parts->orders[parts->order_count - 1];
    GT_REFUSE_AT(last->kind == GT_ORDER_FOR, last->place,
                 "for(%s) around no launch(); expected one behind it",
                 parts->counters[parts->open_loops - 1]);
    parts->open_loops--;
    return gt_parse_order(&order, p, GT_ORDER_END, parts->open_loops, place);
}

gputune_status gt_parse_end(gt_parse *p)
{
    gt_template_parts *parts = p->parts;
    char name[GT_NAME_MAX];
    const gt_place place = gt_lexer_place(&p->at);
    GT_TRY(gt_name_read(name, sizeof name, &p->at, "the counter of a for()"));
    GT_REFUSE_AT(parts->open_loops == 0, place,
                 "end(%s) behind no for(%s); expected one in front of it", name, name);
    const char *inner = parts->counters[parts->open_loops - 1];
    return strcmp(inner, name) == 0
               ? end_loop(p, p->clause->place)
               : gt_fail_at(place, "end(%s) in for(%s); expected end(%s)", name, inner, inner);
}

/* A buffer that may be swapped: the kernels may write it. */
static gputune_status read_swapped(uint32_t *index, gt_parse *p)
{
    const gt_place place = gt_lexer_place(&p->at);
    GT_TRY(gt_read_taken_buffer(index, p, true, "two buffers, as in swap(next, now)"));
    const gt_argument *buffer = &p->template->arguments[*index];
    GT_REFUSE_AT(buffer->direction == GT_IN, place,
                 "'%s' is an input, which kernels must not write; expected it to be inout",
                 buffer->name);
    return GPUTUNE_OK;
}

gputune_status gt_parse_swap(gt_parse *p)
{
    gt_order *order;
    uint32_t first, second;
    GT_TRY(read_swapped(&first, p));
    GT_TRY(gt_lexer_expect(&p->at, ","));
    const gt_place place = gt_lexer_place(&p->at);
    GT_TRY(read_swapped(&second, p));
    const char *type = p->template->arguments[first].type;
    const char *other = p->template->arguments[second].type;
    GT_REFUSE_AT(first == second, place, "a buffer in its own place; expected another one");
    GT_REFUSE_AT(strcmp(type, other) != 0, place,
                 "a buffer of %s in the place of one of %s; expected equal types", other, type);
    GT_TRY(gt_parse_order(&order, p, GT_ORDER_SWAP, first, p->clause->place));
    order->other = second;
    return GPUTUNE_OK;
}

/* Outside of their loop, grid and block of the first launch() are unknown. */
static gputune_status check_known(const gt_parse *p, const gt_expression *expression)
{
    const gt_template_step *first = &p->parts->steps[0];
    for (int i = 0; expression && i < 3; i++) {
        bool uses = (gt_counters_used(first->grid.items[i]) &&
                     gt_expression_uses(expression, GT_SLOT_GRID + i)) ||
                    (gt_counters_used(first->block.items[i]) &&
                     gt_expression_uses(expression, GT_SLOT_BLOCK + i));
        GT_REFUSE_AT(uses, expression->place,
                     "'%s' uses the grid or block of the first launch(), which changes in "
                     "its loop; expected problem values and tunables",
                     expression->text);
    }
    return GPUTUNE_OK;
}

/* A buffer in whose place another one comes has its alignment. */
static void join_vectors(gt_template *template, const gt_template_parts *parts)
{
    for (uint32_t o = 0; o < parts->order_count; o++) {
        const gt_order *order = &parts->orders[o];
        const uint64_t both = UINT64_C(1) << order->index | UINT64_C(1) << order->other;
        for (uint32_t i = 0; order->kind == GT_ORDER_SWAP && i < template->axis_count; i++) {
            gt_axis *axis = &template->axes[i];
            bool touches = axis->kind == GT_AXIS_VECTOR && (axis->buffers & both);
            axis->buffers |= touches ? both : 0;
        }
    }
}

gputune_status gt_loops_finish(gt_parse *p)
{
    gt_template_parts *parts = p->parts;
    GT_REFUSE_AT(parts->has_loops && !parts->is_pipeline, parts->orders[0].place,
                 "a loop without launch(); expected launch(KERNEL, …) in it");
    while (parts->open_loops > 0) {
        GT_TRY(end_loop(p, parts->orders[parts->order_count - 1].place));
    }
    for (uint32_t i = 0; i < parts->require_count; i++) {
        GT_TRY(check_known(p, parts->requires[i]));
    }
    for (uint32_t i = p->template->argument_count; i < p->template->parameter_count; i++) {
        for (int k = 0; k < 3; k++) {
            GT_TRY(check_known(p, p->template->arguments[i].extents[k]));
        }
    }
    join_vectors(p->template, parts);
    return GPUTUNE_OK;
}
