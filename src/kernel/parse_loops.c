/* The pragmas for, end and swap: launches that follow each other more than once. */
#include "kernel/parse.h"

#include "base/text.h"
#include "kernel/types.h"

#include <string.h>

enum { USE = GT_USE_PROBLEM | GT_USE_AXIS | GT_USE_COUNTER };

gputune_status gt_parse_order(gt_order **out, gt_parse *parse, gt_order_kind kind, uint32_t index,
                              gt_place place)
{
    gt_template_parts *parts = parse->parts;
    GT_TRY(gt_check_room(parts->order_count, GT_ORDERS_MAX, "launch(), for(), end() and swap()",
                         place));
    parts->has_loops |= kind != GT_ORDER_LAUNCH;
    *out = &parts->orders[parts->order_count++];
    **out = (gt_order){.kind = kind, .index = index, .place = place};
    return GPUTUNE_OK;
}

/* Reads the expression that a text of our own making is, which stands where `place` is. */
static gputune_status read_text(const gt_expression **out, gt_parse *parse, const gt_text *text,
                                gt_place place)
{
    gt_lexer lexer;
    GT_TRY(text->failed ? gt_fail_memory() : GPUTUNE_OK);
    gt_lexer_open(&lexer, gt_text_string(text), text->length, place);
    GT_TRY(gt_read_integer_expression(out, parse, &lexer, USE));
    GT_EXPECT(lexer.token.kind == GT_TOKEN_END, &lexer, "')'");
    return GPUTUNE_OK;
}

/* `++i`, `i++`, `i += e`, `i = e` …: what the counter is next, as an expression. */
static gputune_status read_next(const gt_expression **out, gt_parse *parse, gt_lexer *body,
                                const char *counter)
{
    GT_SCOPED(gt_text_free) gt_text text = {0};
    const gt_place place = gt_lexer_place(body);
    bool in_front = gt_lexer_is(body, "++") || gt_lexer_is(body, "--"),
         down = gt_lexer_is(body, "--");
    if (in_front) {
        gt_lexer_next(body);
    }
    GT_EXPECT(gt_lexer_accept(body, counter), body,
              "what the counter is next, as in ++i, i += 2 or i /= 2");
    down |= gt_lexer_is(body, "--");
    if (in_front || gt_lexer_accept(body, "++") || gt_lexer_accept(body, "--")) {
        gt_text_printf(&text, "%s %c 1", counter, down ? '-' : '+');
        return read_text(out, parse, &text, place);
    }
    const gt_token sign = body->token;
    GT_EXPECT(gt_lexer_accept_any(body, "+= -= *= /= <<= >>= =") >= 0, body,
              "++, --, = or an assignment such as +=, *= or >>=");
    gt_place behind = gt_lexer_place(body);
    if (sign.length == 1) {
        return gt_read_integer_expression(out, parse, body, USE);
    }
    gt_text_printf(&text, "%s %.*s (", counter, (int)sign.length - 1, sign.text);
    behind.column -= (int)text.length; /* so that mistakes are placed where they stand */
    gt_text_printf(&text, "%.*s)", (int)(body->end - body->token.text), body->token.text);
    while (body->token.kind != GT_TOKEN_END) {
        gt_lexer_next(body);
    }
    return read_text(out, parse, &text, behind);
}

gputune_status gt_parse_for(gt_parse *parse, gt_lexer *body)
{
    gt_template_parts *parts = parse->parts;
    gt_order *order;
    char name[GT_NAME_MAX];
    GT_TRY(gt_check_room(parts->open_loops, GT_COUNTERS_MAX, "loops inside each other",
                         parse->clause->place));
    const gt_place place = gt_lexer_place(body);
    GT_TRY(gt_read_new_name(name, parse, body, "a counter, as in for(i = 0; i < n; ++i)"));
    GT_REFUSE_AT(GT_NAMED(parts->counters, parts->open_loops, name) >= 0, place,
                 "'%s' counts the loop around this one; expected another name", name);
    GT_TRY(gt_parse_order(&order, parse, GT_ORDER_FOR, parts->open_loops, parse->clause->place));
    GT_TRY(gt_lexer_expect(body, "="));
    GT_TRY(gt_read_integer_expression(&order->begin, parse, body, USE));
    memcpy(parts->counters[parts->open_loops++], name, sizeof name);
    GT_TRY(gt_lexer_expect(body, ";"));
    GT_TRY(gt_read_integer_expression(&order->condition, parse, body, USE));
    GT_TRY(gt_lexer_expect(body, ";"));
    return read_next(&order->next, parse, body, name);
}

/* Ends the innermost loop. */
static gputune_status end_loop(gt_parse *parse, gt_place place)
{
    gt_template_parts *parts = parse->parts;
    gt_order *order;
    const gt_order *last = &parts->orders[parts->order_count - 1];
    GT_REFUSE_AT(last->kind == GT_ORDER_FOR, last->place,
                 "for(%s) around no launch(); expected one behind it",
                 parts->counters[parts->open_loops - 1]);
    parts->open_loops--;
    return gt_parse_order(&order, parse, GT_ORDER_END, parts->open_loops, place);
}

gputune_status gt_parse_end(gt_parse *parse, gt_lexer *body)
{
    gt_template_parts *parts = parse->parts;
    char name[GT_NAME_MAX];
    const gt_place place = gt_lexer_place(body);
    GT_TRY(gt_name_read(name, sizeof name, body, "the counter of a for()"));
    GT_REFUSE_AT(parts->open_loops == 0, place,
                 "end(%s) behind no for(%s); expected one in front of it", name, name);
    const char *inner = parts->counters[parts->open_loops - 1];
    return strcmp(inner, name) == 0
               ? end_loop(parse, parse->clause->place)
               : gt_fail_at(place, "end(%s) in for(%s); expected end(%s)", name, inner, inner);
}

/* A buffer that may be swapped: the kernels may write it. */
static gputune_status read_swapped(uint32_t *index, gt_parse *parse, gt_lexer *body)
{
    const gt_place place = gt_lexer_place(body);
    GT_TRY(gt_read_taken_buffer(index, parse, body, true, "two buffers, as in swap(next, now)"));
    const gt_argument *buffer = gt_template_parameter(parse->template, *index);
    GT_REFUSE_AT(buffer->direction == GT_IN, place,
                 "'%s' is an input, which kernels must not write; expected it to be inout",
                 buffer->name);
    return GPUTUNE_OK;
}

gputune_status gt_parse_swap(gt_parse *parse, gt_lexer *body)
{
    gt_order *order;
    uint32_t first, second;
    GT_TRY(read_swapped(&first, parse, body));
    GT_TRY(gt_lexer_expect(body, ","));
    const gt_place place = gt_lexer_place(body);
    GT_TRY(read_swapped(&second, parse, body));
    const char *type = gt_template_parameter(parse->template, first)->type;
    const char *other = gt_template_parameter(parse->template, second)->type;
    GT_REFUSE_AT(first == second, place, "a buffer in its own place; expected another one");
    GT_REFUSE_AT(strcmp(type, other) != 0, place,
                 "a buffer of %s in the place of one of %s; expected equal types", other, type);
    GT_TRY(gt_parse_order(&order, parse, GT_ORDER_SWAP, first, parse->clause->place));
    order->other = second;
    return GPUTUNE_OK;
}

/* Outside of their loop, grid and block of the first launch() are unknown. */
static gputune_status check_known(const gt_parse *parse, const gt_expression *expression)
{
    const gt_template_step *first = &parse->parts->steps[0];
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

gputune_status gt_loops_finish(gt_parse *parse)
{
    gt_template_parts *parts = parse->parts;
    GT_REFUSE_AT(parts->has_loops && !parts->is_pipeline, parts->orders[0].place,
                 "a loop without launch(); expected launch(KERNEL, …) in it");
    while (parts->open_loops > 0) {
        GT_TRY(end_loop(parse, parts->orders[parts->order_count - 1].place));
    }
    for (uint32_t i = 0; i < parts->require_count; i++) {
        GT_TRY(check_known(parse, parts->requires[i]));
    }
    for (uint32_t i = 0; i < parts->scratch_count; i++) {
        for (uint32_t k = 0; k < parts->scratch[i].extent_count; k++) {
            GT_TRY(check_known(parse, parts->scratch[i].extents[k]));
        }
    }
    join_vectors(parse->template, parts);
    return GPUTUNE_OK;
}
