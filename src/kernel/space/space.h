/* A space consists of all valid configurations of a template for a problem on a device. */
#pragma once

#include "base/launch.h"
#include "base/random.h"
#include "base/text.h"
#include "kernel/bind/problem.h"
#include "kernel/template/config.h"

typedef struct gt_space gt_space;

/* How precise a count is. */
typedef enum gt_certainty {
    GT_EXACT,
    GT_ABOUT,  /* an estimate from a sample, or a number that does not fit 64 bits */
    GT_AT_MOST /* an upper limit, because no configuration in a sample was valid */
} gt_certainty;

typedef struct gt_space_size {
    uint64_t count;
    gt_certainty certainty;
} gt_space_size;

typedef struct gt_exclusion_count {
    const char *reason; /* "require(...)", or the message of a limit; owned by the space */
    uint64_t count;     /* number of combinations that are excluded for this reason */
    gt_certainty certainty;
} gt_exclusion_count;

/* Opens a space. Does not list its configurations yet. All pointers must outlive the space. Each
 * text "AXIS=v,v" in the array `only` restricts an axis to some of its values, or to new values if
 * the axis allows them. A configuration is excluded if a require() cannot be evaluated for it. A
 * space must not be used by several threads at once. EINVAL for an unknown axis. */
gputune_status gt_space_open(gt_space **out, const gt_template *template, const gt_problem *problem,
                             const gt_workload *workload, const gt_device *device,
                             const char *const *only, size_t only_count);
void gt_space_free(gt_space *space);
/* Sets a callback that can cancel long operations. They stop when it returns true. */
void gt_space_set_cancel(gt_space *space, bool (*canceled)(void *user), void *user);
/* Builds the diagrams if they do not exist, each in up to 200 ms and 10 MB. Functions that count,
 * draw or list configurations call this. If this fails, counts are estimates or upper limits. */
gputune_status gt_space_prepare(gt_space *space);
/* Fails with ENOVARIANT if no configuration is valid. The message has the most frequent reasons. */
gputune_status gt_space_require_any(gt_space *space);

/* Sets *out to the values that an axis may have, and returns their number. The space owns *out. */
size_t gt_space_choices(const gt_space *space, uint32_t axis, const uint8_t **out);
/* Sets *out to the next valid configuration in lexicographic order. Returns false after the last
 * configuration or a cancel. Takes less than a microsecond if counts are exact. Otherwise a call
 * may take any amount of time. */
bool gt_space_next(gt_space *space, gt_config *out);
void gt_space_rewind(gt_space *space);
/* Draws a random valid configuration. All are equally likely, and equal states of *random give
 * equal results. Takes microseconds if counts are exact. Otherwise tries up to 16,384 combinations
 * of each group of axes. Returns false if none of them is valid, or after a cancel. */
bool gt_space_draw(gt_space *space, gt_random *random, gt_config *out);

bool gt_space_has(gt_space *space, const gt_config *config);

/* Writes the features of a configuration's launch to `out`, as logarithms. There are five for each
 * kernel: threads per block, shared memory, number of blocks, resident blocks and resident threads.
 * The last feature is the number of blocks in launch_bounds(). Returns the number of features. */
uint32_t gt_space_features(double out[GT_LAUNCH_FEATURES], const gt_space *space,
                           const gt_config *config);

/* Returns a hash of the axes, their values, the constraints, and the clauses that change the code.
 * If a winner was stored with a different hash, the winner was chosen from a different space. */
gt_hash gt_space_signature(const gt_space *space);
/* Returns the number of combinations of values, valid or not. The maximum is UINT64_MAX. */
uint64_t gt_space_combinations(const gt_space *space);
gt_space_size gt_space_count(gt_space *space);
/* Returns the number of different sources that the valid configurations have. */
gt_space_size gt_space_sources(gt_space *space);
/* Returns true if a valid configuration has the value. If counts are not exact, it may return true
 * although no valid configuration has the value. */
bool gt_space_uses(gt_space *space, uint32_t axis, uint8_t choice);
/* Returns why no valid configuration has this value, or NULL if gt_space_uses() returns true. */
const char *gt_space_why_unused(gt_space *space, uint32_t axis, uint8_t choice);
/* Sets *out to a list of all reasons, with the number of combinations for which each is the first
 * reason. Returns the number of reasons. The list is valid until the next call. */
size_t gt_space_exclusions(gt_space *space, const gt_exclusion_count **out);
/* Returns why a configuration is excluded, or NULL. Ignores `only`. The space owns the text. */
const char *gt_space_excludes(gt_space *space, const gt_config *config);
