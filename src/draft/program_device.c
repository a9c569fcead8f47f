/* Which names of a program its device code reads, which it has from another text, and which other
 * files belong to it. */
#include "draft/program.h"

/* Whether the span has the name; of a function: whether it calls it. */
static bool has(const gt_program *p, gt_span span, const gt_token *name, bool is_function)
{
    bool has = false;
    for (size_t i; !has && gt_program_next(p, &span, name, &i);) {
        has = !is_function || gt_program_is(p, i + 1, "( < , )");
    }
    return has;
}

static bool on_device(const gt_program *p, const gt_token *name, int depth)
{
    enum { DEPTH_MAX = 6 };
    const bool is_function = gt_program_function_of(p, name) != NULL;
    bool is = false;
    for (size_t i = 0; i < p->functions.count && depth < DEPTH_MAX && !is; i++) {
        const gt_program_function *function = &p->functions.items[i];
        const gt_token *own = gt_token_at(p, function->name);
        const gt_span span = {function->parameters.first, function->body.end};
        size_t index;
        is = !gt_token_equals(own, name) && !gt_token_is(own, "main") &&
             has(p, span, name, is_function) &&
             !gt_program_parameter(p, function->parameters, name, &index) &&
             (function->is_device || on_device(p, own, depth + 1));
    }
    for (size_t i = 1; i + 1 < p->code && depth < DEPTH_MAX && !is; i++) { /* a struct's extents */
        bool is_struct = gt_program_is(p, i + 1, "{") &&
                         (gt_program_is(p, i - 1, "struct") || gt_program_is(p, i, "struct"));
        const size_t close = is_struct ? gt_program_close(p, i + 1) : i;
        is_struct = is_struct && has(p, (gt_span){i + 2, close}, name, false);
        for (size_t k = 0; k < 2 && is_struct && !is; k++) { /* struct NAME {…} NAME; */
            const gt_token *own = gt_token_at(p, k ? close + 1 : i);
            is = own->kind == GT_TOKEN_NAME && !gt_token_is(own, "struct") &&
                 (gt_token_equals(own, name) || on_device(p, own, depth + 1));
        }
    }
    for (size_t i = 0; i < p->macros.count && depth < DEPTH_MAX && !is; i++) {
        const gt_token *own = gt_token_at(p, p->macros.items[i].name);
        is = !gt_token_equals(own, name) && has(p, p->macros.items[i].value, name, false) &&
             on_device(p, own, depth + 1);
    }
    return is;
}

bool gt_program_on_device(const gt_program *p, const gt_token *macro)
{
    return on_device(p, macro, 0);
}

/* Whether the program says what the name is: a macro's, a function's, a type's or a variable's. */
static bool gives(const gt_program *p, const gt_token *name)
{
    gt_span rest = {1, p->code};
    const size_t first = gt_program_named(p, rest, name);
    gt_found found;
    bool is_given =
        gt_program_function_of(p, name) || gt_program_macro_of(p, name) ||
        (first < rest.end && gt_program_find(&found, p, &(gt_site){.at = p->code}, first));
    for (size_t i; !is_given && gt_program_next(p, &rest, name, &i);) {
        is_given = gt_program_is(p, i - 1, "struct class enum union typename }") &&
                   !gt_program_is_name(p, (gt_span){i + 1, i + 2});
    }
    for (size_t i = 0, index; i < p->functions.count && !is_given; i++) {
        is_given = gt_program_parameter(p, p->functions.items[i].parameters, name, &index);
    }
    return is_given;
}

bool gt_program_needs(const gt_program *p, const gt_program *before)
{
    bool needs = false;
    for (size_t i = 1; i < p->code && !needs; i++) {
        const gt_token *name = gt_token_at(p, i);
        needs = name->kind == GT_TOKEN_NAME && !gt_program_is(p, i - 1, ". -> ::") &&
                gives(before, name) && !gives(p, name);
    }
    return needs;
}

/* ---- other files ---- */

/* Whether something calls the function, or launches it: NAME<<<…>>> or NAME<…><<<…>>>. */
static bool calls(const gt_program *p, const gt_token *name)
{
    gt_span arguments, rest = {1, p->code}, again = rest;
    size_t at;
    bool is = gt_program_call(p, &rest, name, &at, &arguments);
    while (!is && gt_program_next(p, &again, name, &at)) {
        is = gt_program_is(p, at + 1, "<< <");
    }
    return is;
}

bool gt_program_allocates(const gt_program *p, gt_span within)
{
    static const char functions[] = "cudaMalloc cudaMallocManaged cudaMallocAsync cudaMallocPitch";
    return gt_program_first(p, within, functions) < within.end;
}

bool gt_program_takes(const gt_program *p, const gt_program *other)
{
    bool takes = false;
    for (size_t i = 0; i < p->functions.count; i++) {
        const gt_token *name = gt_token_at(p, p->functions.items[i].name);
        if (gt_program_function_of(other, name)) {
            return false;
        }
        takes = takes || (!calls(p, name) && calls(other, name));
    }
    for (size_t i = 0; i < other->functions.count && !takes &&
                       gt_program_allocates(other, (gt_span){0, other->code});
         i++) {
        const gt_token *name = gt_token_at(other, other->functions.items[i].name);
        takes = calls(p, name);
    }
    return takes;
}
