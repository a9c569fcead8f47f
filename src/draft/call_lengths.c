/* Finds what the program allocates for a launch's buffers. */
#include "draft/trace.h"

#include "base/number.h"

#include <string.h>

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

size_t gt_call_pointer_at(const gt_program *p, gt_span items, size_t index)
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

/* An argument of the functions' call whose first one is a pointer, and where the call is. */
typedef struct wanted {
    size_t pointer;
    bool loosely;
    const char *functions;
    size_t index;
} wanted;

static bool find_argument(gt_closure *out, const gt_program *p, gt_span within, const wanted *w)
{
    gt_span arguments;
    for (size_t at; gt_program_call(p, &within, w->functions, &at, &arguments);) {
        const size_t pointer = gt_call_pointer_at(p, arguments, 0);
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
    static const struct {
        const char *functions;
        size_t bytes;
    } sources[] = {{"cudaMalloc", 1},      {"cudaMallocManaged", 1},
                   {"cudaMallocAsync", 1}, {"cudaHostAlloc cudaMallocHost cudaHostRegister", 1},
                   {"cudaMemcpy", 2},      {"cudaMemcpyAsync", 2},
                   {"cudaMemset", 2}};
    bool found = false;
    for (size_t s = 0; s < sizeof sources / sizeof *sources && !found; s++) {
        const wanted wanted = {name, loosely, sources[s].functions, sources[s].bytes};
        found = find_argument(out, p, within, &wanted);
    }
    return found;
}

/* The same where a function allocates what it is given, `make(&NAME, n)`, and is read as its call
 * has it. */
static bool find_made(gt_closure *out, gt_tracer *c, size_t name)
{
    const gt_program *p = c->program;
    for (size_t i = 0; i < p->functions.count; i++) {
        const gt_program_function *function = &p->functions.items[i];
        gt_span given, item, parameter;
        size_t at = 0;
        while (gt_program_allocates(p, function->body) &&
               gt_program_call_of(p, gt_token_at(p, function->name), function->name, at, &at,
                                  &given)) {
            for (size_t k = 0; gt_program_item_at(p, &item, given, k); k++) {
                const size_t pointer =
                    gt_program_is(p, item.first, "&") ? pointer_name(p, item) : 0;
                if (pointer && is_same_pointer(p, pointer, name, false) &&
                    gt_program_item_at(p, &parameter, function->parameters, k) &&
                    find_bytes(out, p, function->body, parameter.end - 1, false)) {
                    c->made = (gt_bound){function->parameters, given, gt_program_site(p, at)};
                    out->site.bound = &c->made;
                    return true;
                }
            }
        }
    }
    return false;
}

/* The same through the functions that pass the pointer on. */
static bool trace_bytes(gt_closure *out, gt_tracer *c, gt_closure value)
{
    enum { HOPS = 6 };
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
    }
    return false;
}

bool gt_call_trace_member(gt_tracer *c, gt_closure value, const char *member, gt_call_take_fn take,
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

/* Traces the bytes of an allocation into the gt_closure `user`. */
static bool take_bytes(void *user, gt_tracer *c, const gt_closure *value)
{
    return trace_bytes(user, c, *value);
}

size_t gt_call_count_allocations(gt_tracer *c)
{
    size_t count = 0;
    for (uint32_t i = 0; i < c->draft->argument_count; i++) {
        gt_closure value, bytes;
        count += c->draft->arguments[i].declared.pointer && gt_call_argument(c, &value, i) &&
                 trace_bytes(&bytes, c, value);
    }
    return count;
}

void gt_call_read_length(gt_tracer *c, uint32_t index)
{
    gt_draft_argument *buffer = &c->draft->arguments[index];
    const gt_function_parameter *parameter = &buffer->declared;
    const gt_draft_constant *constant = gt_draft_constant_of(c->draft, parameter->words);
    gt_closure value, bytes = {0};
    char name[GT_NAME_MAX] = "", by[3 * GT_NAME_MAX], leaf[2 * GT_NAME_MAX];
    bool by_macro;
    buffer->allocated = buffer->unknown = "";
    if (!gt_call_argument(c, &value, buffer->holder)) {
        return;
    }
    const char *member = buffer->holder != index ? strchr(parameter->name, '.') + 1 : NULL;
    if (member ? !gt_call_trace_member(c, value, member, take_bytes, &bytes)
               : !trace_bytes(&bytes, c, value)) {
        const size_t pointer = member ? 0 : pointer_name(c->program, value.span);
        if (pointer) {
            gt_token_name(name, gt_token_at(c->program, pointer));
        } else {
            memcpy(name, parameter->name, sizeof name);
        }
        buffer->unknown = gt_draft_print(c->draft, "found no cudaMalloc() of '%s'", name);
        return;
    }
    memcpy(name, constant && constant->type[0] ? constant->type : parameter->words, sizeof name);
    const int64_t size = gt_trace_bytes(c->program, name, &by_macro);
    (void)gt_snprintf(leaf, sizeof leaf, "sizeof_%s", parameter->words);
    (void)gt_snprintf(by, sizeof by, size > 0 ? ") / %lld" : ") / ", (long long)size);
    if (size <= 0) {
        (void)gt_snprintf(by, sizeof by, ") / %s", leaf);
        if (gt_trace_slot(c, leaf) < 0) {
            (void)gt_trace_add(c, leaf, 0, -1);
        }
    }
    const char *length = gt_call_print(c, NULL, GT_CALL_FOR_LENGTH, "(", &bytes, by);
    if (length[0] && strcmp(length, "0") != 0) { /* as a variable begins */
        buffer->allocated = length;
        return;
    }
    buffer->unknown =
        gt_draft_print(c->draft, "cannot read the size of its cudaMalloc() in line %d",
                       c->program->tokens.items[bytes.site.at].line);
}
