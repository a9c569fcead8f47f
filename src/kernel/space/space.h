/* A space: the valid configurations of a template at a problem on a device. */
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
    GT_ABOUT,  /* estimated from a sample, or larger than 64 bits allow */
    GT_AT_MOST /* an upper bound: a sample contained no valid configuration */
} gt_certainty;

typedef struct gt_space_size {
    uint64_t count;
    gt_certainty certainty;
} gt_space_size;

typedef struct gt_exclusion_count {
    const char *reason; /* "require(...)" or the text of a limit; owned by the space */
    uint64_t count;     /* number of combinations that it excludes */
    gt_certainty certainty;
} gt_exclusion_count;

/* Opens a space, but does not enumerate it. The pointers must outlive the space. Each text
 * "AXIS=v,v" of `only` restricts an axis to these values; values that the axis lacks are added to
 * the template if the axis allows that. A require() that cannot be evaluated excludes a
 * configuration. Only one thread at a time may use a space. EINVAL for an unknown axis. */
gputune_status gt_space_open(gt_space **out, const gt_template *template, const gt_problem *problem,
                             const gt_workload *workload, const gt_device *device,
                             const char *const *only, size_t only_count);
void gt_space_free(gt_space *space);
/* Sets a callback that cancels long operations when it returns true. */
void gt_space_set_cancel(gt_space *space, bool (*canceled)(void *user), void *user);
/* Builds the diagrams. Counting, drawing and iterating call this first. Takes up to 100 ms and 10
 * MB, but only once. After ENOMEM or ECANCELED, counts are estimates and bounds. */
gputune_status gt_space_prepare(gt_space *space);
/* Fails with ENOVARIANT and the most frequent reasons if no configuration is valid. */
gputune_status gt_space_require_any(gt_space *space);

/* Sets *out to the allowed values of an axis, which the space owns, and returns their number. */
size_t gt_space_choices(const gt_space *space, uint32_t axis, const uint8_t **out);
/* Sets *out to the next valid configuration in lexicographic order. Returns false at the end, or if
 * cancelled. Takes less than a microsecond if counts are exact; otherwise the time is not
 * limited. */
bool gt_space_next(gt_space *space, gt_config *out);
/* Restarts the iteration of gt_space_next(). */
void gt_space_rewind(gt_space *space);
/* Draws a valid configuration uniformly. Equal *random give equal results. Takes microseconds if
 * counts are exact. Otherwise tries thousands of random configurations, and then searches for about
 * 10 ms, which is not uniform. Returns false if it found none, or if cancelled. */
bool gt_space_draw(gt_space *space, gt_random *random, gt_config *out);

/* Returns true if the space contains the configuration. */
bool gt_space_has(gt_space *space, const gt_config *config);

/* Writes features of a configuration that are known before compilation to `out`, as logarithms. For
 * each kernel, these are threads per block, shared memory, blocks, and how many blocks and threads
 * the GPU can run together; at the end, the blocks of launch_bounds(). Returns the number of
 * features of the space. */
uint32_t gt_space_features(double out[GT_LAUNCH_FEATURES], const gt_space *space,
                           const gt_config *config);

/* Returns a hash of the variants that the space contains: axes, values, constraints, and clauses
 * that change the code. If the hash of a winner is different, it was chosen from other variants. */
gt_hash gt_space_signature(const gt_space *space);
/* Returns the number of combinations of values, ignoring constraints, or UINT64_MAX if there are
 * more. */
uint64_t gt_space_combinations(const gt_space *space);
/* Returns the number of valid configurations. */
gt_space_size gt_space_count(gt_space *space);
/* Returns the number of different sources of the valid configurations. */
gt_space_size gt_space_sources(gt_space *space);
/* Returns true if a valid configuration has the value. If counts are not exact, true means that one
 * may have it. */
bool gt_space_uses(gt_space *space, uint32_t axis, uint8_t choice);
/* Returns why no valid configuration has a value, or NULL if a configuration has it. */
const char *gt_space_why_unused(gt_space *space, uint32_t axis, uint8_t choice);
/* Sets *out to the reasons, each with the number of combinations that it is the first to exclude.
 * Returns their number. The list is valid until the next call. */
size_t gt_space_exclusions(gt_space *space, const gt_exclusion_count **out);
/* Returns why a configuration is excluded, or NULL. Ignores `only`. The space owns the text. */
const char *gt_space_excludes(gt_space *space, const gt_config *config);
