/* What the store holds, as the public structs: showing, dropping, checking. */
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

/* A public filter as the store's, with what that points to. */
typedef struct wanted {
    gt_records_filter filter;
    char host[GT_ENVIRONMENT_MAX];
    const char *environments[2];
} wanted;

static gputune_status take_filter(wanted *out, gputune *tuner, const gputune_record_filter *filter)
{
    GT_TRY(own_environments(tuner, out->host));
    bool any = filter->any_gpu || !tuner->has_device;
    out->environments[0] = tuner->device.environment;
    out->environments[1] = out->host;
    out->filter = (gt_records_filter){.kernel = filter->kernel,
                                      .all_trials = filter->all_trials,
                                      .environments = any ? NULL : out->environments,
                                      .environment_count = any ? 0 : 2,
                                      .at_hand = find_at_hand,
                                      .user = tuner};
    return GPUTUNE_OK;
}

int gputune_records(gputune *tuner, const gputune_record_filter *filter,
                    int (*each)(void *user, const gputune_record *record), void *user)
{
    const gputune_record_filter standard = GPUTUNE_RECORD_FILTER_INIT;
    const gputune_record_filter *f = filter ? filter : &standard;
    wanted wanted;
    GT_TRY(take_filter(&wanted, tuner, f));
    wanted.filter.versions = f->version >= 2 && !f->history ? GT_VERSIONS_ONE : GT_VERSIONS_ALL;
    int answer = gt_store_records(tuner->store, &wanted.filter, each, user, NULL);
    return answer ? answer : gt_store_check(tuner->store, false);
}

int gputune_drop_outdated(gputune *tuner, const gputune_record_filter *filter, bool only_say,
                          int (*each)(void *user, const gputune_record *record), void *user)
{
    const gputune_record_filter standard = GPUTUNE_RECORD_FILTER_INIT;
    wanted wanted;
    if (!tuner || !each) {
        return gt_fail(GPUTUNE_EINVAL, "gputune_drop_outdated: tuner or each is NULL");
    }
    GT_TRY(take_filter(&wanted, tuner, filter ? filter : &standard));
    wanted.filter.all_trials = true;
    wanted.filter.versions = GT_VERSIONS_OTHER;
    return gt_store_drop(tuner->store, &wanted.filter, only_say, each, user, NULL);
}

int gputune_check_database(gputune *tuner)
{
    if (!tuner) {
        return gt_fail(GPUTUNE_EINVAL, "gputune_check_database: tuner is NULL");
    }
    return gt_store_check(tuner->store, true);
}
