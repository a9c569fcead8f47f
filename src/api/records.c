/* gputune_records() and gputune_check_database(): what the store holds, as the public structs. */
#include "api/tuner.h"

#include "base/array.h"

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

int gputune_records(gputune *tuner, const gputune_record_filter *filter,
                    int (*each)(void *user, const gputune_record *record), void *user)
{
    const gputune_record_filter standard = GPUTUNE_RECORD_FILTER_INIT;
    const gputune_record_filter *f = filter ? filter : &standard;
    char host[GT_ENVIRONMENT_MAX];
    GT_TRY(own_environments(tuner, host));
    const char *const environments[] = {tuner->device.environment, host};
    bool any = f->any_gpu || !tuner->has_device;
    const gt_records_filter wanted = {.kernel = f->kernel,
                                      .all_trials = f->all_trials,
                                      .environments = any ? NULL : environments,
                                      .environment_count = any ? 0 : 2,
                                      .one_version = f->version >= 2 && !f->history,
                                      .at_hand = find_at_hand,
                                      .user = tuner};
    int answer = gt_store_records(tuner->store, &wanted, each, user, NULL);
    return answer ? answer : gt_store_check(tuner->store, false);
}

int gputune_check_database(gputune *tuner)
{
    if (!tuner) {
        return gt_fail(GPUTUNE_EINVAL, "gputune_check_database: tuner is NULL");
    }
    return gt_store_check(tuner->store, true);
}
