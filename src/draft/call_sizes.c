/* Chooses a problem's sizes, and writes what follows from them. */
#include "draft/call_parts.h"
#include "kernel/types.h"

#include "base/number.h"

#include <string.h>

enum { LENGTH_MAX = 1 << 22 }; /* elements, where the program does not say how many */

/* What is no size of the problem is a number: what the program says and no parameter takes, unless
 * both the grid and a length depend on it. */
void gt_call_settle_leaves(gt_tracer *t)
{
    for (size_t i = 0; i < t->leaf_count; i++) {
        gt_trace_leaf *leaf = &t->leaves[i];
        bool is_used = leaf->parameter >= 0 ? leaf->in_grid || leaf->in_length
                                            : leaf->in_grid && leaf->in_length;
        leaf->is_number |= leaf->has_value && !leaf->is_axis && (!is_used || leaf->value <= 0);
    }
}

static bool fits(gt_caller *c, const int64_t *slots, const gt_text *text)
{
    int64_t value = 0;
    gt_expression *expression = gt_call_read_text(c, gt_text_string(text), text->length);
    bool fits =
        text->length == 0 ||
        (expression && gt_expression_try(&value, expression, slots) == NULL && value <= LENGTH_MAX);
    gt_expression_free(expression);
    return fits;
}

/* What the kernel reads as vectors, by a cast of the pointer, is a whole number of them. */
void gt_call_read_casts(gt_caller *c)
{
    const gt_program *program = c->program;
    const gt_program_function *own = gt_draft_program_function(c->draft);
    for (size_t i = own ? own->body.first : 0; own && i < own->body.end; i++) {
        size_t at = i - 1 - gt_program_is(program, i - 1, "(");
        char name[GT_NAME_MAX], type[GT_NAME_MAX];
        gt_element element;
        gt_draft_token_text(name, sizeof name, &program->tokens.items[i]);
        uint32_t index = gt_call_parameter_of(c->draft, name);
        bool is_cast = index < c->draft->parameter_count && gt_program_is(program, at - 1, "*") &&
                       (gt_program_is_any(program, at, ") >"));
        if (!is_cast || c->call->parameters[index].length.length == 0) {
            continue;
        }
        gt_draft_token_text(type, sizeof type, &program->tokens.items[at - 2]);
        const gt_function_parameter *parameter = &c->draft->parameters[index];
        uint32_t bytes = parameter->has_type ? parameter->element.bytes : 0;
        if (bytes > 0 && gt_element_from_name(&element, type) && element.bytes > bytes) {
            const char *length = gt_text_string(&c->call->parameters[index].length);
            gt_text_printf(&c->call->divided,
                           strpbrk(length, " ,") ? "#pragma gputune require((%s) %% %u == 0)\n"
                                                 : "#pragma gputune require(%s %% %u == 0)\n",
                           length, element.bytes / bytes);
        }
    }
}

/* Leaves out what the program's own values do not keep: it leaves a rest. */
void gt_call_keep_true(gt_caller *c)
{
    gt_text kept = {0};
    const char *line = gt_text_string(&c->call->divided), *end;
    for (; (end = strchr(line, '\n')); line = end + 1) {
        int64_t value = 0;
        const char *open = strchr(line, '(') + 1;
        gt_expression *expression = gt_call_read_text(c, open, (size_t)(end - open) - 1);
        bool holds = expression && (!gt_trace_value(&value, &c->tracer, expression) || value != 0);
        char text[1024];
        (void)gt_snprintf(text, sizeof text, "%.*s\n", (int)(end - line), line);
        if (holds && (size_t)(end - line) + 2 < sizeof text &&
            !strstr(gt_text_string(&kept), text)) {
            gt_text_append(&kept, text);
        }
        gt_expression_free(expression);
    }
    gt_text_free(&c->call->divided);
    c->call->divided = kept;
}

/* Every buffer once, and twice what is read and written. */
void gt_call_write_work(gt_caller *c)
{
    gt_draft *draft = c->draft;
    gt_text sum = {0};
    for (uint32_t i = 0; i < draft->buffer_count; i++) {
        const gt_draft_buffer *buffer = &draft->buffers[i];
        const gt_function_parameter *parameter = &draft->parameters[buffer->parameter];
        const gt_text *length = &c->call->parameters[buffer->parameter].length;
        bool twice = strcmp(gt_draft_direction(draft, buffer), "inout") == 0;
        if (!parameter->has_type || length->length == 0) {
            gt_text_free(&sum);
            return;
        }
        gt_text_printf(&sum, "%s%u * (%s)", i ? " + " : "",
                       parameter->element.bytes * (twice ? 2U : 1U), gt_text_string(length));
    }
    gt_expression *expression = gt_call_read_text(c, gt_text_string(&sum), sum.length);
    if (expression) {
        (void)gt_expression_print(&c->call->work, NULL, expression, c->tracer.names);
    }
    gt_expression_free(expression);
    gt_text_free(&sum);
}

/* One value for all sizes that the program does not say: as large as all lengths allow. */
static void choose_value(gt_caller *c)
{
    c->chosen = INT64_C(1) << 20;
    for (bool all = false; c->chosen > 32 && !all; c->chosen /= all ? 1 : 2) {
        int64_t slots[GT_SLOT_MAX] = {0};
        all = true;
        for (size_t i = 0; i < c->tracer.leaf_count; i++) {
            const gt_trace_leaf *leaf = &c->tracer.leaves[i];
            slots[i] = leaf->has_value ? leaf->value : c->chosen;
        }
        for (uint32_t i = 0; i < c->draft->parameter_count; i++) {
            all &= fits(c, slots, &c->call->parameters[i].length);
        }
        for (int d = 0; d < 3; d++) {
            all &= fits(c, slots, &c->call->grid[d]);
        }
        for (uint32_t i = 0; i < c->draft->buffer_count; i++) {
            const gt_draft_buffer *buffer = &c->draft->buffers[i];
            bool told = c->call->parameters[buffer->parameter].length.length > 0;
            gt_polynomial whole = gt_draft_whole_problem(c->draft);
            const gt_polynomial *length = buffer->length.known ? &buffer->length : &whole;
            all &= told || gt_polynomial_value(length, gt_call_value, c) <= LENGTH_MAX;
        }
    }
}

/* The value as the program writes it, or that it has none. */
static void append_origin(gt_caller *c, gt_span span)
{
    enum { MOST = 12 };
    gt_text_append(&c->call->sizes, span.first < span.end ? "" : "no value");
    for (size_t i = span.first; i < span.end && i < span.first + MOST; i++) {
        const gt_token *token = &c->program->tokens.items[i];
        bool apart = i > span.first && token[-1].text + token[-1].length < token->text;
        gt_text_append(&c->call->sizes, apart ? " " : "");
        gt_text_append_bytes(&c->call->sizes, token->text, token->length);
    }
    gt_text_append(&c->call->sizes, span.end > span.first + MOST ? " …" : "");
}

void gt_call_write_sizes(gt_caller *c)
{
    choose_value(c);
    for (size_t i = 0; i < c->tracer.leaf_count; i++) {
        const gt_trace_leaf *leaf = &c->tracer.leaves[i];
        if (!gt_call_is_size(leaf)) {
            continue;
        }
        int64_t value = leaf->has_value && leaf->value > 0 ? leaf->value : c->chosen;
        bool power = value >= 1024 && (value & (value - 1)) == 0;
        if (!leaf->has_value) {
            gt_text_printf(&c->call->sizes, "// ? '%s': the program has ", leaf->name);
            append_origin(c, leaf->origin);
            gt_text_append(&c->call->sizes, " for it; a value to measure at\n");
        }
        gt_text_printf(&c->call->sizes,
                       power ? "#pragma gputune problem(%s = 1 << %lld)\n"
                             : "#pragma gputune problem(%s = %lld)\n",
                       leaf->name,
                       power ? (long long)__builtin_ctzll((uint64_t)value) : (long long)value);
    }
}
