/* Keys of scenarios and environments, and the rows of GPUs and scenarios in a database. */
#include "store/keys.h"

#include "base/selection.h"
#include "base/text.h"
#include "store/layers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *text_or_empty(const char *text)
{
    return text ? text : "";
}

gt_hash gt_family_hash(const gt_scenario *scenario)
{
    const char *const texts[] = {scenario->kernel, scenario->fixed, scenario->alignment,
                                 scenario->inputs};
    gt_hash hash = scenario->identity;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        hash = gt_hash_join(hash, gt_hash_string(text_or_empty(texts[i])));
    }
    char choices[32];
    snprintf(choices, sizeof choices, "%d %d", (int)scenario->objective, (int)scenario->cache);
    return gt_hash_join(hash, gt_hash_string(choices));
}

static const char *scenario_bucket(const gt_scenario *scenario)
{
    return text_or_empty(scenario->bucket ? scenario->bucket : scenario->problem);
}

gt_hash gt_scenario_hash(const gt_scenario *scenario)
{
    return gt_hash_join(gt_family_hash(scenario), gt_hash_string(scenario_bucket(scenario)));
}

const char *gt_environment_join(char out[GT_ENVIRONMENT_MAX], const char *environment,
                                const char *more)
{
    char hex[GT_HASH_HEX];
    const gt_hash joined = gt_site_key(environment, gt_hash_string(text_or_empty(more)));
    const bool joins = text_or_empty(more)[0];
    snprintf(out, GT_ENVIRONMENT_MAX, "%s", joins ? gt_hash_hex(hex, joined) : environment);
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

bool gt_trial_is_correct(gt_trial_status status)
{
    return status == GT_TRIAL_OK || status == GT_TRIAL_ELIMINATED || status == GT_TRIAL_PROVED;
}

const char *gt_trial_status_name(gt_trial_status status)
{
    size_t index = (size_t)status;
    return index < sizeof status_names / sizeof *status_names ? status_names[index] : "?";
}

const char *gt_sizes_of(char out[GT_SIZES_TEXT], const gt_scenario *scenario)
{
    const char *word = text_or_empty(scenario->problem), *fixed = text_or_empty(scenario->fixed);
    out[0] = '\0';
    for (size_t length; *(word += strspn(word, " ")); word += length) {
        length = strcspn(word, " ");
        const size_t name = strcspn(word, "= ") + 1;
        const bool is_size = name < length && strspn(word + name, "0123456789") == length - name;
        if (is_size && !gt_is_any(word, length, fixed)) {
            (void)gt_append_within(out, GT_SIZES_TEXT, " ", out[0] ? 1 : 0);
            (void)gt_append_within(out, GT_SIZES_TEXT, word + name, length - name);
        }
    }
    return out;
}

bool gt_is_wanted(const gt_wanted *wanted, const gt_site *site)
{
    const gt_scenario *s = &site->scenario;
    return gt_is_listed(s->kernel, wanted->kernels, wanted->kernel_count) &&
           gt_is_listed(s->environment, wanted->environments, wanted->environment_count) &&
           (!wanted->gpu || gt_gpu_matches(site->gpu, s->environment, wanted->gpu)) &&
           (!wanted->sizes || gt_sizes_match(s->problem, wanted->sizes, wanted->rules));
}

static double divisor_of(int64_t size)
{
    return (double)((size | 16) & -(size | 16));
}

double gt_sizes_distance(const char *wanted, const char *sizes)
{
    double sum = 0;
    while (*wanted || *sizes) {
        char *wanted_end, *end;
        const int64_t other = strtoll(wanted, &wanted_end, 10), size = strtoll(sizes, &end, 10);
        bool both = wanted_end > wanted && end > sizes;
        if (!both || size < 0 || other < 0) {
            return INFINITY;
        }
        sum += fabs(log(fmax((double)size, 0.5) / fmax((double)other, 0.5))) +
               fabs(log(divisor_of(size) / divisor_of(other)));
        wanted = wanted_end;
        sizes = end;
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

static gputune_status set_scenario(int64_t *out, gt_database *database, const gt_scenario *scenario)
{
    const gt_columns columns = {gt_site_columns.items + GT_FIRST_SCENARIO_COLUMN,
                                gt_site_columns.count - GT_FIRST_SCENARIO_COLUMN};
    char sizes[GT_SIZES_TEXT], *at = (char *)gt_sizes_of(sizes, scenario);
    gt_site site = {.scenario = *scenario, .hash = gt_scenario_hash(scenario), .sizes = sizes};
    int64_t kernel;
    double volume = 1;
    while (*at) {
        volume *= 1 + (double)strtoll(at, &at, 10);
    }
    site.scenario.bucket = scenario_bucket(scenario);
    GT_TRY(gt_query_integer(&kernel, database, GT_SQL_KERNEL_ROW, "th",
                            text_or_empty(scenario->kernel), scenario->identity));
    return gt_query_integer(out, database, GT_SQL_SCENARIO_SET, "ihdc", kernel,
                            gt_family_hash(scenario), volume, &columns, &site);
}

gputune_status gt_site_rows(int64_t *gpu, int64_t *scenario, gt_database *database,
                            const gt_site *site, bool offered)
{
    GT_TRY(gt_query_integer(gpu, database, GT_SQL_GPU_ROW, "t", site->scenario.environment));
    if (site->gpu) {
        const gt_columns columns = {gt_site_columns.items, GT_GPU_COLUMNS};
        GT_TRY(gt_execute(database, offered ? GT_SQL_GPU_DESCRIBE : GT_SQL_GPU_SET, "c", &columns,
                          site));
    }
    if (site->gpu && site->uuid) {
        GT_TRY(gt_execute(database, GT_SQL_CLOCK_RATE_SET, "ttnnn", site->uuid, site->origin,
                          site->driver_version, site->memory_clock_khz, site->sm_clock_khz));
    }
    return set_scenario(scenario, database, &site->scenario);
}

gt_site gt_site_of(const gt_scenario *scenario, const gt_device *device, const char *host)
{
    return (gt_site){.scenario = *scenario,
                     .gpu = device->name,
                     .uuid = device->uuid,
                     .host = host,
                     .arch = device->arch,
                     .origin = device->origin,
                     .mig_profile = device->mig_profile,
                     .sm_count = device->sm_count,
                     .bus_width_bits = device->bus_width_bits,
                     .memory_clock_khz = device->memory_clock_khz,
                     .sm_clock_khz = device->sm_clock_khz,
                     .driver_version = device->driver_version,
                     .nvrtc_version = device->nvrtc_version,
                     .l2_bytes = (double)device->l2_bytes,
                     .memory_bytes = (double)device->memory_bytes};
}

void gt_site_show(gputune_record *record, const gt_site *site)
{
    gt_columns_show(record, &gt_site_columns, site);
    record->modelled = strncmp(site->origin, "emu", 3) == 0;
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
