/* Reads the grid, the lengths and the scalars of a launch. */
#include "draft/call_parts.h"
#include "kernel/types.h"

#include "base/number.h"

#include <string.h>

bool gt_call_is_size(const gt_trace_leaf *leaf)
{
    return !leaf->is_axis && !leaf->is_number && (leaf->in_grid || leaf->in_length) &&
           strncmp(leaf->name, "sizeof_", 7) != 0;
}

/* Appends the value as text; false: it is not understood. */
bool gt_call_append(gt_caller *c, gt_text *out, gt_text *divided, gt_call_use how,
                    const char *prefix, gt_span span, const gt_site *site, const char *suffix)
{
    gt_tracer *t = &c->tracer;
    t->in_grid = how == GT_CALL_GRID;
    gt_expression *expression = gt_trace(t, prefix, span, site, suffix);
    t->in_grid = false;
    bool printed = expression && gt_expression_print(out, divided, expression, t->names);
    bool divides = strchr(gt_text_string(out), '/') || strstr(gt_text_string(out), "ceil_div");
    bool has_axis = false;
    for (size_t i = 0; i < t->leaf_count && printed; i++) {
        has_axis |= t->leaves[i].is_axis && gt_expression_uses(expression, (int)i);
    }
    if ((how == GT_CALL_NONE || (how == GT_CALL_LENGTH && !divides)) && has_axis &&
        !t->without_axes) { /* a size that is told in blocks */
        gt_expression_free(expression);
        gt_text_free(out);
        t->without_axes = true;
        printed = gt_call_append(c, out, divided, how, prefix, span, site, suffix);
        t->without_axes = false;
        return printed;
    }
    for (size_t i = 0; i < t->leaf_count && printed; i++) {
        if (!gt_expression_uses(expression, (int)i)) {
            continue;
        }
        t->leaves[i].in_grid |= how == GT_CALL_GRID;
        t->leaves[i].in_length |= how == GT_CALL_LENGTH;
        c->is_pinned |= how == GT_CALL_LENGTH && t->leaves[i].is_axis && divides;
    }
    bool unnamed = false;
    for (size_t i = 0; i < t->leaf_count && printed && how == GT_CALL_NONE; i++) {
        unnamed |= gt_expression_uses(expression, (int)i) && !gt_call_is_size(&t->leaves[i]);
    }
    if (printed && (unnamed || strstr(gt_text_string(out), "sizeof_"))) {
        gt_text_free(out);
        printed = false;
    }
    gt_expression_free(expression);
    return printed;
}

/* A grid of numbers does not follow a block that is an axis: the kernel's own extents do. */
static bool is_literal(const gt_caller *c)
{
    bool literal = false, axes = false;
    for (int d = 0; d < 3; d++) {
        const char *text = gt_text_string(&c->call->grid[d]);
        literal |= text[0] && strspn(text, "0123456789") == strlen(text) && strcmp(text, "1") != 0;
        axes |= text[0] && strspn(text, "0123456789") < strlen(text);
    }
    bool varies = false;
    for (size_t i = 0; i < c->tracer.leaf_count; i++) {
        varies |= c->tracer.leaves[i].is_axis;
    }
    return literal && !axes && varies;
}

static void read_grid(gt_caller *c)
{
    gt_span span, item;
    for (int d = 0; d < 3; d++) {
        gt_site site = c->site;
        c->tracer.dimension = d;
        if (!gt_program_item_at(c->program, &span, c->launch.config, 0) ||
            !gt_trace_component(&c->tracer, &span, &site, d) || span.first >= span.end) {
            continue;
        }
        gt_text_free(&c->call->grid[d]);
        if (gt_call_append(c, &c->call->grid[d], &c->call->divided, GT_CALL_GRID, "", span, &site,
                           "")) {
            c->call->grid_dimensions = (uint32_t)d + 1;
        }
    }
    if (is_literal(c)) {
        c->call->grid_dimensions = 0;
    }
    c->tracer.dimension = 0;
    gt_text_free(&c->call->shared);
    if (gt_program_item_at(c->program, &item, c->launch.config, 2)) {
        (void)gt_call_append(c, &c->call->shared, NULL, GT_CALL_GRID, "", item, &c->site, "");
    }
}

/* The name of the pointer that a value is or begins in: `d_x`, `(float2 *)d_x + n`, `&d_x[4]`. */
static size_t pointer_name(const gt_program *program, gt_span span)
{
    span = gt_program_strip(program, span);
    while (span.first < span.end && gt_program_is_any(program, span.first, "& *")) {
        span = gt_program_strip(program, (gt_span){span.first + 1, span.end});
    }
    for (size_t i = span.first; i < span.end; i++) {
        bool is_name = program->tokens.items[i].kind == GT_TOKEN_NAME;
        if (is_name && !gt_program_is_any(program, i + 1, "( ::")) {
            return i;
        }
    }
    return 0;
}

/* An argument of the function's call whose first one is that pointer, and where the call is. */
static bool find_argument(gt_span *out, gt_site *site, const gt_program *program, gt_span within,
                          const gt_token *name, const char *function, size_t index)
{
    for (size_t i = within.first; i + 1 < within.end; i++) {
        gt_span items, pointer;
        if (!gt_program_is(program, i, function) || !gt_program_is(program, i + 1, "(")) {
            continue;
        }
        items = (gt_span){i + 2, gt_program_close(program, i + 1)};
        size_t at =
            gt_program_item_at(program, &pointer, items, 0) ? pointer_name(program, pointer) : 0;
        if (at && gt_token_equals(&program->tokens.items[at], name) &&
            gt_program_item_at(program, out, items, index)) {
            *site = (gt_site){i, gt_program_function_at(program, i), NULL};
            return true;
        }
    }
    return false;
}

/* The bytes that the program allocates for, or copies to, a pointer of that name. */
static bool find_bytes(gt_span *out, gt_site *site, const gt_program *program, gt_span within,
                       const gt_token *name)
{
    static const struct {
        const char *function;
        size_t bytes;
    } sources[] = {{"cudaMalloc", 1},    {"cudaMallocManaged", 1}, {"cudaMallocAsync", 1},
                   {"cudaHostAlloc", 1}, {"cudaMallocHost", 1},    {"cudaHostRegister", 1},
                   {"cudaMemcpy", 2},    {"cudaMemcpyAsync", 2},   {"cudaMemset", 2}};
    size_t s = 0;
    while (
        s < sizeof sources / sizeof *sources &&
        !find_argument(out, site, program, within, name, sources[s].function, sources[s].bytes)) {
        s++;
    }
    return s < sizeof sources / sizeof *sources;
}

/* The same through the functions that pass the pointer on. */
static bool trace_bytes(gt_span *out, gt_site *site, const gt_caller *c, gt_span value)
{
    enum { HOPS = 6 };
    const gt_program *program = c->program;
    gt_site from = c->site;
    for (int hop = 0; hop < HOPS; hop++) {
        size_t name = pointer_name(program, value);
        gt_found found;
        if (!name) {
            return false;
        }
        const gt_token *token = &program->tokens.items[name];
        if (from.function && find_bytes(out, site, program, from.function->body, token)) {
            return true;
        }
        size_t index;
        bool is_local = from.function &&
                        gt_program_parameter(program, from.function->parameters, token, &index);
        if (!is_local && find_bytes(out, site, program, (gt_span){0, program->code}, token)) {
            return true;
        }
        if (find_argument(&value, &from, program, (gt_span){0, program->code}, token,
                          "cudaHostGetDevicePointer", 1)) {
            continue;
        }
        if (!gt_program_find(&found, program, &from, name) ||
            found.value.first >= found.value.end) {
            return false;
        }
        value = found.value;
        from = found.site;
    }
    return false;
}

static void read_length(gt_caller *c, uint32_t index)
{
    const gt_function_parameter *parameter = &c->draft->parameters[index];
    gt_span value, bytes;
    gt_site site;
    char by[3 * GT_NAME_MAX];
    gt_text *out = &c->call->parameters[index].length,
            *unknown = &c->call->parameters[index].unknown;
    gt_text_free(out);
    gt_text_free(unknown);
    if (!gt_program_item_at(c->program, &value, c->launch.arguments, index)) {
        return;
    }
    if (!trace_bytes(&bytes, &site, c, value)) {
        size_t name = pointer_name(c->program, value);
        const gt_token *token = name ? &c->program->tokens.items[name] : NULL;
        gt_text_printf(unknown, "found no cudaMalloc() of '%.*s'", token ? (int)token->length : 0,
                       token ? token->text : "");
        return;
    }
    char type[GT_NAME_MAX];
    bool by_macro;
    const gt_draft_constant *constant = gt_draft_constant_of(c->draft, parameter->words);
    memcpy(type, constant && constant->type[0] ? constant->type : parameter->words, sizeof type);
    int64_t size = gt_trace_bytes(c->program, type, &by_macro);
    if (size > 0) {
        (void)gt_snprintf(by, sizeof by, ") / %lld", (long long)size);
    } else {
        const char *name = parameter->words;
        (void)gt_snprintf(by, sizeof by, ") / sizeof_%s", name);
        bool is_there = false;
        char leaf[2 * GT_NAME_MAX];
        (void)gt_snprintf(leaf, sizeof leaf, "sizeof_%s", name);
        for (size_t i = 0; i < c->tracer.leaf_count; i++) {
            is_there |= strcmp(c->tracer.leaves[i].name, leaf) == 0;
        }
        if (!is_there) {
            (void)gt_trace_add(&c->tracer, leaf, 0, -1);
        }
    }
    if (!gt_call_append(c, out, NULL, GT_CALL_LENGTH, "(", bytes, &site, by) ||
        strcmp(gt_text_string(out), "0") == 0) { /* as a variable begins */
        gt_text_free(out);
        gt_text_printf(unknown, "cannot read the size of its cudaMalloc() in line %d",
                       c->program->tokens.items[site.at].line);
    }
}

/* `h_x[i] = rand() % K` of what is copied to the pointer. */
static void read_fill(gt_caller *c, uint32_t index)
{
    const gt_program *program = c->program;
    gt_span value, items, pointer, source;
    gt_text *out = &c->call->parameters[index].fill;
    gt_text_free(out);
    size_t own = gt_program_item_at(program, &value, c->launch.arguments, index)
                     ? pointer_name(program, value)
                     : 0;
    for (size_t i = 0; i + 1 < program->code && own; i++) {
        if (!gt_program_is(program, i, "cudaMemcpy") || !gt_program_is(program, i + 1, "(")) {
            continue;
        }
        items = (gt_span){i + 2, gt_program_close(program, i + 1)};
        size_t to =
            gt_program_item_at(program, &pointer, items, 0) ? pointer_name(program, pointer) : 0;
        size_t from =
            gt_program_item_at(program, &source, items, 1) ? pointer_name(program, source) : 0;
        if (!to || !from || !gt_program_same(program, to, own)) {
            continue;
        }
        for (size_t k = 0; k + 8 < program->code; k++) {
            size_t set =
                gt_program_is(program, k + 1, "[") ? gt_program_close(program, k + 1) + 1 : 0;
            if (!set || !gt_program_same(program, k, from) || !gt_program_is(program, set, "=") ||
                !gt_program_is(program, set + 1, "rand") || !gt_program_is(program, set + 4, "%")) {
                continue;
            }
            const gt_span bound = gt_program_statement(program, set + 5);
            gt_site site = {k, gt_program_function_at(program, k), NULL};
            (void)gt_call_append(c, out, NULL, GT_CALL_NONE, "", bound, &site, " - 1");
            return;
        }
    }
}

static void read_scalar(gt_caller *c, uint32_t index)
{
    const gt_function_parameter *parameter = &c->draft->parameters[index];
    gt_text *out = &c->call->parameters[index].value;
    gt_span value;
    gt_site site = c->site;
    size_t identities[GT_TRACE_CHAIN];
    gt_text_free(out);
    for (size_t i = 0; i < c->tracer.leaf_count; i++) {
        const gt_trace_leaf *leaf = &c->tracer.leaves[i];
        if (leaf->parameter == (int)index && !leaf->is_number &&
            strcmp(leaf->name, parameter->name) == 0) {
            c->call->parameters[index].is_size = leaf->in_grid || leaf->in_length;
            if (c->call->parameters[index].is_size || !leaf->has_value) {
                return;
            }
        }
    }
    if (!gt_program_item_at(c->program, &value, c->launch.arguments, index)) {
        return;
    }
    gt_span end = value;
    gt_site at = site;
    (void)gt_trace_chain(identities, &c->tracer, &end, &at);
    bool minus = gt_program_is(c->program, end.first, "-");
    const gt_token *token = &c->program->tokens.items[end.first + minus];
    if (end.end == end.first + 1 + minus && token->kind == GT_TOKEN_NUMBER &&
        memchr(token->text, '.', token->length)) {
        gt_text_printf(out, "%s%.*s", minus ? "-" : "", (int)token->length, token->text);
        return;
    }
    if (gt_token_is(token, "true") || gt_token_is(token, "false")) {
        gt_text_append(out, gt_token_is(token, "true") ? "1" : "0");
        return;
    }
    (void)gt_call_append(c, out, NULL, GT_CALL_NONE, "", value, &site, "");
}

void gt_call_read_values(gt_caller *c)
{
    gt_text_free(&c->call->divided);
    read_grid(c);
    for (uint32_t i = 0; i < c->draft->parameter_count; i++) {
        if (c->draft->parameters[i].pointer) {
            read_length(c, i);
        }
    }
    for (uint32_t i = 0; i < c->draft->parameter_count; i++) {
        if (c->draft->parameters[i].pointer) {
            read_fill(c, i);
        } else {
            read_scalar(c, i);
        }
    }
}
