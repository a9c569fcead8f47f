/* The configurations of a template that a problem and a device allow. */
#ifndef GT_KERNEL_SPACE_H
#define GT_KERNEL_SPACE_H

#include "base/text.h"
#include "kernel/problem.h"

/* One value index per axis of the template. */
typedef struct gt_config {
    uint8_t choice[GT_AXIS_MAX];
} gt_config;

typedef struct gt_space gt_space;

typedef struct gt_exclusion_count {
    const char
        *reason;    /* owned by the space: a require()'s text, "block exceeds 1024 threads", … */
    uint64_t count; /* combinations cut, whole subtrees counted */
} gt_exclusion_count;

/* Opens the space; template, problem and device must outlive it. `only` are "AXIS=v,v" texts:
 * EINVAL with the nearest name for an unknown axis, a value that the axis lacks is added when it is
 * of the axis's kind (that is how new values are tried). Constraints prune at the shallowest axis
 * where all their symbols are known. */
gputune_status gt_space_open(gt_space **out, const gt_template *template, const gt_problem *problem,
                             const gt_workload *workload, const gt_device *device,
                             const char *const *only, size_t only_count);
void gt_space_free(gt_space *space);
/* The choices of an axis that the space covers, in their order: `only` may leave out the template's
 * own and add others. They live as long as the space. */
size_t gt_space_choices(const gt_space *space, uint32_t axis, const uint8_t **out);
/* The next valid configuration in lexicographic order of the axes; false at the end. */
bool gt_space_next(gt_space *space, gt_config *out);
/* Starts over. */
void gt_space_rewind(gt_space *space);
/* What the space covers, as a hash: axes with their values (restrictions applied) and constraints.
 * A stored winner of another signature was chosen among other configurations. */
gt_hash gt_space_signature(const gt_space *space);
/* All combinations before constraints. */
uint64_t gt_space_combinations(const gt_space *space);
/* Exclusion counts so far (complete once next() said false). */
size_t gt_space_exclusions(const gt_space *space, const gt_exclusion_count **out);
/* Why this configuration is excluded, or NULL when it is valid. The string belongs to the space. */
const char *gt_space_excludes(gt_space *space, const gt_config *config);

/* Appends one value of an axis as templates write it: "4", "float", "value", "auto". */
void gt_axis_value_append(gt_text *text, const gt_axis *axis, uint32_t choice);
/* The template's default configuration. */
gt_config gt_config_default(const gt_template *template);
/* "VEC=4 BLOCK=256 coeffs=value CARVEOUT=auto" in axis order; caller frees. */
gputune_status gt_config_text(char **out, const gt_template *template, const gt_config *config);
/* Parses such a text (blanks or commas between), missing axes from the default. EINVAL with the
 * nearest axis or the axis's values. */
gputune_status gt_config_parse(gt_config *out, const gt_template *template, const char *text);

#endif
