/* Decides which of two equally fast configurations wins. */
#include "tuner/precedence.h"

#include <stdlib.h>

/* The resources that a configuration uses, in the order in which they are compared. */
enum { IS_OTHER, CLUSTER_BLOCKS, SHARED_BYTES, REGISTERS, VECTOR_BYTES, USES };

static void raise_to(uint64_t *most, uint64_t value)
{
    *most = value > *most ? value : *most;
}

/* Lists the resources of a configuration. If its launch cannot be bound, the cluster and dynamic
 * shared memory are left out. */
static void list_uses(uint64_t out[USES], const gt_request *request, const gt_config *config,
                      const gt_resources *resources)
{
    GT_FREED gt_launch *launch = gt_request_launch(request, config);
    out[IS_OTHER] = !gt_config_is(&request->standard, config);
    out[CLUSTER_BLOCKS] = 1;
    out[SHARED_BYTES] = 0;
    for (uint32_t i = 0; launch && i < launch->step_count; i++) {
        raise_to(&out[CLUSTER_BLOCKS], gt_volume(launch->steps[i].cluster));
        raise_to(&out[SHARED_BYTES], launch->steps[i].shared_bytes);
    }
    out[SHARED_BYTES] += resources->static_shared_bytes;
    out[REGISTERS] = resources->registers;
    out[VECTOR_BYTES] =
        gt_vector_bytes(request->template, &request->problem, config, request->device);
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
    uint64_t uses[USES], others[USES];
    list_uses(uses, request, a, of_a);
    list_uses(others, request, b, of_b);
    for (int i = 0; i < USES; i++) {
        if (uses[i] != others[i]) {
            return uses[i] < others[i];
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
