/* Compiles that take far longer than what is expected of them is worth are given up. */
#include "tuner/field_parts.h"

#include "base/text.h"

/* A worker that is ended for it is replaced in about half a second. */
static const double LEAST_S = 1;
/* A compile is asked about again when it has been running for so many times as long. */
static const double AGAIN = 1.25;

/* What everything is compared with, and what must be there for misaligned buffers, are waited for;
 * so is a source while the proposer holds on to one of its variants. */
static bool is_to_be_given_up(const gt_field *field, const gt_unit *unit, double seconds)
{
    gt_proposer *proposer = field->options.proposer;
    for (uint32_t next = unit->waiting; next; next = field->variants.items[next - 1].sibling) {
        const gt_variant *variant = &field->variants.items[next - 1];
        if (variant->role != GT_ROLE_PROPOSED ||
            !proposer->gives_up(proposer, &variant->config, seconds)) {
            return false;
        }
    }
    return true;
}

void gt_field_give_up_compiles(gt_field *field)
{
    enum { AT_ONCE = 256 };
    gt_compiling jobs[AT_ONCE];
    gt_farm *farm = field->options.farm;
    if (!field->options.proposer->gives_up || !field->compiling) {
        return;
    }
    uint32_t count = farm->ops->compiling(farm, jobs, AT_ONCE);
    for (uint32_t i = 0; i < count; i++) {
        if (jobs[i].id < GT_UNIT_FIRST || jobs[i].seconds < LEAST_S) {
            continue;
        }
        gt_unit *unit = &field->units.items[jobs[i].id];
        if (unit->given_up || jobs[i].seconds < unit->asked_s * AGAIN) {
            continue;
        }
        unit->asked_s = jobs[i].seconds;
        unit->given_up = is_to_be_given_up(field, unit, jobs[i].seconds);
        if (unit->given_up) {
            farm->ops->give_up(farm, jobs[i].id);
        }
    }
}

gputune_status gt_field_leave_out(gt_field *field, uint32_t index)
{
    gt_variant *variant = &field->variants.items[index];
    const gt_unit *unit = &field->units.items[variant->unit];
    variant->stage = GT_STAGE_GIVEN_UP;
    variant->failure = unit->failure;
    field->given_up++;
    for (uint32_t twin = variant->next_twin; twin;
         twin = field->variants.items[twin - 1].next_twin) {
        field->given_up++;
    }
    gt_field_tell(field, index, 0);
    return gt_strdup(&variant->message, unit->message);
}
