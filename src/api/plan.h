/* Plans: what tune_kernel() returns and gputune_launch() launches (plan.c), their table
 * (plan_table.c) and its keys. */
#pragma once

#include "api/description.h"
#include "api/misses.h"
#include "base/device.h"
#include "gpu/driver.h"
#include "gpu/launcher.h"
#include "tuner/tune.h"

/* Makes a plan of a choice at the request's problem; takes over the choice's images. With a current
 * context the code is loaded now, else at the first launch. With `debug` each launch is checked by
 * gt_debug_launch(). *out is the caller's. */
gputune_status gt_plan_make(gputune_plan **out, const gt_request *request, gt_choice *choice,
                            const gt_driver *driver, bool debug);

/* Says that the plan is given out where a stored result was asked for and not found; before any
 * other thread knows the plan. */
void gt_plan_set_miss(gputune_plan *plan, gt_miss *miss);
/* The miss of that key, or NULL. */
gt_miss *gt_plan_miss(const gputune_plan *plan);

/* Whether two plans launch the same configuration. */
bool gt_plan_is_same(const gputune_plan *a, const gputune_plan *b);

/* Whether a plan is of the kernel of that name. */
bool gt_plan_is_of(const gputune_plan *plan, const char *kernel);

/* Takes a reference for a place where many threads find the plan and retain it, which then costs
 * each of them no more than it costs one. One thread at a time. */
void gt_plan_share(gputune_plan *plan);
/* No thread finds the plan in that place any more. One thread at a time. The reference is still to
 * be released. */
void gt_plan_unshare(gputune_plan *plan);

/* Open addressing over plans that were made. Readers take no lock and allocate nothing; one writer
 * at a time. Beyond the limit, plans that were not asked for lately are let go, whatever they are:
 * asked for again, they are found in the store, which keeps in memory what no file takes, or are
 * made as they were. What is replaced or let go is freed as soon as no reader sees it; plans live
 * on while somebody holds them. */
typedef struct gt_plan_table gt_plan_table;
enum { GT_PLAN_TABLE_LIMIT = 1024 }; /* of a tuner that is not told another one */
/* `limit`: of plans, at least 1. */
gputune_status gt_plan_table_new(gt_plan_table **out, size_t limit);
/* No reader may be inside. */
void gt_plan_table_free(gt_plan_table *table);

/* A request as words: kernel, sizes, and the options that name a scenario and its space. With live
 * inputs, which may change under the same pointer, or where memory is short, the count is 0, and
 * it is never in the table. gt_plan_key_free() releases. */
typedef struct gt_plan_key {
    size_t count, room;
    uint64_t hash;
    uint64_t *words, *heap; /* heap: only of a long one */
    uint64_t inside[64];
} gt_plan_key;
void gt_plan_key_make(gt_plan_key *out, const char *kernel, gputune_sizes sizes,
                      const gputune_options *options);
void gt_plan_key_free(gt_plan_key *key);
/* Whether these are its words. */
bool gt_plan_key_is(const gt_plan_key *key, const uint64_t *words, size_t count);

/* The plan of that key whose terms answer these (gt_answers), retained for the caller; NULL: none.
 * The caller is a reader (base/readers.h).
 * Equal keys are taken to have equal spaces: an edited template is noticed after
 * gt_plan_table_refresh(). */
gputune_plan *gt_plan_table_find(gt_plan_table *table, const gt_plan_key *key,
                                 const gt_terms *asked);
/* Adds a plan that was made under these terms, and retains it. A plan of the same key that answers
 * the same requests stays in its place, unless `replace`. `forgets` is what gt_plan_table_forgets()
 * said before the plan was made: if it says something else now, the plan may be of a template that
 * was replaced, and is not added. ENOMEM leaves the table unchanged. */
gputune_status gt_plan_table_add(gt_plan_table *table, const gt_plan_key *key,
                                 const gt_terms *terms, gputune_plan *plan, bool replace,
                                 uint32_t forgets);
/* Lets go of the plans of one kernel: asked for by its name, by its template's path, or otherwise.
 * ENOMEM leaves them in the table. */
gputune_status gt_plan_table_forget(gt_plan_table *table, const char *name, const char *path);
uint32_t gt_plan_table_forgets(gt_plan_table *table);
/* A number that is another one whenever plans that were made before may no longer answer: a
 * template was replaced, or the table is to be looked up again. */
uint32_t gt_plan_table_changes(gt_plan_table *table);
/* Says that this process has measured, and may have stored results. Plans that it has not tuned,
 * and that are no decision, may be outdated, and are not found any more. */
void gt_plan_table_note_result(gt_plan_table *table);
/* Says that other processes may have stored results. No plan is found before it was looked up
 * again. */
void gt_plan_table_refresh(gt_plan_table *table);
