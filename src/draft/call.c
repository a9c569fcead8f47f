/* Reads what a kernel is launched with off its host program. */
#include "draft/call_parts.h"

#include "base/number.h"

#include <stdlib.h>
#include <string.h>

/* ---- the launch ------------------------------------------------------------------------------ */

/* `<<<` and `>>>`, with blanks or without. */
static bool is_joined(const gt_program *program, size_t at, const char *first, const char *second)
{
    return gt_program_is(program, at, first) && gt_program_is(program, at + 1, second);
}

/* With `open` on `<<<`. */
static bool read_launch(gt_call_launch *out, const gt_program *program, size_t open,
                        const char *kernel)
{
    size_t name = open - 1, close = open + 2;
    if (gt_program_is(program, name, ">")) {
        const gt_token *tokens = program->tokens.items;
        size_t end = name;
        for (int depth = -1; depth < 0 && name > 0 && !gt_program_is(program, name, ";");) {
            depth += gt_token_angles(&tokens[--name]);
        }
        out->types = (gt_span){name + 1, end};
        name -= name > 0;
    }
    while (close < program->code && !is_joined(program, close, ">>", ">")) {
        close = gt_program_is(program, close, "(") ? gt_program_close(program, close) : close;
        close++;
    }
    if (!gt_program_is(program, name, kernel) || !gt_program_is(program, close + 2, "(")) {
        return false;
    }
    out->at = name;
    out->config = (gt_span){open + 2, close};
    out->arguments = (gt_span){close + 3, gt_program_close(program, close + 2)};
    return true;
}

/* The kernel's next launch from there on. */
static bool find_launch(gt_caller *c, const char *kernel, size_t from)
{
    const gt_program *program = c->program;
    size_t needed = c->draft->parameter_count; /* arguments: what has a default may be left out */
    while (needed > 0 && c->draft->parameters[needed - 1].has_default) {
        needed--;
    }
    for (size_t i = from + 1; i + 1 < program->code; i++) {
        gt_call_launch found = {0};
        gt_span item;
        if (is_joined(program, i, "<<", "<") && read_launch(&found, program, i, kernel) &&
            (needed == 0 || gt_program_item_at(program, &item, found.arguments, needed - 1))) {
            c->launch = found;
            c->site = (gt_site){found.at, gt_program_function_at(program, found.at), NULL};
            return true;
        }
    }
    return false;
}

/* Whether the launch gives a template's parameter, which is the block in the code, another number
 * than its block: `if (n == 16) k<16><<<grid, block>>>()`, which the program does not come to. */
static bool is_impossible(gt_caller *c)
{
    for (uint16_t d = 0; d < 3; d++) {
        const char *name = gt_call_fixed_name(c, d);
        const gt_draft_constant *own = name ? gt_draft_constant_of(c->draft, name) : NULL;
        gt_span span;
        gt_site site = c->site;
        int64_t threads;
        if (own && own->is_template_parameter && own->has_value &&
            gt_program_item_at(c->program, &span, c->launch.config, 1) &&
            gt_trace_component(&c->tracer, &span, &site, d) && span.first < span.end &&
            gt_call_number_of(&threads, c, span, &site) && own->value != (double)threads) {
            return true;
        }
    }
    return false;
}

/* The first launch that is possible, or the first. */
static bool choose_launch(gt_caller *c, const char *kernel)
{
    for (bool any = true; find_launch(c, kernel, 0); any = false) {
        gt_call_read_template(c);
        while (any && is_impossible(c)) {
            if (!find_launch(c, kernel, c->launch.arguments.end)) {
                break;
            }
            gt_call_read_template(c);
        }
        if (!any || !is_impossible(c)) {
            return true;
        }
    }
    return false;
}

/* ---- all ------------------------------------------------------------------------------------- */

static void write_blocks(gt_caller *c)
{
    for (uint16_t d = 0; d < 3; d++) {
        gt_span span;
        gt_site site = c->site;
        c->tracer.dimension = d;
        if (c->draft->dimensions[d].has_threads && gt_call_fixed_name(c, d) && !c->is_pinned &&
            gt_program_item_at(c->program, &span, c->launch.config, 1) &&
            gt_trace_component(&c->tracer, &span, &site, d) && span.first < span.end) {
            (void)gt_call_append(c, &c->call->block[d], NULL, GT_CALL_GRID, "", span, &site, "");
        }
    }
}

void gt_call_read(gt_draft *draft)
{
    gt_caller *c = calloc(1, sizeof *c);
    char kernel[GT_NAME_MAX];
    if (!c) {
        draft->failed = true;
        return;
    }
    gt_draft_function_name(kernel, draft, &draft->function);
    c->draft = draft;
    c->program = c->tracer.program = draft->program;
    c->tracer.parameters = draft->parameters;
    c->tracer.parameter_count = draft->parameter_count;
    c->call = calloc(1, sizeof *c->call);
    draft->failed |= !c->call;
    if (!draft->failed && choose_launch(c, kernel)) {
        gt_call_bind(c);
        gt_call_read_values(c);
        if (c->is_pinned) {
            gt_call_bind(c);
            gt_call_read_values(c);
        }
        gt_call_note_fallbacks(c);
        gt_call_settle_leaves(&c->tracer);
        gt_call_read_values(c);
        gt_call_note_fallbacks(c);
        for (uint32_t i = 0; i < draft->parameter_count; i++) {
            const char *value = gt_text_string(&c->call->parameters[i].value);
            bool plain = strspn(value, "0123456789") == strlen(value);
            gt_text_printf(&c->call->parameters[i].enclosed, plain ? "%s" : "(%s)", value);
        }
        gt_call_read_casts(c);
        gt_call_keep_true(c);
        gt_call_write_work(c);
        write_blocks(c);
        gt_call_write_sizes(c);
        draft->call = c->call;
        c->call = NULL;
        draft->failed |= c->tracer.text.failed;
    }
    gt_call_free(c->call);
    gt_text_free(&c->tracer.text);
    free(c);
}

bool gt_call_is_launched(const gt_draft *draft)
{
    gt_caller c = {.draft = (gt_draft *)draft, .program = draft->program};
    char kernel[GT_NAME_MAX];
    gt_draft_function_name(kernel, draft, &draft->function);
    return find_launch(&c, kernel, 0);
}

void gt_call_free(gt_call *call)
{
    if (!call) {
        return;
    }
    for (int d = 0; d < 3; d++) {
        gt_text_free(&call->block[d]);
        gt_text_free(&call->grid[d]);
        gt_text_free(&call->extent[d]);
    }
    for (size_t i = 0; i < GT_PARAMETER_MAX; i++) {
        gt_text_free(&call->parameters[i].length);
        gt_text_free(&call->parameters[i].value);
        gt_text_free(&call->parameters[i].enclosed);
        gt_text_free(&call->parameters[i].unknown);
        gt_text_free(&call->parameters[i].fill);
    }
    gt_text_free(&call->sizes);
    gt_text_free(&call->shared);
    gt_text_free(&call->divided);
    gt_text_free(&call->work);
    free(call);
}
