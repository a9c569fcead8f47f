/* Reads the grid, the lengths and the scalars of a launch, and chooses the problem's sizes. */
#include "draft/trace.h"

#include "kernel/types.h"

#include "base/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_size(const gt_trace_leaf *leaf)
{
    return !leaf->is_axis && !leaf->is_number && !leaf->is_property &&
           (leaf->in_grid || leaf->in_length) && strncmp(leaf->name, "sizeof_", 7) != 0;
}

/* What an expression is for; blocks and shared memory are the launch's. */
typedef enum call_use { FOR_VALUE, FOR_LENGTH, FOR_GRID, FOR_LAUNCH } call_use;

/* The value as text, which the draft keeps; what must divide for it is appended to `divided`,
 * unless that is NULL. "": the value is not understood. `prefix` and `suffix` stand around the
 * value. */
static const char *print_value(gt_tracer *c, gt_texts *divided, call_use how, const char *prefix,
                               const gt_closure *value, const char *suffix)
{
    gt_text text = {0};
    const bool is_data = how < FOR_GRID, is_length = how == FOR_LENGTH;
    const bool is_count =
        how == FOR_GRID && value->span.end == value->span.first + 1; /* a number of its own */
    c->in_grid = !is_data && !is_count;
    GT_FREED gt_expression *expression = gt_trace(c, prefix, value, suffix);
    c->in_grid = false;
    if (!expression || !gt_expression_print(&text, NULL, expression, c->names)) {
        return "";
    }
    const char *out = gt_draft_keep(c->draft, &text);
    const bool divides = strstr(out, "/") || strstr(out, "ceil_div");
    const bool has_axis = gt_trace_has_axis(c, expression);
    bool unnamed = strstr(out, "sizeof_");
    for (size_t i = 0; i < c->leaf_count && is_data; i++) {
        const bool uses = gt_expression_uses(expression, (int)i);
        c->leaves[i].in_data |= has_axis && uses;
        unnamed |= uses && !is_length && !is_size(&c->leaves[i]) && !c->leaves[i].is_property;
    }
    if (has_axis && is_data && !(is_length && divides) && !c->without_axes) {
        c->without_axes = true; /* a size that is told in blocks */
        out = print_value(c, divided, how, prefix, value, suffix);
        c->without_axes = false;
        return out;
    }
    gt_trace_mark(c, expression, !is_data, is_length);
    c->is_pinned |= is_length && has_axis && divides;
    if (unnamed) {
        return "";
    }
    GT_SCOPED(gt_text_free) gt_text again = {0};
    c->draft->failed |= !gt_expression_print(&again, divided, expression, c->names);
    return out;
}

/* ---- lengths -------------------------------------------------------------------------------- */

/* The name of the pointer that a value is or begins in: `d_x`, `(float2 *)d_x + n`, `&d_x[4]`. */
static size_t pointer_name(const gt_program *p, gt_span span)
{
    span = gt_program_strip(p, span);
    while (gt_program_accept(p, &span, "& *")) {
        span = gt_program_strip(p, span);
    }
    for (size_t i = span.first; i < span.end; i++) {
        if (p->tokens.items[i].kind == GT_TOKEN_NAME && !gt_program_is(p, i + 1, "( ::") &&
            !gt_program_is(p, i, "this")) {
            return i;
        }
    }
    return 0;
}

/* The token of the pointer's name in the item at place `index`; 0: there is none. */
static size_t pointer_at(const gt_program *p, gt_span items, size_t index)
{
    gt_span item;
    return gt_program_item_at(p, &item, items, index) ? pointer_name(p, item) : 0;
}

/* Whether the pointer is a member, `NAME.a->b`. */
static bool is_member(const gt_program *p, size_t name)
{
    return gt_program_is(p, name + 1, ". ->");
}

/* Whether both are one pointer: the same name, and the same members of it; loosely: the last
 * members of something that a function calls otherwise than its caller. */
static bool is_same_pointer(const gt_program *p, size_t a, size_t b, bool loosely)
{
    bool same = loosely ? is_member(p, a) && is_member(p, b) : gt_program_same(p, a, b);
    while (same && (is_member(p, a) || is_member(p, b))) {
        same = loosely || (is_member(p, a) && is_member(p, b) && gt_program_same(p, a + 2, b + 2));
        a += is_member(p, a) ? 2 : 0;
        b += is_member(p, b) ? 2 : 0;
    }
    return same && gt_program_same(p, a, b);
}

/* An argument of the function's call whose first one is a pointer, and where the call is. */
typedef struct wanted {
    size_t pointer;
    bool loosely;
    const char *function;
    size_t index;
} wanted;

static bool find_argument(gt_closure *out, const gt_program *p, gt_span within, const wanted *w)
{
    const gt_token function = gt_token_of(w->function);
    gt_span arguments;
    for (size_t at; gt_program_call(p, &within, &function, &at, &arguments);) {
        const size_t pointer = pointer_at(p, arguments, 0);
        if (pointer && is_same_pointer(p, pointer, w->pointer, w->loosely) &&
            gt_program_item_at(p, &out->span, arguments, w->index)) {
            out->site = gt_program_site(p, at);
            return true;
        }
    }
    return false;
}

/* The bytes that the program allocates for, or copies to, a pointer of that name. */
static bool find_bytes(gt_closure *out, const gt_program *p, gt_span within, size_t name,
                       bool loosely)
{
    enum { ALLOCATING = 6 }; /* they have the bytes behind the pointer, the others one later */
    static const char *const sources[] = {"cudaMalloc",    "cudaMallocManaged", "cudaMallocAsync",
                                          "cudaHostAlloc", "cudaMallocHost",    "cudaHostRegister",
                                          "cudaMemcpy",    "cudaMemcpyAsync",   "cudaMemset"};
    bool found = false;
    for (size_t s = 0; s < sizeof sources / sizeof *sources && !found; s++) {
        const wanted wanted = {name, loosely, sources[s], s < ALLOCATING ? 1 : 2};
        found = find_argument(out, p, within, &wanted);
    }
    return found;
}

/* The same where a function allocates what it is given, `make(&NAME, n)`, and is read as its call
 * has it. */
static bool find_made(gt_closure *out, gt_tracer *c, size_t name)
{
    const gt_program *p = c->program;
    gt_span rest = {1, p->code};
    gt_taker taker;
    for (size_t i; gt_program_next(p, &rest, gt_token_at(p, name), &i);) {
        if (gt_program_is(p, i - 1, "&") && is_same_pointer(p, i, name, false) &&
            gt_program_taker(&taker, p, i - 1) &&
            find_bytes(out, p, taker.function->body, taker.parameter, false)) {
            c->made = taker.call;
            out->site.bound = &c->made;
            return true;
        }
    }
    return false;
}

/* Whether the span begins what a vector on the device is constructed from, `vector<T> NAME(n)`. */
static bool is_vectors(const gt_program *p, gt_span span)
{
    const size_t close = span.first - 3;
    return gt_program_is(p, close, ">") &&
           gt_program_is(p, gt_program_open_angle(p, close) - 1,
                         "device_vector universal_vector device_uvector");
}

/* The same, into the gt_closure `user`, through the functions that pass the pointer on; of a vector
 * its elements. */
static bool trace_bytes(void *user, gt_tracer *c, const gt_closure *pointer)
{
    enum { HOPS = 6 };
    gt_closure *out = user, value = *pointer;
    const gt_program *p = c->program;
    const gt_span all = {0, p->code};
    size_t name, index;
    for (int hop = 0; hop < HOPS && (name = pointer_name(p, value.span)); hop++) {
        const gt_program_function *function = value.site.function;
        gt_found found;
        bool is_local =
            function && gt_program_parameter(p, function->parameters, gt_token_at(p, name), &index);
        if ((function && find_bytes(out, p, function->body, name, false)) ||
            (!is_local && find_bytes(out, p, all, name, false)) ||
            find_bytes(out, p, all, name, true) || find_made(out, c, name)) {
            return true;
        }
        const wanted mapped = {name, false, "cudaHostGetDevicePointer", 1};
        if (find_argument(&value, p, all, &mapped)) {
            continue;
        }
        if (!gt_program_find(&found, p, &value.site, name) || gt_span_is_empty(found.value.span)) {
            return false;
        }
        value = found.value;
        if (is_vectors(p, value.span)) {
            out->site = value.site;
            return gt_program_item_at(p, &out->span, value.span, 0);
        }
    }
    return false;
}

/* Takes what is found of a member's value; false: the value is of no use. */
typedef bool (*take_fn)(void *user, gt_tracer *c, const gt_closure *value);

/* Gives `take` what the program has for a member of the struct that the launch gives as `value`:
 * the member itself, as in the allocation of a pointer, or what it is set to. false: `take` took
 * nothing. */
static bool trace_member(gt_tracer *c, gt_closure value, const char *member, take_fn take,
                         void *user)
{
    enum { HOPS = 6 };
    gt_program *p = c->draft->program;
    const size_t before = p->tokens.count;
    bool found = false, goes_on = true;
    size_t name;
    for (int hop = 0; hop < HOPS && goes_on && (name = pointer_name(p, value.span)); hop++) {
        char path[2 * GT_NAME_MAX];
        gt_found set;
        const char *own = GT_NAME(p, name);
        (void)gt_snprintf(path, sizeof path, "%s.%s", own, member);
        const gt_closure part = {gt_program_push(p, path), value.site};
        found =
            take(user, c, &part) || (gt_trace_part(&set, p, &part) && take(user, c, &set.value));
        p->tokens.count = before;
        goes_on = !found && gt_program_find(&set, p, &value.site, name);
        value = set.value;
    }
    return found;
}

size_t gt_call_count_allocations(gt_tracer *c)
{
    size_t count = 0;
    for (const gt_draft_argument *buffer = NULL;
         (buffer = gt_draft_next_buffer(c->draft, buffer));) {
        gt_closure value, bytes;
        count += gt_call_argument(c, &value, buffer) && trace_bytes(&bytes, c, &value);
    }
    return count;
}

static void read_length(gt_tracer *c, gt_draft_argument *buffer)
{
    const gt_function_parameter *parameter = &buffer->declared;
    const gt_draft_constant *constant = gt_draft_constant_of(c->draft, parameter->words);
    gt_closure value, bytes = {0};
    char name[GT_NAME_MAX];
    buffer->allocated = buffer->unknown = "";
    if (!gt_call_argument(c, &value, buffer->holder ? buffer->holder : buffer)) {
        return;
    }
    const char *member = buffer->holder ? strchr(parameter->name, '.') + 1 : NULL;
    if (member ? !trace_member(c, value, member, trace_bytes, &bytes)
               : !trace_bytes(&bytes, c, &value)) {
        const size_t pointer = member ? 0 : pointer_name(c->program, value.span);
        buffer->unknown = gt_draft_print(c->draft, "found no cudaMalloc() of '%s'",
                                         pointer ? GT_NAME(c->program, pointer) : parameter->name);
        return;
    }
    memcpy(name, constant && constant->type[0] ? constant->type : parameter->words, sizeof name);
    const int64_t size = is_vectors(c->program, bytes.span) ? 1 : gt_trace_bytes(c->program, name);
    const char *unit = size > 0 ? gt_draft_print(c->draft, "%lld", (long long)size)
                                : gt_draft_print(c->draft, "sizeof_%s", parameter->words);
    if (size <= 0 && gt_trace_slot(c, unit) < 0) {
        (void)gt_trace_add(c, unit, 0, NULL);
    }
    const char *length =
        print_value(c, NULL, FOR_LENGTH, "(", &bytes, gt_draft_print(c->draft, ") / %s", unit));
    if (length[0] && strcmp(length, "0") != 0) { /* as a variable begins */
        buffer->allocated = length;
        return;
    }
    buffer->unknown =
        gt_draft_print(c->draft, "cannot read the size of its cudaMalloc() in line %d",
                       c->program->tokens.items[bytes.site.at].line);
}

/* ---- the launch ------------------------------------------------------------------------------ */

/* A grid of numbers does not follow a block that is an axis: the kernel's own extents do. */
static bool is_literal(const gt_tracer *c)
{
    bool literal = false, named = false, varies = false;
    for (int d = 0; d < 3; d++) {
        const char *text = c->call->grid[d];
        const bool is_number = strspn(text, "0123456789") == strlen(text);
        literal |= is_number && text[0] && strcmp(text, "1") != 0;
        named |= !is_number;
    }
    for (size_t i = 0; i < c->leaf_count; i++) {
        varies |= c->leaves[i].is_axis;
    }
    return literal && !named && varies;
}

/* Whether the grid is a number of blocks that the program does not say and no length has, while the
 * kernel compares its index with a size. */
static bool is_unsaid(gt_tracer *c, int d)
{
    const int slot = gt_trace_slot(c, c->call->grid[d]);
    gt_trace_leaf *leaf = slot >= 0 ? &c->leaves[slot] : NULL;
    bool is = leaf && !leaf->has_value && !leaf->parameter && !leaf->in_length &&
              !c->draft->dimensions[d].is_guessed;
    if (is) {
        leaf->in_grid = false;
    }
    return is;
}

/* Whether each thread has its own element, which nothing compares with a size, and the number of
 * blocks does not follow the block. */
static bool needs_threads(gt_tracer *c, uint32_t d)
{
    const gt_draft_dimension *dimension = &c->draft->dimensions[d];
    GT_FREED gt_expression *expression = gt_trace_read(c, c->call->grid[d]);
    const bool follows = expression && gt_trace_has_axis(c, expression);
    bool is_only = true; /* one block */
    for (uint32_t i = 0; i < c->call->grid_dimensions; i++) {
        is_only &= strcmp(c->call->grid[i], "1") == 0;
    }
    return dimension->is_guessed && dimension->has_threads && !follows &&
           (is_only || gt_sum_has(&dimension->step, GT_DRAFT_BLOCK_DIM + (int)d));
}

static void read_grid(gt_tracer *c)
{
    gt_call *call = c->call;
    gt_closure value;
    bool unsaid = false;
    for (int d = 0; d < 3; d++) {
        c->dimension = d;
        if (gt_call_configured(c, &value, 0, d)) {
            call->grid[d] = print_value(c, &call->divided, FOR_GRID, "", &value, "");
            call->grid_dimensions = call->grid[d][0] ? (uint32_t)d + 1 : call->grid_dimensions;
            unsaid |= is_unsaid(c, d);
        }
    }
    call->grid_dimensions = unsaid || is_literal(c) ? 0 : call->grid_dimensions;
    for (uint32_t d = 0; d < call->grid_dimensions; d++) {
        c->is_pinned |= needs_threads(c, d);
    }
    c->dimension = 0;
    value.site = c->site;
    call->shared = gt_program_item_at(c->program, &value.span, c->launch.config, 2)
                       ? print_value(c, NULL, FOR_LAUNCH, "", &value, "")
                       : "";
}

static void write_blocks(gt_tracer *c)
{
    for (int d = 0; d < 3; d++) {
        const gt_draft_constant *own = gt_draft_fixed_constant(c->draft, d);
        const bool is_itself = own && own->has_value && own->value == (double)c->blocks[d].literal;
        gt_closure value;
        c->dimension = d;
        if (c->draft->dimensions[d].has_threads && gt_draft_fixed_name(c->draft, d) && !is_itself &&
            !c->is_pinned && gt_call_configured(c, &value, 1, d)) {
            c->call->block[d] = print_value(c, NULL, FOR_LAUNCH, "", &value, "");
        }
    }
}

/* ---- fills and scalars ----------------------------------------------------------------------- */

/* Where the program has `NAME[…] = rand() % K`, of that name, K; 0: nowhere. */
static size_t find_random(const gt_program *p, size_t name)
{
    gt_span rest = {0, p->code};
    for (size_t i; gt_program_next(p, &rest, gt_token_at(p, name), &i);) {
        const size_t set = gt_program_is(p, i + 1, "[") ? gt_program_close(p, i + 1) + 1 : i;
        if (gt_program_is(p, set, "=") && gt_program_is(p, set + 1, "rand") &&
            gt_program_is(p, set + 4, "%")) {
            return set + 5;
        }
    }
    return 0;
}

/* `h_x[i] = rand() % K` of what is copied to the pointer. */
static void read_fill(gt_tracer *c, gt_draft_argument *buffer)
{
    const gt_program *p = c->program;
    const gt_token copy = gt_token_of("cudaMemcpy");
    gt_span copies = {0, p->code}, arguments;
    gt_closure given;
    const size_t own = gt_call_argument(c, &given, buffer) ? pointer_name(p, given.span) : 0;
    buffer->fill = "";
    for (size_t at; own && gt_program_call(p, &copies, &copy, &at, &arguments);) {
        const size_t to = pointer_at(p, arguments, 0), from = pointer_at(p, arguments, 1);
        const size_t bound = to && from && gt_program_same(p, to, own) ? find_random(p, from) : 0;
        if (bound) {
            const gt_closure most = {gt_program_statement(p, bound), gt_program_site(p, bound)};
            buffer->fill = print_value(c, NULL, FOR_VALUE, "", &most, " - 1");
            return;
        }
    }
}

/* Whether the parameter is a size that is named like it, or a variable without a value. */
static bool is_own_size(gt_tracer *c, gt_draft_argument *own)
{
    const int slot = gt_trace_slot(c, own->declared.name);
    const gt_trace_leaf *leaf = slot >= 0 ? &c->leaves[slot] : NULL;
    if (!leaf || leaf->parameter != own || (leaf->is_number && !leaf->is_assumed)) {
        return false;
    }
    own->is_size = leaf->in_grid || leaf->in_length;
    return own->is_size || !leaf->has_value || leaf->is_assumed;
}

/* What a scalar gets, into the text `user`. */
static bool take_value(void *user, gt_tracer *c, const gt_closure *value)
{
    const gt_program *p = c->program;
    const char **out = user;
    size_t identities[GT_TRACE_CHAIN];
    gt_closure last = *value;
    if (value->span.first >= p->code) {
        return false; /* a member's own name, which is no text of the program */
    }
    (void)gt_trace_chain(identities, c, &last);
    gt_span end = last.span;
    const bool minus = gt_program_accept(p, &end, "-");
    const gt_token *token = gt_token_at(p, end.first);
    const char *digits = GT_TOKEN_TEXT(token);
    if (end.end == end.first + 1 && token->kind == GT_TOKEN_NUMBER && strpbrk(digits, ".eE") &&
        !strpbrk(digits, "xX")) {
        *out =
            gt_draft_print(c->draft, "%s%.*s", minus ? "-" : "", (int)token->length, token->text);
    } else if (gt_token_is_any(token, "true false")) {
        *out = gt_token_is(token, "true") ? "1" : "0";
    } else {
        *out = print_value(c, &c->call->divided, FOR_VALUE, "", value, "");
    }
    return (*out)[0];
}

static void read_scalar(gt_tracer *c, gt_draft_argument *own)
{
    gt_closure value;
    own->value = "";
    if (is_own_size(c, own) || !gt_call_argument(c, &value, own)) {
        return;
    }
    for (size_t i = 0; i < c->draft->members.count; i++) {
        gt_draft_member *member = &c->draft->members.items[i];
        if (member->holder == own) {
            member->value = "";
            (void)trace_member(c, value, member->name, take_value, &member->value);
        }
    }
    if (own->is_struct) {
        return;
    }
    (void)take_value(&own->value, c, &value);
    const unsigned long long number = strtoull(own->value, NULL, 10);
    bool is_int = own->declared.has_type && own->declared.element.type == GT_TYPE_I32;
    if (is_int && number > INT32_MAX && number <= UINT32_MAX) { /* 0xdeadbeef */
        own->value = gt_draft_print(c->draft, "%d", (int)(int32_t)number);
    }
}

void gt_call_read_values(gt_tracer *c)
{
    gt_texts_free(&c->call->divided);
    for (size_t i = 0; i < c->leaf_count; i++) {
        c->leaves[i].in_grid = false;
    }
    read_grid(c);
    for (int scalars = 0; scalars < 2; scalars++) {
        for (uint32_t i = 0; i < c->draft->argument_count; i++) {
            gt_draft_argument *own = &c->draft->arguments[i];
            if (own->declared.pointer) {
                (scalars ? read_fill : read_length)(c, own);
            } else if (scalars) {
                read_scalar(c, own);
            }
        }
    }
}

/* ---- the problem's sizes --------------------------------------------------------------------- */

enum {
    LENGTH_MAX = 1 << 22, /* elements, where the program does not say how many */
    GRID_MAX = 65535,     /* blocks in all dimensions of the grid but the first */
    SHARED_MAX = 48 << 10 /* bytes of a block, which every GPU has */
};

/* What is no size of the problem is a number: what the program says and no parameter takes, unless
 * both the grid and a length depend on it. A size that begins with 0 has no value yet. */
void gt_call_settle_leaves(gt_tracer *c)
{
    for (size_t i = 0; i < c->leaf_count; i++) {
        gt_trace_leaf *leaf = &c->leaves[i];
        bool is_used =
            leaf->parameter ? leaf->in_grid || leaf->in_length : leaf->in_grid && leaf->in_length;
        leaf->has_value &= leaf->is_axis || leaf->is_number || leaf->value > 0 || !is_used;
        leaf->is_number |= leaf->has_value && !leaf->is_axis && !leaf->is_property && !is_used;
        if (leaf->parameter && !leaf->has_value && !is_used) { /* as read_scalar() has it */
            leaf->is_assumed = leaf->has_value = leaf->is_number = true;
            leaf->value = 1;
        }
    }
}

/* Whether a condition holds with these values; NULL: with those that the program states, where it
 * states all that the condition has. One of other names holds if the kernel alone demands it. */
static bool holds(gt_tracer *c, const char *text, const int64_t *slots)
{
    GT_FREED gt_expression *condition = gt_trace_read(c, text);
    int64_t value = 0;
    return !condition ? c->call->grid_dimensions == 0
           : slots    ? !gt_expression_try(&value, condition, slots) && value != 0
                      : !gt_trace_value(&value, c, condition) || value != 0;
}

static void take_values(int64_t *slots, const gt_tracer *c)
{
    for (size_t i = 0; i < c->leaf_count; i++) {
        slots[i] = gt_call_leaf_value(c, i);
    }
}

/* Leaves out what the program's own values do not keep, as it leaves a rest, and, once the other
 * sizes are chosen, what these do not. */
static void keep_true(gt_tracer *c)
{
    gt_texts all = c->call->divided;
    int64_t slots[GT_SLOT_MAX] = {0};
    take_values(slots, c);
    c->call->divided = (gt_texts){0};
    for (size_t i = 0; i < all.count; i++) {
        if (holds(c, all.items[i], NULL) && (c->chosen <= 0 || holds(c, all.items[i], slots))) {
            gt_call_require(c, all.items[i]);
        }
    }
    gt_texts_free(&all);
}

/* Whether what must divide does. */
static bool keeps_conditions(gt_tracer *c, const int64_t *slots)
{
    bool keeps = true;
    for (size_t i = 0; i < c->call->divided.count && keeps; i++) {
        keeps = holds(c, c->call->divided.items[i], slots);
    }
    return keeps;
}

/* The value of a leaf: its own, or the chosen one, of which those behind or in front of others have
 * a part where no value for all fits. */
int64_t gt_call_leaf_value(const gt_tracer *c, size_t leaf)
{
    enum { MOST = 3, BLOCK = 256 }; /* a multiple of the usual blocks */
    size_t unknown = 0, before = 0;
    for (size_t i = 0; i < c->leaf_count; i++) {
        const bool counts = !c->leaves[i].has_value && is_size(&c->leaves[i]);
        unknown += counts;
        before += counts && i < leaf;
    }
    const size_t behind = unknown > before ? unknown - before - 1 : 0;
    const size_t parts = c->order == 0 ? 0 : c->order == 1 ? before : behind;
    const gt_trace_leaf *own = &c->leaves[leaf];
    return own->has_value ? own->value
           : own->is_axis ? BLOCK
                          : c->border + (c->chosen >> ((parts < MOST ? parts : MOST) +
                                                       (own->in_shared ? (size_t)c->less : 0)));
}

static bool fits(gt_tracer *c, const int64_t *slots, const char *text, bool positive, int64_t most)
{
    int64_t value = 0;
    GT_FREED gt_expression *expression = gt_trace_read(c, text);
    return !text[0] || (expression && gt_expression_try(&value, expression, slots) == NULL &&
                        value >= positive && value <= most);
}

/* Whether all lengths allow the chosen value; strict: 1, and none is 0, 2, and what must divide
 * does. */
static bool is_possible(gt_tracer *c, int strict)
{
    int64_t slots[GT_SLOT_MAX] = {0};
    const gt_sum whole = gt_draft_whole_problem(c->draft);
    bool all = true;
    take_values(slots, c);
    for (uint32_t i = 0; i < c->draft->argument_count; i++) {
        const gt_draft_argument *own = &c->draft->arguments[i];
        const gt_sum *length = own->length.known ? &own->length : &whole;
        const bool is_computed = strpbrk(own->value, "*/+") != NULL;
        all &= fits(c, slots, own->allocated, strict > 0, LENGTH_MAX) &&
               (!is_computed || fits(c, slots, own->value, false, LENGTH_MAX)) &&
               (!own->declared.pointer || own->allocated[0] ||
                gt_sum_value(length, gt_call_value, c) <= LENGTH_MAX);
    }
    for (int d = 0; d < 3; d++) {
        const gt_draft_dimension *own = &c->draft->dimensions[d];
        all &= fits(c, slots, c->call->grid[d], strict > 0, d ? GRID_MAX : LENGTH_MAX) &&
               (d == 0 || c->call->grid[d][0] ||
                gt_sum_value(&own->size, gt_call_value, c) <=
                    GRID_MAX * gt_sum_value(&own->step, gt_call_value, c));
    }
    return all && (strict < 2 || keeps_conditions(c, slots));
}

/* Whether the symbol is a size whose value is chosen, as a gt_draft_size_fn. */
static bool is_chosen(const void *user, int symbol)
{
    const gt_tracer *c = user;
    const int leaf = gt_trace_slot((void *)c, gt_draft_symbol_at(c->draft, symbol)->name);
    return leaf >= 0 && is_size(&c->leaves[leaf]) && !c->leaves[leaf].has_value;
}

/* One value for all sizes that the program does not say: as large as all lengths and a thread's
 * loops allow, and so that what must divide does; different ones where one must be larger than
 * another. */
static void choose_value(gt_tracer *c)
{
    enum { LEAST = 32, ORDERS = 3, BORDERS = 4 };
    static const int64_t borders[BORDERS] = {0, 2, 1, 4};
    static const int64_t mosts[] = {1 << 20, 1 << 16, 1 << 12, 1 << 9};
    const size_t loops = gt_draft_count_loops(c->draft, is_chosen, c);
    const int64_t most = mosts[loops < 3 ? loops : 3], firsts[] = {most, 3 * (most / 4)};
    bool found = false;
    for (int strict = 2; strict >= 0 && !found; strict--) {
        for (int i = 0; i < 2 * ORDERS * BORDERS && !found; i++) {
            c->order = i / 2 % ORDERS;
            c->border = borders[i / (2 * ORDERS)];
            for (c->chosen = firsts[i % 2]; c->chosen > LEAST && !(found = is_possible(c, strict));
                 c->chosen /= 2) {
            }
        }
    }
    c->order = found ? c->order : 0;
    c->border = found ? c->border : 0;
    c->chosen = found ? c->chosen : LEAST;
}

/* Halves the sizes that are in a block's shared memory until each GPU has as much. */
static void fit_shared(gt_tracer *c)
{
    int64_t slots[GT_SLOT_MAX] = {0};
    GT_FREED gt_expression *shared = gt_trace_read(c, c->call->shared);
    for (size_t i = 0; i < c->leaf_count && shared; i++) {
        c->leaves[i].in_shared = gt_expression_uses(shared, (int)i);
    }
    for (bool fit = false; !fit && c->chosen >> c->less > 8; c->less += !fit) {
        take_values(slots, c);
        fit = fits(c, slots, c->call->shared, false, SHARED_MAX);
    }
}

/* The value as the program writes it, or that it has none. */
static void append_origin(gt_text *out, const gt_program *p, gt_span span)
{
    enum { MOST = 12 };
    gt_text_append(out, span.first < span.end ? "" : "no value");
    for (size_t i = span.first; i < span.end && i < span.first + MOST; i++) {
        const gt_token *token = gt_token_at(p, i);
        bool apart = i > span.first && token[-1].text + token[-1].length < token->text;
        gt_text_append(out, apart ? " " : "");
        gt_text_append_bytes(out, token->text, token->length);
    }
    gt_text_append(out, span.end > span.first + MOST ? " …" : "");
}

static void write_sizes(gt_tracer *c)
{
    gt_text *out = &c->call->sizes;
    for (size_t i = 0; i < c->leaf_count; i++) {
        const gt_trace_leaf *leaf = &c->leaves[i];
        const int64_t own = gt_call_leaf_value(c, i), value = own > 0 ? own : c->chosen;
        const bool power = value >= 1024 && (value & (value - 1)) == 0;
        if (!is_size(leaf) ||
            (!c->draft->is_called && gt_draft_is_declared(c->draft, leaf->name))) {
            continue;
        }
        if (!c->draft->is_called) {
            const int symbol = gt_draft_find_symbol(c->draft, leaf->name);
            const bool is_made =
                symbol >= 0 && c->draft->symbols.items[symbol].kind == GT_DRAFT_SIZE;
            gt_text_printf(out,
                           "// guess: '%s' is a size of the problem%s; the value to measure at\n",
                           leaf->name, is_made ? " that is no parameter" : "");
        } else if (!leaf->has_value) {
            gt_text_printf(out, "// ? '%s': the program has ", leaf->name);
            append_origin(out, c->program, leaf->origin);
            gt_text_append(out, " for it; a value to measure at\n");
        }
        gt_text_printf(out, "#pragma gputune problem(%s = %s%lld)\n", leaf->name,
                       power ? "1 << " : "",
                       power ? (long long)__builtin_ctzll((uint64_t)value) : (long long)value);
    }
}

/* ---- what follows from them ------------------------------------------------------------------ */

/* Every buffer once, and twice what is read and written. */
static void write_work(gt_tracer *c)
{
    GT_SCOPED(gt_text_free) gt_text sum = {0};
    GT_SCOPED(gt_text_free) gt_text work = {0};
    bool is_told = true, is_allocated = false; /* by the program, in part at least */
    for (const gt_draft_argument *own = NULL; (own = gt_draft_next_buffer(c->draft, own));) {
        is_allocated |= own->allocated[0] != '\0';
    }
    for (const gt_draft_argument *own = NULL;
         is_told && (own = gt_draft_next_buffer(c->draft, own));) {
        bool twice = strcmp(gt_draft_direction(own), "inout") == 0;
        const gt_sum named = gt_sum_named(own->length); /* a few elements are no work */
        const char *length = is_allocated ? own->allocated : gt_draft_sum_text(c->draft, &named);
        is_told = own->declared.has_type && length[0];
        gt_text_printf(&sum, "%s%u * (%s)", sum.length ? " + " : "",
                       own->declared.element.bytes * (twice ? 2U : 1U), length);
    }
    GT_FREED gt_expression *expression = is_told ? gt_trace_read(c, gt_text_string(&sum)) : NULL;
    const bool is_plain =
        expression && gt_expression_print(&work, NULL, expression, c->names); /* else as it is */
    const char *bytes = is_told ? gt_draft_keep(c->draft, is_plain ? &work : &sum) : "";
    c->call->work = strcmp(bytes, "0") == 0 ? "" : bytes;
}

/* How many elements the kernel reads: the largest index, with the numbers of the template's
 * parameters in place, and one more. */
static gt_sum elements_read(const gt_tracer *c, const gt_draft_argument *buffer)
{
    const gt_sum sum = gt_draft_with_numbers(c->draft, buffer->length, true);
    for (uint32_t i = 0; i < sum.count; i++) {
        const gt_product *term = &sum.terms[i];
        if (term->count == 0) {
            return gt_sum_plus(sum, floor(term->coefficient) - term->coefficient);
        }
    }
    return sum;
}

/* What the kernel reads is not more than what is allocated: where the program has sizes for the
 * same number of elements in different words, and where the kernel reads whole tiles. */
static void compare_lengths(gt_tracer *c)
{
    for (const gt_draft_argument *buffer = NULL;
         (buffer = gt_draft_next_buffer(c->draft, buffer));) {
        GT_SCOPED(gt_text_free) gt_text plain = {0};
        const gt_sum elements = elements_read(c, buffer);
        const char *read = buffer->allocated[0] ? gt_draft_sum_text(c->draft, &elements) : "";
        GT_FREED gt_expression *has = gt_trace_read(c, buffer->allocated);
        GT_FREED gt_expression *needs = gt_trace_read(c, read);
        bool named = has && needs && gt_expression_print(&plain, NULL, needs, c->names);
        bool differs = strstr(gt_text_string(&plain), "* ceil_div(") != NULL;
        for (size_t leaf = 0; leaf < c->leaf_count && named; leaf++) {
            const bool uses = gt_expression_uses(needs, (int)leaf);
            const char *name = c->leaves[leaf].name,
                       *parts = gt_draft_print(c->draft, "%s * (%s / %s)", name, buffer->allocated,
                                               name);
            named &= (!uses || is_size(&c->leaves[leaf])) &&
                     strcmp(gt_text_string(&plain), parts) != 0; /* never more than all */
            differs |= uses && !gt_expression_uses(has, (int)leaf);
        }
        if (differs && named && strcmp(gt_text_string(&plain), buffer->allocated) != 0) {
            gt_call_require(
                c, gt_draft_print(c->draft, "%s <= %s", gt_text_string(&plain), buffer->allocated));
        }
    }
}

void gt_call_write(gt_tracer *c)
{
    for (uint32_t i = 0; i < c->draft->argument_count; i++) {
        gt_draft_argument *own = &c->draft->arguments[i];
        bool plain = strspn(own->value, "0123456789") == strlen(own->value);
        own->enclosed = gt_draft_print(c->draft, plain ? "%s" : "(%s)", own->value);
    }
    gt_call_divide(c);
    keep_true(c);
    write_work(c);
    write_blocks(c);
    choose_value(c);
    fit_shared(c);
    compare_lengths(c);
    keep_true(c);
    write_sizes(c);
}
