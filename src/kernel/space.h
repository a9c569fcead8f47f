/* The configurations of a template that a problem and a device allow. */
#pragma once

#include "base/random.h"
#include "base/text.h"
#include "kernel/problem.h"

/* One value index per axis of the template. */
typedef struct gt_config {
    uint8_t choice[GT_AXIS_MAX];
} gt_config;

typedef struct gt_space gt_space;

/* How far a count is to be believed. */
typedef enum gt_certainty {
    GT_EXACT,
    GT_ABOUT,  /* estimated from a sample, or too large for 64 bits */
    GT_AT_MOST /* a bound: so few are valid that a sample found none */
} gt_certainty;

typedef struct gt_space_size {
    uint64_t count;
    gt_certainty certainty;
} gt_space_size;

typedef struct gt_exclusion_count {
    const char
        *reason;    /* owned by the space: a require()'s text, "block exceeds 1024 threads", … */
    uint64_t count; /* combinations cut, whole subtrees counted */
    gt_certainty certainty;
} gt_exclusion_count;

/* Opens the space; template, problem and device must outlive it. `only` are "AXIS=v,v" texts:
 * EINVAL with the nearest name for an unknown axis, a value that the axis lacks is added when it is
 * of the axis's kind (that is how new values are tried). Cheap: nothing is enumerated. A space
 * belongs to one thread at a time; several over one template are independent. A require() that
 * cannot be evaluated (a division by zero, an overflow) excludes the configuration like one that
 * does not hold. */
gputune_status gt_space_open(gt_space **out, const gt_template *template, const gt_problem *problem,
                             const gt_workload *workload, const gt_device *device,
                             const char *const *only, size_t only_count);
void gt_space_free(gt_space *space);
/* `canceled` is asked often by everything below that may take long; once it says so, walks end,
 * draws fail and counts are bounds. NULL: never. */
void gt_space_set_cancel(gt_space *space, bool (*canceled)(void *user), void *user);
/* Works out how the constraints tie axes together, once: what counting, drawing and walking rest
 * on, and what they do first when it was not done yet. Takes up to some 100 ms and some 10 MB,
 * whatever the number of combinations. ENOMEM and ECANCELED leave a space that works with estimates
 * and bounds. */
gputune_status gt_space_prepare(gt_space *space);
/* ENOVARIANT when no configuration is valid, with what excludes them. As gt_space_prepare. */
gputune_status gt_space_require_any(gt_space *space);

/* The choices of an axis that the space covers, in their order: `only` may leave out the template's
 * own and add others. They live as long as the space. */
size_t gt_space_choices(const gt_space *space, uint32_t axis, const uint8_t **out);
/* The next valid configuration in lexicographic order of the axes; false at the end, or when
 * canceled. A step takes less than a microsecond in most spaces; where constraints tie too many
 * axes together it searches, for as long as it takes. */
bool gt_space_next(gt_space *space, gt_config *out);
/* Starts over. */
void gt_space_rewind(gt_space *space);
/* A random valid configuration, each equally likely; false when there is none, or canceled. A few
 * microseconds. Where the constraints tie too many axes together (gt_space_count is not exact) it
 * draws until one is valid; if thousands of draws are not, it searches, and then what is found is
 * random but not uniform; false also when a search of some 10 ms finds none. Reproducible from
 * *random. Does not disturb a walk. */
bool gt_space_draw(gt_space *space, gt_random *random, gt_config *out);

/* Whether the space covers the configuration and nothing excludes it. */
bool gt_space_has(gt_space *space, const gt_config *config);

/* What the space covers, as a hash: axes with their values (restrictions applied) and buffers,
 * constraints, and the clauses that say which code a configuration becomes. A stored winner of
 * another signature was chosen among other variants. */
gt_hash gt_space_signature(const gt_space *space);
/* All combinations before constraints; UINT64_MAX when there are more. */
uint64_t gt_space_combinations(const gt_space *space);
/* The valid ones. */
gt_space_size gt_space_count(gt_space *space);
/* Different generated sources among the valid ones. */
gt_space_size gt_space_sources(gt_space *space);
/* Whether a valid configuration has this value, or may have it where counts are not exact. */
bool gt_space_uses(gt_space *space, uint32_t axis, uint8_t choice);
/* What excludes every configuration with this value, which the space covers: NULL when nothing
 * does, else a reason against the value by itself, or against the default with this value in place.
 */
const char *gt_space_why_unused(gt_space *space, uint32_t axis, uint8_t choice);
/* What excludes how many combinations: each is counted once, for the constraint that cut it off
 * first. The list is the space's own, until the next call. */
size_t gt_space_exclusions(gt_space *space, const gt_exclusion_count **out);
/* Why this configuration is excluded, or NULL when it is valid; what `only` leaves out is no
 * reason. The string belongs to the space. Does not disturb a walk. */
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
