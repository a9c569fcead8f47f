/* gputune_records() and gputune_check_database(): what the store holds, as the public structs. */
#include "api/tuner.h"

#include "base/array.h"
#include "base/versioned.h"

#include <string.h>

/* The environments whose records answer for the tuner's GPU: its own, and that joined with this
 * host for objectives that depend on it. */
static gputune_status own_environments(const gputune *tuner, char host[GT_ENVIRONMENT_MAX])
{
    char *text;
    GT_TRY(gt_host_text(&text));
    gt_environment_join(host, tuner->device.environment, text);
    free(text);
    return GPUTUNE_OK;
}

static bool find_at_hand(void *user, const char *kernel, gt_hash *identity)
{
    const gt_template *template;
    gputune *tuner = user;
    bool found = gt_catalog_find(&template, tuner->catalog, kernel) == GPUTUNE_OK;
    if (found) {
        *identity = template->identity;
    }
    return found;
}

static gputune_status read_filter(gputune_record_filter *out, const gputune_record_filter *given)
{
    static const size_t bytes[] = {GT_BYTES_THROUGH(gputune_record_filter, any_gpu),
                                   GT_BYTES_THROUGH(gputune_record_filter, history)};
    static const gt_versions versions = {"gputune_record_filter", GPUTUNE_RECORD_FILTER_VERSION,
                                         bytes};
    _Static_assert(sizeof bytes / sizeof *bytes == GPUTUNE_RECORD_FILTER_VERSION, "a row for each");
    *out = (gputune_record_filter)GPUTUNE_RECORD_FILTER_INIT;
    out->history = given; /* an older caller sees every version */
    return given ? gt_versioned_read(out, given, &versions) : GPUTUNE_OK;
}

static int list_records(gputune *tuner, const gputune_record_filter *filter,
                        int (*each)(void *user, const gputune_record *record), void *user)
{
    gputune_record_filter known;
    const gputune_record_filter *f = &known;
    char host[GT_ENVIRONMENT_MAX];
    GT_TRY(read_filter(&known, filter));
    GT_TRY(own_environments(tuner, host));
    const char *const environments[] = {tuner->device.environment, host};
    bool any = f->any_gpu || !tuner->has_device;
    const gt_records_filter wanted = {.kernel = f->kernel,
                                      .all_trials = f->all_trials,
                                      .environments = any ? NULL : environments,
                                      .environment_count = any ? 0 : 2,
                                      .one_version = !f->history,
                                      .at_hand = find_at_hand,
                                      .user = tuner};
    int answer = gt_store_records(tuner->store, &wanted, each, user, NULL);
    return answer ? answer : gt_store_check(tuner->store, false);
}

int gputune_records(gputune *tuner, const gputune_record_filter *filter,
                    int (*each)(void *user, const gputune_record *record), void *user)
{
    gt_call call;
    GT_TRY(gt_need_callback(__func__, each != NULL));
    GT_TRY(gt_call_begin(&call, tuner, __func__));
    int answer = list_records(tuner, filter, each, user);
    gt_call_end(&call);
    return answer;
}

int gputune_check_database(gputune *tuner)
{
    gt_call call;
    GT_TRY(gt_call_begin(&call, tuner, __func__));
    gputune_status status = gt_store_check(tuner->store, true);
    gt_call_end(&call);
    return status;
}
