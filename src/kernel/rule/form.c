/* Prepares for printing the expressions of a variant. */
#include "kernel/rule/form.h"

static bool is_size(const gt_rule_form *form, int slot)
{
    const int i = slot - GT_SLOT_PROBLEM;
    return i >= 0 && i < (int)form->template->problem_count &&
           gt_region_varies(form->region, (uint32_t)i);
}

static const char *name_of(void *user, int slot)
{
    const gt_rule_form *form = user;
    return is_size(form, slot) ? form->template->problem[slot - GT_SLOT_PROBLEM].name : NULL;
}

/* Returns true if the first `count` of `parts` do not depend on sizes that vary. */
static bool has_fixed_shape(const gt_rule_form *form, size_t count)
{
    const gt_template_step *step = &form->template->parts->steps[form->binding.step];
    const gt_expression *const parts[] = {
        step->block.items[0],   step->block.items[1],   step->block.items[2],  step->shared,
        step->cluster.items[0], step->cluster.items[1], step->cluster.items[2]};
    bool fixed = true;
    for (int slot = GT_SLOT_PROBLEM; slot < GT_SLOT_PROBLEM + GT_PROBLEM_MAX; slot++) {
        for (size_t i = 0; i < count && is_size(form, slot); i++) {
            fixed &= !parts[i] || !gt_expression_uses(parts[i], slot);
        }
    }
    return fixed;
}

void gt_rule_form_set(gt_rule_form *form, const gt_template *template, const gt_rule_region *region,
                      const gt_device *device, const gt_config *variant, uint32_t step)
{
    form->template = template;
    form->region = region;
    gt_binding_open(&form->binding, template, &region->most, device);
    form->binding.step = step;
    gt_slots_config(form->binding.slots, template, variant);
    (void)gt_binding_cluster(&form->binding);
    (void)gt_binding_block(&form->binding);
    (void)gt_binding_shared(&form->binding);
    enum { BLOCK = 4, CLUSTER = 7, MAX_CLUSTERS = GT_SLOT_OCCUPANCY + 1 };
    const bool fixed = has_fixed_shape(form, BLOCK), fixed_cluster = has_fixed_shape(form, CLUSTER);
    gt_slots_fill(form->least, template, &region->least, device);
    form->print = (gt_print){.slots = form->binding.slots,
                             .name = name_of,
                             .user = form,
                             .prefix = "",
                             .least = form->least};
    for (int slot = 0; slot < GT_SLOT_MAX; slot++) {
        const bool derived = slot >= GT_SLOT_BLOCK && slot < GT_SLOT_WORD;
        const bool known = slot == MAX_CLUSTERS ? fixed_cluster
                           : derived            ? fixed && slot < GT_SLOT_GRID
                                                : !is_size(form, slot);
        form->print.known[slot / 64] |= (uint64_t)known << (slot % 64);
    }
}
