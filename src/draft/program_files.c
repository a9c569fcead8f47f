/* Which other files belong to a program. */
#include "draft/program.h"

/* Whether something calls the function, or launches it: NAME<<<…>>> or NAME<…><<<…>>>. */
static bool calls(const gt_program *p, size_t definition, const gt_token *name)
{
    size_t at;
    gt_span arguments;
    bool is = gt_program_call_of(p, name, definition, 0, &at, &arguments);
    for (size_t i = 0; i + 1 < p->code && !is; i++) {
        is = gt_token_equals(gt_token_at(p, i), name) && gt_program_is(p, i + 1, "<< <");
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
        const size_t at = p->functions.items[i].name;
        const gt_token *name = gt_token_at(p, at);
        if (gt_program_function_of(other, name)) {
            return false;
        }
        takes = takes || (!calls(p, at, name) && calls(other, other->code, name));
    }
    for (size_t i = 0; i < other->functions.count && !takes &&
                       gt_program_allocates(other, (gt_span){0, other->code});
         i++) {
        const gt_token *name = gt_token_at(other, other->functions.items[i].name);
        takes = calls(p, p->code, name);
    }
    return takes;
}
