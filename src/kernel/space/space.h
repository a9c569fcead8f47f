/* A space: the configurations of a template that are valid for a problem and a device. */
#pragma once

#include "base/launch.h"
#include "base/random.h"
#include "base/text.h"
#include "kernel/bind/problem.h"
#include "kernel/template/config.h"

typedef struct gt_space gt_space;

/* How exact a count is. */
typedef enum gt_certainty {
    GT_EXACT,
    GT_ABOUT,  /* estimated from a sample, or too large for 64 bits */
    GT_AT_MOST /* an upper bound: a sample found no valid configuration */
} gt_certainty;

typedef struct gt_space_size {
    uint64_t count;
    gt_certainty certainty;
} gt_space_size;

typedef struct gt_exclusion_count {
    const char
        *reason;    /* owned by the space: a require()'s text, "block exceeds 1024 threads", … */
    uint64_t count; /* combinations that the reason excludes */
    gt_certainty certainty;
} gt_exclusion_count;

/* Opens a space, without enumerating it; the pointers must outlive it. `only` are texts "AXIS=v,v",
 * which restrict axes to these values; a value that the axis lacks is added to the template if its
 * kind takes it. EINVAL for an unknown axis, with the nearest name. One thread at a time may use a
 * space. A require() that cannot be evaluated excludes a configuration too. */
gputune_status gt_space_open(gt_space **out, const gt_template *template, const gt_problem *problem,
                             const gt_workload *workload, const gt_device *device,
                             const char *const *only, size_t only_count);
void gt_space_free(gt_space *space);
/* Sets the callback that ends long walks, draws and counts once it returns true. */
void gt_space_set_cancel(gt_space *space, bool (*canceled)(void *user), void *user);
/* Works out, once, how constraints tie axes together, as counting, drawing and walking do first. It
 * takes up to 100 ms and 10 MB. ENOMEM and ECANCELED leave a space with estimates and bounds. */
gputune_status gt_space_prepare(gt_space *space);
/* Fails with ENOVARIANT, with the reasons, when no configuration is valid. */
gputune_status gt_space_require_any(gt_space *space);

/* Sets *out to the indices of the axis's values, which the space owns, and returns how many. */
size_t gt_space_choices(const gt_space *space, uint32_t axis, const uint8_t **out);
/* Sets *out to the next valid configuration in lexicographic order; false at the end, or when
 * canceled. Takes less than a microsecond, but without a bound if counts are not exact. */
bool gt_space_next(gt_space *space, gt_config *out);
/* Restarts the iteration of gt_space_next(). */
void gt_space_rewind(gt_space *space);
/* Draws a valid configuration, each equally likely, in microseconds; reproducible from *random. If
 * counts are not exact, it draws until one is valid, and after thousands it searches some 10 ms, no
 * longer uniformly. false: none was found, or canceled. */
bool gt_space_draw(gt_space *space, gt_random *random, gt_config *out);

/* Returns whether the space covers the configuration and nothing excludes it. */
bool gt_space_has(gt_space *space, const gt_config *config);

/* Sets `out` to logarithms of what is known before compilation: of each kernel the block's threads,
 * shared memory, blocks, and how many blocks and threads the GPU holds; then the blocks of
 * launch_bounds(). Returns how many, the same for the whole space. */
uint32_t gt_space_features(double out[GT_LAUNCH_FEATURES], const gt_space *space,
                           const gt_config *config);

/* Returns a hash of what the space covers: axes, values, buffers, constraints, and clauses that
 * make the code. A winner with another hash was chosen among other variants. */
gt_hash gt_space_signature(const gt_space *space);
/* How many combinations of values there are before constraints; UINT64_MAX when there are more. */
uint64_t gt_space_combinations(const gt_space *space);
/* How many configurations are valid. */
gt_space_size gt_space_count(gt_space *space);
/* How many different sources the valid configurations generate. */
gt_space_size gt_space_sources(gt_space *space);
/* Returns whether a valid configuration has the value, or may if counts are not exact. */
bool gt_space_uses(gt_space *space, uint32_t axis, uint8_t choice);
/* Returns a reason against a value that the space covers; NULL: it is in a valid configuration. */
const char *gt_space_why_unused(gt_space *space, uint32_t axis, uint8_t choice);
/* Lists reasons with how many combinations each is the first to exclude, until the next call. */
size_t gt_space_exclusions(gt_space *space, const gt_exclusion_count **out);
/* Returns why the configuration is excluded, or NULL, whatever `only` was. The space owns it. */
const char *gt_space_excludes(gt_space *space, const gt_config *config);
