/* Joins what a kernel's body says with what its launch does. */
#include "draft/call_parts.h"

#include "base/number.h"

#include <string.h>

gt_expression *gt_call_read_text(gt_caller *c, const char *text, size_t length)
{
    gt_expression *expression = NULL;
    gt_lexer lexer;
    gt_scope scope = {.slot = gt_trace_slot, .user = &c->tracer};
    gt_lexer_open(&lexer, text, length, (gt_place){"", 1, 1});
    return gt_expression_read(&expression, &lexer, &scope) == GPUTUNE_OK ? expression : NULL;
}

/* What a dimension of the grid and its blocks make up, where no comparison in the kernel says it.
 */
void gt_call_read_extent(gt_caller *c, uint16_t d)
{
    const char *grid = gt_text_string(&c->call->grid[d]), *slash = strstr(grid, " / ");
    static const char rounded[] = "ceil_div(";
    const char *comma = strrchr(grid, ',');
    double step;
    gt_text *out = &c->call->extent[d];
    gt_text_free(out);
    if (strncmp(grid, rounded, sizeof rounded - 1) == 0 && comma && !strpbrk(comma, "+-/")) {
        gt_text_printf(out, "(%.*s)", (int)(comma - grid - (sizeof rounded - 1)),
                       grid + sizeof rounded - 1);
    } else if (slash && !strpbrk(grid, "+-?")) {
        gt_text_printf(out, "(%.*s)", (int)(slash - grid), grid);
    } else if (gt_polynomial_is_number(&c->draft->dimensions[d].step, &step) && step <= 1) {
        gt_text_printf(out, "(%s)", grid);
    }
    gt_expression *expression = gt_call_read_text(c, gt_text_string(out), out->length);
    bool has_axis = !expression;
    for (size_t i = 0; i < c->tracer.leaf_count && expression; i++) {
        has_axis |= c->tracer.leaves[i].is_axis && gt_expression_uses(expression, (int)i);
    }
    for (size_t i = 0; i < c->tracer.leaf_count && !has_axis; i++) {
        c->tracer.leaves[i].in_length |= gt_expression_uses(expression, (int)i);
    }
    gt_text plain = {0};
    if (!has_axis && gt_expression_print(&plain, NULL, expression, c->tracer.names)) {
        bool is_name = !strpbrk(gt_text_string(&plain), " /*+-%");
        gt_text_free(out);
        gt_text_printf(out, is_name ? "%s" : "(%s)", gt_text_string(&plain));
    } else {
        gt_text_free(out);
    }
    gt_text_free(&plain);
    gt_expression_free(expression);
}

/* The text that stands for a size that the kernel does not name; "": it has a name of its own. */
const char *gt_call_extent(const gt_draft *draft, uint16_t symbol)
{
    for (uint16_t d = 0; d < 3 && draft->call; d++) {
        uint16_t size;
        if (gt_polynomial_is_symbol(&draft->dimensions[d].size, &size) && size == symbol) {
            return gt_text_string(&draft->call->extent[d]);
        }
    }
    return "";
}

static const char *last_part(const char *name)
{
    return strchr(name, '.') ? strchr(name, '.') + 1 : name;
}

uint32_t gt_call_parameter_of(const gt_draft *draft, const char *name)
{
    uint32_t index = 0;
    while (index < draft->parameter_count && strcmp(draft->parameters[index].name, name) != 0) {
        index++;
    }
    return index;
}

/* What the kernel's body says where the program does not: its parameters are sizes then. */
static void note_symbol(gt_caller *c, const gt_draft_symbol *symbol)
{
    gt_tracer *t = &c->tracer;
    const char *name = last_part(symbol->name);
    uint32_t index = gt_call_parameter_of(c->draft, name);
    bool is_parameter = index < c->draft->parameter_count;
    int found = gt_trace_slot(t, name);
    size_t leaf = (size_t)found;
    gt_span span;
    int64_t value = 0;
    if (found < 0) {
        bool given =
            is_parameter && gt_program_item_at(c->program, &span, c->launch.arguments, index);
        bool known = given && gt_call_number_of(&value, c, span, &c->site);
        gt_expression *made = given && !known ? gt_trace(t, "", span, &c->site, "") : NULL;
        for (size_t l = 0; l < t->leaf_count && made; l++) {
            t->leaves[l].in_length |= gt_expression_uses(made, (int)l);
        }
        gt_expression_free(made);
        if (made) {
            return; /* its value stands for it */
        }
        leaf = gt_trace_add(t, name, 0, is_parameter ? (int)index : -1);
        t->leaves[leaf].has_value = known;
        t->leaves[leaf].value = value;
    }
    t->leaves[leaf].in_length = t->leaves[leaf].in_grid = true;
}

static void note_polynomial(gt_caller *c, const gt_polynomial *p)
{
    gt_powers at = {0};
    for (const gt_power *power; (power = gt_polynomial_next(p, &at));) {
        const gt_draft_symbol *symbol = gt_draft_symbol_at(c->draft, power->symbol);
        if (symbol->kind == GT_DRAFT_PARAMETER ||
            (symbol->kind == GT_DRAFT_SIZE && !gt_call_extent(c->draft, power->symbol)[0])) {
            note_symbol(c, symbol);
        }
    }
}

double gt_call_value(const void *user, uint16_t symbol)
{
    const gt_caller *c = user;
    const gt_draft_symbol *own = gt_draft_symbol_at(c->draft, symbol);
    int leaf = gt_trace_slot((void *)&c->tracer, last_part(own->name));
    return leaf >= 0 && c->tracer.leaves[leaf].has_value ? (double)c->tracer.leaves[leaf].value
           : own->kind == GT_DRAFT_PARAMETER || own->kind == GT_DRAFT_SIZE ? (double)c->chosen
                                                                           : 16;
}

void gt_call_note_fallbacks(gt_caller *c)
{
    gt_draft *draft = c->draft;
    for (uint16_t d = 0; d < 3; d++) {
        gt_call_read_extent(c, d);
    }
    for (uint32_t i = 0; i < draft->buffer_count; i++) {
        const gt_draft_buffer *buffer = &draft->buffers[i];
        if (c->call->parameters[buffer->parameter].length.length > 0) {
            continue;
        }
        note_polynomial(c, &buffer->length);
        for (uint16_t d = 0; d < 3 && !buffer->length.known; d++) {
            note_polynomial(c, &draft->dimensions[d].size);
        }
    }
    for (uint16_t d = 0; d < 3 && c->call->grid_dimensions == 0; d++) {
        note_polynomial(c, &draft->dimensions[d].size);
        note_polynomial(c, &draft->dimensions[d].step);
    }
}
