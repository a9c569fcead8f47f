/* Plans, which tune_kernel() returns and gputune_launch() launches, and the table of plans. */
#pragma once

#include "api/code.h"
#include "api/description.h"
#include "api/misses.h"
#include "kernel/bind/prototype.h"
#include "tuner/tune.h"

#include <stdlib.h>
#include <string.h>

/* Makes an empty pool. `driver` is NULL for a tuner that launches nothing. */
void gt_plan_pool_open(gt_plan_pool *out, const gt_driver *driver, const gt_device *device,
                       bool debug);
/* Ends all plans and unloads their code, so later launches fail. No launch may be in progress. */
void gt_plan_pool_end(gt_plan_pool *pool);
/* Frees the structs of kept plans, after gt_plan_pool_end(). */
void gt_plan_pool_free(gt_plan_pool *pool);

/* Makes a plan from a choice, and takes over the choice's images. Loads the code if a context is
 * current. The caller releases *out with gputune_plan_release(). */
gputune_status gt_plan_make(gputune_plan **out, const gt_request *request, gt_choice *choice,
                            gt_plan_pool *pool);
static inline void gt_plan_release_at(gputune_plan **plan)
{
    gputune_plan_release(*plan);
}
/* A plan of a variant of a rule, from which plans at other run-time sizes are made. */
typedef struct gt_plan_model {
    gputune_plan *plan;          /* a plan for `problem`; it belongs to the pool */
    gt_prototype *prototypes[2]; /* of winner and fallback; NULL: plans are not resizable */
    const gt_template *template;
    gt_problem problem;
    gt_config config, fallback;
    gt_resources resources;
    gputune_objective objective;
    uint32_t alignment[GT_PARAMETER_MAX];
    bool has_bytes; /* true if launches need scratch memory, or set buffers to zero */
} gt_plan_model;

/* Makes a model from a choice, and takes over the choice's images. The model's plan is kept, so the
 * pool frees it; gt_plan_model_free() frees the rest of *out. */
gputune_status gt_plan_model_make(gt_plan_model *out, const gt_request *request, gt_choice *choice,
                                  gt_plan_pool *pool);
/* Frees the model's prototypes. Call it after the pool has ended. */
void gt_plan_model_free(gt_plan_model *model);
/* Makes a gt_choice with the model's variant and a copy of its code, for a model without
 * prototypes. */
gputune_status gt_plan_model_choice(gt_choice *out, const gt_plan_model *model);
/* Makes a plan from a model, for a problem that differs from the model's only in run-time sizes.
 * Needs one allocation and no driver call. ENOTFOUND, without a message, if the kernel has no
 * prototype or the variant is invalid for the problem. The model must live until the pool has
 * ended. Thread-safe. */
gputune_status gt_plan_resize(gputune_plan **out, const gt_plan_model *model,
                              const gt_problem *problem);

/* Turns an owned plan into a kept plan. Call it before other threads can see the plan. */
void gt_plan_keep(gputune_plan *plan);

/* Gets the current context. EINVAL if there is none, or if it belongs to another device. The error
 * message mentions `kernel`. */
gputune_status gt_plan_context(gt_context *out, const gt_driver *driver, int ordinal,
                               const char *kernel);

/* Checks a launch for GPUTUNE_DEBUG (memory.c), because the driver reports a wrong pointer only at
 * the next synchronisation, and does not name the buffer. EINVAL if no context of the device is
 * current, or if a buffer was freed, is host memory, is too short, or belongs to another context.
 * Skips addresses that the driver does not know. `items` has the caller's arguments, none of which
 * is NULL. */
gputune_status gt_debug_launch(const gt_driver *driver, int ordinal, const char *kernel,
                               const gt_description *description, const void *const *items);

/* Records that the plan's request was a miss. Call it before other threads see the plan. */
void gt_plan_set_miss(gputune_plan *plan, gt_miss *miss);
/* Returns the miss recorded for the plan, or NULL. */
gt_miss *gt_plan_miss(const gputune_plan *plan);

/* Returns the watch on the files of the plan's template, or NULL. It lives as long as the plan. */
gt_watch *gt_plan_watch(const gputune_plan *plan);

/* Returns true if two plans have the same result: configuration, source and time. */
bool gt_plan_is_same(const gputune_plan *a, const gputune_plan *b);

bool gt_plan_is_of(const gputune_plan *plan, const char *kernel);

/* The plans that tune_kernel() finds without a lookup in the database (plan_table.c). Any number of
 * threads may read the table while one thread writes. */
typedef struct gt_plan_table gt_plan_table;
enum { GT_PLAN_TABLE_LIMIT = 16384 }; /* default limit of the number of plans */
/* Makes an empty table for at most `limit` plans. Fails only with ENOMEM. */
gputune_status gt_plan_table_new(gt_plan_table **out, size_t limit);
/* Frees the table, but not its plans. No thread may be reading it. NULL is allowed. */
void gt_plan_table_free(gt_plan_table *table);

/* The key of a request: the kernel, the sizes, and the options that determine its scenario and
 * space, as 64-bit words. `count` is 0 if the request has no key, because the caller's inputs may
 * change or because memory ran out. Release the key with gt_plan_key_free(). */
typedef struct gt_plan_key {
    size_t count, room;
    uint64_t hash;
    uint64_t *words, *heap; /* `words` points to `inside`, or to `heap` if the key is long */
    uint64_t inside[64];
} gt_plan_key;
void gt_plan_key_make(gt_plan_key *out, const char *kernel, gputune_sizes sizes,
                      const gputune_options *options);
static inline void gt_plan_key_free(gt_plan_key *key)
{
    if (key->heap) {
        free(key->heap);
    }
}
/* Returns true if the key consists of these words. */
bool gt_plan_key_is(const gt_plan_key *key, const uint64_t *words, size_t count);

/* gt_plan_key_words() returns the number of words that a text takes in a key. gt_plan_key_head()
 * returns the number of words before the sizes. A size takes the words of its name and one word for
 * its value. */
static inline size_t gt_plan_key_words(const char *text)
{
    return strlen(text) / sizeof(uint64_t) + 1;
}
size_t gt_plan_key_head(const gt_plan_key *key, gputune_sizes sizes);

typedef struct gt_plan_call {
    gputune *tuner;
    const gt_plan_key *key;
    const char *kernel;
    gputune_sizes sizes;
    const gputune_options *options; /* options of the call, but `terms` has its effort */
    gt_terms terms; /* terms that the plan must satisfy, except the space, which is in the key */
    int64_t start_ns;
} gt_plan_call;

/* Finds a kept plan with this key whose terms satisfy the terms `asked` (gt_answers()). Returns
 * NULL if there is none. If *due is not NULL afterwards, the caller must call gt_watch_look()
 * before it uses the plan, to check that the template's files were not edited. */
gputune_plan *gt_plan_table_find(gt_watch **due, gt_plan_table *table, const gt_plan_key *key,
                                 const gt_terms *asked);
/* Adds a plan that was made under these terms, and makes it a kept plan. The caller still owns the
 * plan in these cases: the key is empty; the table is full; a template was replaced since
 * gt_plan_table_forgets() returned `forgets`; another plan with this key satisfies the same
 * requests (ignored if `replace` is true). Plans of rules fill at most half of the table. ENOMEM
 * leaves the table unchanged. */
gputune_status gt_plan_table_add(gt_plan_table *table, const gt_plan_key *key,
                                 const gt_terms *terms, gputune_plan *plan, bool replace,
                                 uint32_t forgets);
/* Returns true if no plan was ever added. If so, no thread can be reading a plan's watch. */
bool gt_plan_table_is_empty(const gt_plan_table *table);
/* Returns true if the table has a measured plan for the key, including outdated plans. */
bool gt_plan_table_has_measured(gt_plan_table *table, const gt_plan_key *key);
/* Removes all plans of a kernel, whether they were requested by name or by path. */
void gt_plan_table_forget(gt_plan_table *table, const char *name, const char *path);
uint32_t gt_plan_table_forgets(gt_plan_table *table);
/* Returns a number that changes when a template is replaced or the table is refreshed. */
uint32_t gt_plan_table_changes(gt_plan_table *table);
/* Records that this process may have stored results. Afterwards, plans that are not final must be
 * looked up again, except plans that this process tuned. */
void gt_plan_table_note_result(gt_plan_table *table);
/* Records that other processes may have stored results. Every plan must then be looked up again. */
void gt_plan_table_refresh(gt_plan_table *table);
