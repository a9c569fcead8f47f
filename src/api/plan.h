/* Plans: what tune_kernel() returns and gputune_launch() launches (plan.c), and their table
 * (plan_table.c). */
#ifndef GT_API_PLAN_H
#define GT_API_PLAN_H

#include "api/description.h"
#include "api/misses.h"
#include "base/device.h"
#include "gpu/driver.h"
#include "gpu/launcher.h"
#include "tuner/tune.h"

/* Makes a plan of a choice at the request's problem; takes over the choice's images. With a current
 * context the code is loaded now, else at the first launch. *out is the caller's. */
gputune_status gt_plan_make(gputune_plan **out, const gt_request *request, gt_choice *choice,
                            const gt_driver *driver);

/* Says that the plan is given out where a stored result was asked for and not found; before any
 * other thread knows the plan. */
void gt_plan_set_miss(gputune_plan *plan, gt_miss *miss);
/* That miss, or NULL. */
gt_miss *gt_plan_miss(const gputune_plan *plan);

/* Whether two plans launch the same configuration. */
bool gt_plan_is_same(const gputune_plan *a, const gputune_plan *b);

/* The description of a plan's kernel; the plan's. */
const gt_description *gt_plan_description(const gputune_plan *plan);
/* What a plan launches where its buffers are aligned as it assumes. All of it is the plan's. */
typedef struct gt_plan_view {
    const gt_description *description;
    const gt_launch *launch;
    const gt_image *image;
    const gt_launcher *launcher;
} gt_plan_view;
/* Loads the code into the current context unless it is loaded. */
gputune_status gt_plan_view_loaded(gt_plan_view *out, gputune_plan *plan);

/* Open addressing over plans that were made. Readers take no lock and allocate nothing; one writer
 * at a time. Superseded plans and tables live until the table is freed. */
typedef struct gt_plan_table gt_plan_table;
gputune_status gt_plan_table_new(gt_plan_table **out);
void gt_plan_table_free(gt_plan_table *table);

enum { GT_PLAN_KEY_MAX = 1024 };
/* A request as bytes: kernel, sizes, and the options that name a scenario and its space. If it is
 * too long for the buffer, or has live inputs, which may change under the same pointer, the length
 * is 0, and it is never in the table. */
typedef struct gt_plan_key {
    size_t length;
    uint64_t hash;
    unsigned char bytes[GT_PLAN_KEY_MAX];
} gt_plan_key;
/* `generation` counts added templates: a name may stand for another kernel afterwards. */
void gt_plan_key_make(gt_plan_key *out, const char *kernel, gputune_sizes sizes,
                      const gputune_options *options, uint32_t generation);

/* The plan of that key whose terms answer these (gt_answers), retained for the caller; NULL: none.
 * Equal keys are taken to have equal spaces: an edited template is noticed after
 * gt_plan_table_refresh(). */
gputune_plan *gt_plan_table_find(gt_plan_table *table, const gt_plan_key *key,
                                 const gt_terms *asked);
/* Adds a plan that was made under these terms, and retains it. A plan of the same key that answers
 * the same requests stays in its place, unless `replace`. ENOMEM leaves the table unchanged. */
gputune_status gt_plan_table_add(gt_plan_table *table, const gt_plan_key *key,
                                 const gt_terms *terms, gputune_plan *plan, bool replace);
/* Says that this process has measured, and may have stored results. Plans that are no decision may
 * be outdated, and are not found any more. */
void gt_plan_table_note_result(gt_plan_table *table);
/* Says that other processes may have stored results. No plan is found before it was looked up
 * again. */
void gt_plan_table_refresh(gt_plan_table *table);

#endif
