/* A proposer for a list, which does not use results. */
#include "tuner/proposer.h"

static uint32_t propose_list(gt_proposer *self, gt_config *out, uint32_t count)
{
    gt_list_proposer *list = (gt_list_proposer *)self; /* `self` is the first member of *list */
    uint32_t given = 0;
    while (given < count && list->next < list->count) {
        out[given++] = list->configs[list->next++];
    }
    self->exhausted = list->next == list->count;
    return given;
}

gt_list_proposer gt_list_proposer_make(const gt_config *configs, size_t count)
{
    const gt_proposer proposer = {.propose = propose_list, .exhausted = count == 0};
    return (gt_list_proposer){proposer, configs, count, 0};
}
