/* Decides which of two equally fast configurations wins. */
#include "tuner/precedence.h"

#include <stdlib.h>

/* The resources that a configuration uses, in the order in which they are compared. */
typedef struct usage {
    uint64_t is_other, cluster_blocks, shared_bytes, registers, vector_bytes;
} usage;

/* Returns the resources of a configuration. If its launch cannot be bound, the cluster and dynamic
 * shared memory are left out. */
static usage usage_of(const gt_request *request, const gt_config *config,
                      const gt_resources *resources)
{
    usage used = {.is_other = !gt_request_is_default(request, config),
                  .cluster_blocks = 1,
                  .registers = resources->registers,
                  .vector_bytes = gt_vector_bytes(request->template, &request->problem, config,
                                                  request->device)};
    GT_FREED gt_launch *launch = gt_request_launch(request, config);
    for (uint32_t i = 0; launch && i < launch->step_count; i++) {
        const gt_kernel_step *step = &launch->steps[i];
        const uint64_t blocks = gt_volume(step->cluster);
        used.cluster_blocks = blocks > used.cluster_blocks ? blocks : used.cluster_blocks;
        used.shared_bytes =
            step->shared_bytes > used.shared_bytes ? step->shared_bytes : used.shared_bytes;
    }
    used.shared_bytes += resources->static_shared_bytes;
    return used;
}

static int compare_choices(const gt_axis *axis, uint8_t a, uint8_t b)
{
    const gt_value *one = &axis->values[a], *other = &axis->values[b];
    if (a < axis->count || b < axis->count) {
        return (int)a - (int)b;
    }
    return one->word && other->word ? strcmp(one->word, other->word)
                                    : (one->number > other->number) - (one->number < other->number);
}

bool gt_precedes(const gt_request *request, const gt_config *a, const gt_resources *of_a,
                 const gt_config *b, const gt_resources *of_b)
{
    const usage x = usage_of(request, a, of_a), y = usage_of(request, b, of_b);
    const uint64_t *used[] = {&x.is_other, &x.cluster_blocks, &x.shared_bytes, &x.registers,
                              &x.vector_bytes};
    const uint64_t *by_other[] = {&y.is_other, &y.cluster_blocks, &y.shared_bytes, &y.registers,
                                  &y.vector_bytes};
    for (size_t i = 0; i < sizeof used / sizeof *used; i++) {
        if (*used[i] != *by_other[i]) {
            return *used[i] < *by_other[i];
        }
    }
    for (uint32_t i = 0; i < request->template->axis_count; i++) {
        const int order = compare_choices(&request->template->axes[i], a->choice[i], b->choice[i]);
        if (order) {
            return order < 0;
        }
    }
    return false;
}
