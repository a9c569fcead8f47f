/* How to print the expressions of a variant: the sizes that vary in a region as names, and
 * everything else as numbers. Only for src/kernel/rule. */
#pragma once

#include "kernel/bind/binding.h"
#include "kernel/rule/rule.h"

typedef struct gt_rule_form {
    const gt_template *template;
    const gt_rule_region *region;
    gt_binding binding;         /* binding of the variant at the largest sizes of the region */
    int64_t least[GT_SLOT_MAX]; /* slots for the smallest sizes of the region */
    gt_print print;
} gt_rule_form;

/* Sets *form for the kernel with index `step` of a variant. The struct must not be moved after
 * that, because form->print points to it. */
void gt_rule_form_set(gt_rule_form *form, const gt_template *template, const gt_rule_region *region,
                      const gt_device *device, const gt_config *variant, uint32_t step);
