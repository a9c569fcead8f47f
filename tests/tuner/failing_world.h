/* Repeats a call of a tuner. In each repetition, another allocation, or another call or answer of
 * the farm, fails. If the call fails, it must succeed when it is repeated without failures. */
#pragma once

#include "search_world.h"
#include "support/each_failure.h"
#include "tuner/outcome.h"

typedef struct failing_world failing_world;
typedef gputune_status (*failing_act)(failing_world *f);

struct failing_world {
    world *w;
    failing_act act;
    const char *best;   /* expected text in the configuration if nothing fails, or NULL */
    bool nothing_fails; /* true while repeat() runs `act` without failures */
    bool may_refute;    /* true if a failure may be stored for the variant */
    gputune_sizes sizes;
    gputune_options options;
    const gt_background_use *background;
};

#define BAD_BLOCK 512 /* the variant with this block has wrong results */

static inline gputune_status make_request(gt_request **out, failing_world *f,
                                          const gputune_options *options)
{
    world *w = f->w;
    GT_TRY(gt_request_make(out, &w->services, &w->device, w->path, f->sizes, options));
    (*out)->background = f->background;
    return GPUTUNE_OK;
}

/* Checks that the chosen configuration is correct and, if nothing fails, the best one. */
static inline gputune_status expect_right(const failing_world *f, const gt_request *request,
                                          const gt_choice *choice)
{
    GT_FREED char *config = NULL;
    GT_TRY(gt_config_text(&config, request->template, &choice->config));
    assert_true(choice->image.bytes > 0);
    assert_null(strstr(config, "BLOCK=512"));
    if (f->nothing_fails && f->best && !strstr(config, f->best)) {
        fail_msg("%s in place of %s", config, f->best);
    }
    return GPUTUNE_OK;
}

typedef gputune_status (*chooser)(gt_choice *out, gt_request *request);

static inline gputune_status choose(failing_world *f, chooser how, const gputune_options *options)
{
    gt_request *request;
    gt_choice choice;
    GT_TRY(make_request(&request, f, options));
    gputune_status status = how(&choice, request);
    if (status == GPUTUNE_OK) {
        status = expect_right(f, request, &choice);
        gt_choice_free(&choice);
    }
    gt_request_free(request);
    return status;
}

static inline gputune_status tune_once(failing_world *f, const gputune_options *options)
{
    return choose(f, gt_tune, options);
}

static inline gputune_status tune_as_asked(failing_world *f)
{
    return tune_once(f, &f->options);
}

static inline void repeat(failing_world *f)
{
    char message[512];
    snprintf(message, sizeof message, "%s", gt_message());
    failing_end();
    f->nothing_fails = true;
    gputune_status status = f->act(f);
    if (status != GPUTUNE_OK && !(f->may_refute && gt_ending_of(status)->costs_one_variant)) {
        fail_msg("after \"%s\", with nothing failing: %s", message, gt_message());
    }
    f->nothing_fails = false;
    gt_message_set("%s", message);
}

/* Opens a new store, because a store may keep memory after a failure. */
static inline void renew_store(failing_world *f)
{
    world *w = f->w;
    gt_store_close(w->store);
    ASSERT_OK(gt_store_open(&w->store, ":memory:", NULL, NULL, false));
    w->services.store = w->store;
}

static inline gputune_status attempt(void *user)
{
    failing_world *f = user;
    world *w = f->w;
    failing_pause();
    scripted_farm_open(&w->farm);
    failing_resume();
    gputune_status status = f->act(f);
    if (status < 0) {
        repeat(f);
    }
    scripted_farm_close(&w->farm);
    failing_pause();
    renew_store(f);
    failing_resume();
    return status;
}

static inline int open_failing(void **state)
{
    failing_world *f = calloc(1, sizeof *f);
    void *opened;
    open_world(&opened);
    f->w = opened;
    f->w->by_block[BAD_BLOCK] = (scripted_variant){.verify = GPUTUNE_EWRONG};
    scripted_farm_close(&f->w->farm);
    f->best = "BLOCK=256";
    f->options = (gputune_options)GPUTUNE_OPTIONS_INIT;
    *state = f;
    return 0;
}

static inline int close_failing(void **state)
{
    failing_world *f = *state;
    scripted_farm_open(&f->w->farm);
    void *opened = f->w;
    close_world(&opened);
    free(f);
    return 0;
}

/* Makes allocations fail, including those of SQLite. The steps are those of each_allocation() and
 * each_of_sqlite(). */
static inline void short_of_memory(failing_world *f, failing_act act, long step, long sqlite_step)
{
    f->act = act;
    each_allocation(step, attempt, NULL, f);
    each_of_sqlite(sqlite_step, attempt, NULL, f);
}

/* Makes each call and each answer of the farm fail. With GPUTUNE_TEST_LONG, uses every kind of
 * failure of a variant or worker. */
static inline void without_the_farm(failing_world *f, failing_act act)
{
    static const gputune_status answers[] = {GPUTUNE_ECRASHED, GPUTUNE_EWORKER, GPUTUNE_ETIMEOUT,
                                             GPUTUNE_EDEVMEM,  GPUTUNE_EWRONG,  GPUTUNE_ECOMPILE,
                                             GPUTUNE_ENOMEM,   GPUTUNE_ECUDA};
    const size_t count = getenv("GPUTUNE_TEST_LONG") ? sizeof answers / sizeof *answers : 2;
    const char *best = f->best;
    f->act = act;
    f->w->farm.fails = failing_now;
    f->w->farm.failure = GPUTUNE_EWORKER;
    (void)each_failure("farm", 1, attempt, NULL, f);
    f->best = NULL; /* a variant that failed is not tried again */
    f->may_refute = true;
    for (size_t i = 0; i < count; i++) {
        f->w->farm.failure = answers[i];
        (void)each_failure("answer", 1, attempt, NULL, f);
    }
    f->w->farm.fails = NULL;
    f->best = best;
    f->may_refute = false;
}
