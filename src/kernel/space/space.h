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

/* Opens a space; template, problem, workload and device must outlive it. `only` are `only_count`
 * texts "AXIS=v,v", which restrict axes to these values. A value that the axis lacks is added to
 * the template if the axis's kind takes it; in this way users try new values. EINVAL for an unknown
 * axis, with the nearest name. Opening is cheap: nothing is enumerated. One thread at a time may
 * use a space; several spaces over one template are independent. A require() that cannot be
 * evaluated (a division by zero, an overflow) excludes a configuration like a require() that does
 * not hold. */
gputune_status gt_space_open(gt_space **out, const gt_template *template, const gt_problem *problem,
                             const gt_workload *workload, const gt_device *device,
                             const char *const *only, size_t only_count);
void gt_space_free(gt_space *space);
/* Sets the callback that every function below calls often if it may take long. Once `canceled`
 * returns true, walks end, draws fail and counts are bounds. NULL: nothing is ever canceled. */
void gt_space_set_cancel(gt_space *space, bool (*canceled)(void *user), void *user);
/* Works out, once, how the constraints tie axes together. Counting, drawing and walking rest on
 * this, and do it first if it was not done yet. It takes up to some 100 ms and some 10 MB, whatever
 * the number of combinations. ENOMEM and ECANCELED leave a space that works with estimates and
 * bounds. */
gputune_status gt_space_prepare(gt_space *space);
/* ENOVARIANT, with the reasons, when no configuration is valid. Else returns what
 * gt_space_prepare() returns. */
gputune_status gt_space_require_any(gt_space *space);

/* Sets *out to the value indices of an axis that the space covers, in their order, and returns how
 * many there are. `only` may leave out the template's own values and add others. The array lives as
 * long as the space. */
size_t gt_space_choices(const gt_space *space, uint32_t axis, const uint8_t **out);
/* Walks: sets *out to the next valid configuration in lexicographic order of the axes; false at the
 * end, or when canceled. A call takes less than a microsecond in most spaces. If constraints tie
 * too many axes together, it searches, and its time has no bound. */
bool gt_space_next(gt_space *space, gt_config *out);
/* Begins the walk of gt_space_next() again. */
void gt_space_rewind(gt_space *space);
/* Draws a valid configuration, each equally likely, in a few microseconds; false when there is
 * none, or when canceled. If the constraints tie too many axes together (gt_space_count() is not
 * exact), the function draws until a configuration is valid. If thousands of draws are not valid,
 * it searches, and the result is random but not uniform; false also when a search of some 10 ms
 * finds none. The result is reproducible from *random. A walk goes on undisturbed. */
bool gt_space_draw(gt_space *space, gt_random *random, gt_config *out);

/* Returns whether the space covers the configuration and nothing excludes it. */
bool gt_space_has(gt_space *space, const gt_config *config);

/* Sets `out` to what is known of a valid configuration's launch before it is compiled, as
 * logarithms: of each kernel the threads of a block, the dynamic shared memory, the blocks, and how
 * many blocks and threads the GPU holds at once; then the blocks that launch_bounds() promises to
 * each multiprocessor. Returns how many numbers these are, which is the same for the whole space.
 */
uint32_t gt_space_features(double out[GT_LAUNCH_FEATURES], const gt_space *space,
                           const gt_config *config);

/* A hash of what the space covers: the axes with their values (after restrictions) and buffers, the
 * constraints, and the clauses that say which code a configuration becomes. A stored winner with
 * another signature was chosen among other variants. */
gt_hash gt_space_signature(const gt_space *space);
/* How many combinations of values there are before constraints; UINT64_MAX when there are more. */
uint64_t gt_space_combinations(const gt_space *space);
/* How many configurations are valid. */
gt_space_size gt_space_count(gt_space *space);
/* How many different sources the valid configurations generate. */
gt_space_size gt_space_sources(gt_space *space);
/* Returns whether some valid configuration has this value; if counts are not exact, whether one may
 * have it. */
bool gt_space_uses(gt_space *space, uint32_t axis, uint8_t choice);
/* Why no valid configuration has this value, which the space must cover: a reason against the value
 * by itself, or against the default configuration with this value in place. NULL: some
 * configuration with the value is valid. */
const char *gt_space_why_unused(gt_space *space, uint32_t axis, uint8_t choice);
/* Sets *out to a list of reasons, with how many combinations each excludes, and returns its length.
 * A combination counts once, for the first constraint that excludes it. The list belongs to the
 * space and is valid until the next call. */
size_t gt_space_exclusions(gt_space *space, const gt_exclusion_count **out);
/* Why this configuration is excluded, or NULL when it is valid; the restrictions of `only` do not
 * count. The string belongs to the space. A walk goes on undisturbed. */
const char *gt_space_excludes(gt_space *space, const gt_config *config);
