/* Reads the grid, the lengths and the scalars of a launch, and chooses the problem's sizes. */
#include "draft/call_parts.h"

#include "kernel/types.h"

#include "base/number.h"

#include <stdlib.h>
#include <string.h>

static bool is_size(const gt_trace_leaf *leaf)
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
        unnamed |= gt_expression_uses(expression, (int)i) && !is_size(&t->leaves[i]);
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
    /* threads that nothing compares with a size, in one block */
    c->is_pinned |= c->call->grid_dimensions == 1 && c->draft->dimensions[0].is_guessed &&
                    c->draft->dimensions[0].has_threads &&
                    strcmp(gt_text_string(&c->call->grid[0]), "1") == 0;
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
    const unsigned long long number = strtoull(gt_text_string(out), NULL, 10);
    bool is_int = parameter->has_type && parameter->element.type == GT_TYPE_I32;
    if (is_int && number > INT32_MAX && number <= UINT32_MAX) { /* 0xdeadbeef */
        gt_text_free(out);
        gt_text_printf(out, "%d", (int)(int32_t)number);
    }
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

static bool fits(gt_caller *c, const int64_t *slots, const gt_text *text, bool positive)
{
    int64_t value = 0;
    gt_expression *expression = gt_call_read_text(c, gt_text_string(text), text->length);
    bool fits =
        text->length == 0 || (expression && gt_expression_try(&value, expression, slots) == NULL &&
                              value >= positive && value <= LENGTH_MAX);
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

/* The next condition of those lines, in its brackets; false: there is none left. */
static bool next_condition(gt_expression **out, gt_caller *c, const char **line)
{
    const char *end = strchr(*line, '\n');
    if (end) {
        const char *open = strchr(*line, '(') + 1;
        *out = gt_call_read_text(c, open, (size_t)(end - open) - 1);
        *line = end + 1;
    }
    return end != NULL;
}

/* Leaves out what the program's own values do not keep: it leaves a rest. */
void gt_call_keep_true(gt_caller *c)
{
    gt_text kept = {0};
    gt_expression *expression;
    const char *line = gt_text_string(&c->call->divided);
    for (const char *next = line; next_condition(&expression, c, &next); line = next) {
        int64_t value = 0;
        bool holds = expression && (!gt_trace_value(&value, &c->tracer, expression) || value != 0);
        char text[1024];
        (void)gt_snprintf(text, sizeof text, "%.*s", (int)(next - line), line);
        if (holds && (size_t)(next - line) + 2 < sizeof text &&
            !strstr(gt_text_string(&kept), text)) {
            gt_text_append(&kept, text);
        }
        gt_expression_free(expression);
    }
    gt_text_free(&c->call->divided);
    c->call->divided = kept;
}

/* Whether what must divide does. */
static bool keeps_conditions(gt_caller *c, const int64_t *slots)
{
    gt_expression *expression;
    bool keeps = true;
    for (const char *line = gt_text_string(&c->call->divided);
         keeps && next_condition(&expression, c, &line);) {
        int64_t value = 0;
        keeps = expression && gt_expression_try(&value, expression, slots) == NULL && value != 0;
        gt_expression_free(expression);
    }
    return keeps;
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

/* Whether all lengths allow the chosen value; strict: 1, and none is 0, 2, and what must divide
 * does.
 */
static bool is_possible(gt_caller *c, int strict)
{
    int64_t slots[GT_SLOT_MAX] = {0};
    bool all = true;
    for (size_t i = 0; i < c->tracer.leaf_count; i++) {
        const gt_trace_leaf *leaf = &c->tracer.leaves[i];
        slots[i] = leaf->has_value ? leaf->value : c->chosen;
    }
    for (uint32_t i = 0; i < c->draft->parameter_count; i++) {
        all &= fits(c, slots, &c->call->parameters[i].length, strict > 0);
    }
    for (int d = 0; d < 3; d++) {
        all &= fits(c, slots, &c->call->grid[d], strict > 0);
    }
    for (uint32_t i = 0; i < c->draft->buffer_count; i++) {
        const gt_draft_buffer *buffer = &c->draft->buffers[i];
        bool told = c->call->parameters[buffer->parameter].length.length > 0;
        gt_polynomial whole = gt_draft_whole_problem(c->draft);
        const gt_polynomial *length = buffer->length.known ? &buffer->length : &whole;
        all &= told || gt_polynomial_value(length, gt_call_value, c) <= LENGTH_MAX;
    }
    return all && (strict < 2 || keeps_conditions(c, slots));
}

/* One value for all sizes that the program does not say: as large as all lengths allow, and so that
 * what must divide does. */
static void choose_value(gt_caller *c)
{
    enum { MOST = 1 << 20, LEAST = 32, ODD = 3 };
    bool found = false;
    for (int strict = 2; strict >= 0 && !found; strict--) {
        for (int odd = 1; odd <= ODD && !found; odd += 2) {
            for (c->chosen = odd * (MOST / (odd > 1 ? 4 : 1));
                 c->chosen > LEAST && !(found = is_possible(c, strict)); c->chosen /= 2) {
            }
        }
    }
    c->chosen = found ? c->chosen : LEAST;
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
        if (!is_size(leaf)) {
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
