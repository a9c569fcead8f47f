/* A space: the valid configurations of a template for a problem on a device. */
#pragma once

#include "base/launch.h"
#include "base/random.h"
#include "base/text.h"
#include "kernel/bind/problem.h"
#include "kernel/template/config.h"

typedef struct gt_space gt_space;

/* The precision of a count. */
typedef enum gt_certainty {
    GT_EXACT,
    GT_ABOUT,  /* estimated from a sample, or too large for 64 bits */
    GT_AT_MOST /* an upper bound, because a sample contained no valid configuration */
} gt_certainty;

typedef struct gt_space_size {
    uint64_t count;
    gt_certainty certainty;
} gt_space_size;

typedef struct gt_exclusion_count {
    const char *reason; /* "require(...)" or the message of a limit; owned by the space */
    uint64_t count;     /* number of combinations that the reason excludes */
    gt_certainty certainty;
} gt_exclusion_count;

/* Opens a space without enumerating its configurations. The pointers must outlive the space. Each
 * text "AXIS=v,v" in `only` restricts an axis to some values; new values are added to the template
 * if the axis allows them. A require() that cannot be evaluated excludes a configuration. Only one
 * thread at a time may use a space. EINVAL for an unknown axis. */
gputune_status gt_space_open(gt_space **out, const gt_template *template, const gt_problem *problem,
                             const gt_workload *workload, const gt_device *device,
                             const char *const *only, size_t only_count);
void gt_space_free(gt_space *space);
/* Sets a callback that cancels long operations by returning true. */
void gt_space_set_cancel(gt_space *space, bool (*canceled)(void *user), void *user);
/* Builds the diagrams once, in up to 200 ms and 10 MB. Counting, drawing and iterating call this
 * function. After ENOMEM or ECANCELED, counts are estimates and bounds. */
gputune_status gt_space_prepare(gt_space *space);
/* Fails with ENOVARIANT and the most frequent reasons if no configuration is valid. */
gputune_status gt_space_require_any(gt_space *space);

/* Sets *out to the allowed values of an axis, which the space owns. Returns their number. */
size_t gt_space_choices(const gt_space *space, uint32_t axis, const uint8_t **out);
/* Sets *out to the next valid configuration in lexicographic order. Returns false after the last
 * one or after a cancel. Takes less than a microsecond if counts are exact; otherwise the time is
 * unlimited. */
bool gt_space_next(gt_space *space, gt_config *out);
void gt_space_rewind(gt_space *space);
/* Draws a valid configuration uniformly; equal states of *random give equal results. Takes
 * microseconds if counts are exact. Otherwise tries up to 16,384 random combinations of each group
 * of axes. Returns false if none was valid, or after a cancel. */
bool gt_space_draw(gt_space *space, gt_random *random, gt_config *out);

bool gt_space_has(gt_space *space, const gt_config *config);

/* Writes the launch features of a configuration, as logarithms, to `out`. Each kernel has five:
 * threads per block, shared memory, blocks, resident blocks and resident threads. The last feature
 * is the number of blocks in launch_bounds(). Returns the number of features. */
uint32_t gt_space_features(double out[GT_LAUNCH_FEATURES], const gt_space *space,
                           const gt_config *config);

/* Returns a hash of the axes, values, constraints, and clauses that change the code. A winner with
 * a different hash was chosen from other variants. */
gt_hash gt_space_signature(const gt_space *space);
/* Returns the number of combinations of values, ignoring constraints, but at most UINT64_MAX. */
uint64_t gt_space_combinations(const gt_space *space);
gt_space_size gt_space_count(gt_space *space);
/* Returns the number of different sources of all valid configurations. */
gt_space_size gt_space_sources(gt_space *space);
/* Returns true if a valid configuration has the value, or may have it if counts are not exact. */
bool gt_space_uses(gt_space *space, uint32_t axis, uint8_t choice);
/* Returns why no valid configuration has a value, or NULL if one has it. */
const char *gt_space_why_unused(gt_space *space, uint32_t axis, uint8_t choice);
/* Sets *out to all reasons. A combination is counted for the first reason that excludes it. Returns
 * the number of reasons. The list is valid until the next call. */
size_t gt_space_exclusions(gt_space *space, const gt_exclusion_count **out);
/* Returns why a configuration is excluded, or NULL. Ignores `only`. The space owns the text. */
const char *gt_space_excludes(gt_space *space, const gt_config *config);
