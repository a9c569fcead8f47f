/* Keys of scenarios and environments. */
#include "store/keys.h"

#include <stdio.h>
#include <string.h>

gt_hash gt_family_hash(const gt_scenario *scenario)
{
    const char *const texts[] = {scenario->kernel, scenario->fixed, scenario->alignment,
                                 scenario->inputs};
    gt_hash hash = scenario->identity;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        hash = gt_hash_join(hash, gt_hash_string(texts[i] ? texts[i] : ""));
    }
    char choices[32];
    snprintf(choices, sizeof choices, "%d %d", (int)scenario->objective, (int)scenario->cache);
    return gt_hash_join(hash, gt_hash_string(choices));
}

const char *gt_scenario_bucket(const gt_scenario *scenario)
{
    const char *bucket = scenario->bucket ? scenario->bucket : scenario->problem;
    return bucket ? bucket : "";
}

gt_hash gt_scenario_hash(const gt_scenario *scenario)
{
    return gt_hash_join(gt_family_hash(scenario), gt_hash_string(gt_scenario_bucket(scenario)));
}

const char *gt_environment_join(char out[GT_ENVIRONMENT_MAX], const char *environment,
                                const char *more)
{
    if (!more || !more[0]) {
        snprintf(out, GT_ENVIRONMENT_MAX, "%s", environment);
        return out;
    }
    char hex[GT_HASH_HEX];
    gt_hash joined = gt_hash_join(gt_hash_string(environment), gt_hash_string(more));
    snprintf(out, GT_ENVIRONMENT_MAX, "%s", gt_hash_hex(hex, joined));
    return out;
}

static const char *const status_names[] = {
    [GT_TRIAL_OK] = "ok",
    [GT_TRIAL_ELIMINATED] = "eliminated",
    [GT_TRIAL_WRONG] = "wrong",
    [GT_TRIAL_CRASHED] = "crashed",
    [GT_TRIAL_HUNG] = "hung",
    [GT_TRIAL_COMPILE] = "compile",
    [GT_TRIAL_LAUNCH] = "launch",
    [GT_TRIAL_SLOW] = "slow",
    [GT_TRIAL_UNPROVED] = "unproved",
    [GT_TRIAL_PROVED] = "proved",
};

bool gt_trial_is_right(gt_trial_status status)
{
    return status == GT_TRIAL_OK || status == GT_TRIAL_ELIMINATED || status == GT_TRIAL_PROVED;
}

const char *gt_trial_status_name(gt_trial_status status)
{
    size_t index = (size_t)status;
    return index < sizeof status_names / sizeof *status_names ? status_names[index] : "?";
}
