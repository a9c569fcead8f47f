/* Keys of scenarios and environments, and their rows. */
#include "store/keys.h"

#include "base/asked_for.h"
#include "base/text.h"
#include "store/layers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

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

/* What stands for the problem in the key; never NULL. */
static const char *scenario_bucket(const gt_scenario *scenario)
{
    const char *bucket = scenario->bucket ? scenario->bucket : scenario->problem;
    return bucket ? bucket : "";
}

gt_hash gt_scenario_hash(const gt_scenario *scenario)
{
    return gt_hash_join(gt_family_hash(scenario), gt_hash_string(scenario_bucket(scenario)));
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

const char *gt_sizes_text(char out[GT_SIZES_TEXT], const int64_t *sizes, uint32_t count)
{
    size_t length = 0;
    out[0] = '\0';
    for (uint32_t i = 0; i < count && i < GT_SCENARIO_SIZES; i++) {
        length += (size_t)snprintf(out + length, GT_SIZES_TEXT - length, "%s%lld", i ? " " : "",
                                   (long long)sizes[i]);
    }
    return out;
}

uint32_t gt_sizes_parse(int64_t out[GT_SCENARIO_SIZES], const char *text)
{
    uint32_t count = 0;
    while (count < GT_SCENARIO_SIZES) {
        char *end;
        long long value = strtoll(text, &end, 10);
        if (end == text) {
            break;
        }
        out[count++] = value;
        text = end;
    }
    return count;
}

bool gt_is_wanted(const gt_wanted *wanted, const gt_place *place)
{
    const gt_scenario *s = &place->scenario;
    return gt_is_listed(s->kernel, wanted->kernels, wanted->kernel_count) &&
           gt_is_listed(s->environment, wanted->environments, wanted->environment_count) &&
           (!wanted->gpu || gt_gpu_matches(place->gpu, s->environment, wanted->gpu)) &&
           (!wanted->sizes || gt_sizes_match(s->problem, wanted->sizes));
}

/* The greatest power of two, up to 16, that divides a size. */
static double divisor_of(int64_t size)
{
    return (double)((size | 16) & -(size | 16));
}

static double size_distance(int64_t size, int64_t wanted)
{
    return size >= 0 && wanted >= 0
               ? fabs(log(fmax((double)size, 0.5) / fmax((double)wanted, 0.5))) +
                     fabs(log(divisor_of(size) / divisor_of(wanted)))
               : INFINITY;
}

double gt_sizes_distance(const gt_scenario *wanted, const int64_t *sizes, uint32_t count)
{
    double sum = count == wanted->size_count ? 0 : INFINITY;
    for (uint32_t i = 0; i < wanted->size_count && sum < INFINITY; i++) {
        sum += size_distance(sizes[i], wanted->sizes[i]);
    }
    return sum;
}

const char *gt_timestamp(char out[GT_TIMESTAMP], double seconds_ago)
{
    time_t now = time(NULL) - (time_t)seconds_ago;
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(out, GT_TIMESTAMP, "%Y-%m-%dT%H:%M:%SZ", &utc);
    return out;
}

static const char *text_or_empty(const char *text)
{
    return text ? text : "";
}

gputune_status gt_scenario_row(int64_t *out, gt_database *database, const gt_scenario *scenario)
{
    char sizes[GT_SIZES_TEXT];
    int64_t kernel;
    double volume = 1;
    for (uint32_t i = 0; i < scenario->size_count && i < GT_SCENARIO_SIZES; i++) {
        volume *= 1 + (double)scenario->sizes[i];
    }
    GT_TRY(gt_query_integer(&kernel, database, GT_SQL_KERNEL_ROW, "th",
                            text_or_empty(scenario->kernel), scenario->identity));
    return gt_query_integer(
        out, database, GT_SQL_SCENARIO_SET, "ihhttttdnnttddn", kernel, gt_scenario_hash(scenario),
        gt_family_hash(scenario), text_or_empty(scenario->problem), scenario_bucket(scenario),
        text_or_empty(scenario->fixed), gt_sizes_text(sizes, scenario->sizes, scenario->size_count),
        volume, (int)scenario->objective, (int)scenario->cache, text_or_empty(scenario->alignment),
        text_or_empty(scenario->inputs), scenario->work_bytes, scenario->work_flops,
        (int)scenario->unreferenced);
}

/* --- environments ----------------------------------------------------------------------------- */

gputune_status gt_gpu_set(gt_database *database, const char *environment, const gt_gpu_facts *facts)
{
    const gt_device *d = facts->device;
    GT_TRY(gt_execute(database, GT_SQL_GPU_SET, "ttttttniinnnnnd", environment, d->name, d->arch,
                      d->origin, d->mig_profile, text_or_empty(facts->host), d->sm_count,
                      d->l2_bytes, d->memory_bytes, d->bus_width_bits, d->memory_clock_khz,
                      d->sm_clock_khz, d->driver_version, d->nvrtc_version,
                      facts->copy_bytes_per_s));
    return gt_execute(database, GT_SQL_CLOCK_RATE_SET, "ttnnn", d->uuid, d->origin,
                      d->driver_version, d->memory_clock_khz, d->sm_clock_khz);
}

static gputune_status take_clock_rates(void *context, gt_rows *row)
{
    gt_device *device = context;
    device->memory_clock_khz = (int)gt_rows_integer(row);
    device->sm_clock_khz = (int)gt_rows_integer(row);
    return GPUTUNE_OK;
}

static gputune_status find_clock_rates(gt_database *database, void *context)
{
    const gt_device *device = context;
    return gt_query_one(database, take_clock_rates, context, GT_SQL_CLOCK_RATE, "ttn", device->uuid,
                        device->origin, device->driver_version);
}

gputune_status gt_store_clock_rates(gt_device *device, gt_store *store)
{
    return gt_store_read(store, find_clock_rates, device, NULL);
}
