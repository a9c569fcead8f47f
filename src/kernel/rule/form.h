/* Prints expressions of a variant. Sizes that vary in the region appear as names, everything else
 * as numbers. For src/kernel/rule only. */
#pragma once

#include "kernel/bind/binding.h"
#include "kernel/rule/rule.h"

typedef struct gt_rule_form {
    const gt_template *template;
    const gt_rule_region *region;
    gt_binding binding;         /* binding of the variant at the region's largest sizes */
    int64_t least[GT_SLOT_MAX]; /* slots at the region's smallest sizes */
    gt_print print;
} gt_rule_form;

static inline bool gt_region_varies(const gt_rule_region *region, uint32_t i)
{
    return region->least.values[i].number != region->most.values[i].number;
}
/* Sets *form for kernel `step` of a variant. Do not move `form`, because form->print points to
 * it. */
void gt_rule_form_set(gt_rule_form *form, const gt_template *template, const gt_rule_region *region,
                      const gt_device *device, const gt_config *variant, uint32_t step);
