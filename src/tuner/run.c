#include "tuner/run.h"

#include "base/clock.h"
#include "base/random.h"
#include "base/text.h"
#include "stats/paired.h"
#include "tuner/disturbance.h"
#include "tuner/field.h"
#include "tuner/samples.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS_USUAL = 400, ROUNDS_MAX = 2000 };
static const double narrow_enough = 0.002; /* half width of the interval over the median */

typedef struct run_state {
    gt_request *request;
    gt_farm *farm;
    gt_field field;
    int64_t start_ns;
    gt_random random;
    uint32_t rounds;
    double *values; /* round-major: values[round * variants + variant]; NaN: none */
    gt_disturbance disturbance;
} run_state;

static bool out_of_time(const run_state *run)
{
    const gputune_options *o = &run->request->options;
    return (o->cancel && *o->cancel) || gt_seconds_since(run->start_ns) > o->time_limit_s;
}

/* --- until everything is verified ----------------------------------------------------------------
 */

static gputune_status verify_all(run_state *run)
{
    GT_TRY(gt_field_pump(&run->field));
    while (!gt_field_settled(&run->field)) {
        gt_event event = {0};
        if (out_of_time(run)) {
            return gt_fail(GPUTUNE_ETIMEOUT,
                           "%s: stopped before every variant was verified, after %.3g s; the time "
                           "limit may be raised",
                           run->request->template->name, gt_seconds_since(run->start_ns));
        }
        GT_TRY(run->farm->ops->wait(run->farm, &event, gt_field_patience(&run->field)));
        gputune_status status = gt_field_handle(&run->field, &event);
        gt_event_free(&event);
        GT_TRY(status);
        GT_TRY(gt_field_pump(&run->field));
    }
    return run->field.ready ? GPUTUNE_OK : gt_field_verdict(&run->field);
}

/* --- rounds
 * --------------------------------------------------------------------------------------- */

static gputune_status take_samples(run_state *run, const uint64_t *ids, const gt_event *event)
{
    double *row = run->values + (size_t)run->rounds * run->field.variants.count;
    if (event->status == GPUTUNE_ECRASHED || event->status == GPUTUNE_ETIMEOUT ||
        event->status == GPUTUNE_ECUDA) {
        uint64_t ignored;
        return gt_field_blame(&run->field, &ignored, event);
    }
    if (event->status != GPUTUNE_OK) {
        return gt_fail(event->status, "%s", event->message);
    }
    if (gt_disturbance_note(&run->disturbance, &event->sampled, &run->request->services->log)) {
        return GPUTUNE_OK; /* not counted, so taken again */
    }
    for (uint32_t i = 0; i < event->sampled.count; i++) {
        row[ids[i]] = event->sampled.values[i];
    }
    run->rounds++;
    return GPUTUNE_OK;
}

static gputune_status sample_round(run_state *run, uint64_t *ids, uint32_t *order)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < run->field.variants.count; i++) {
        if (run->field.variants.items[i].stage == GT_STAGE_READY) {
            order[count++] = i;
        }
    }
    if (!count) {
        return gt_field_verdict(&run->field);
    }
    gt_random_shuffle(&run->random, order, count);
    for (uint32_t i = 0; i < count; i++) {
        ids[i] = order[i];
    }
    const gt_sample_job job = {.id = run->rounds + 1,
                               .variants = ids,
                               .count = count,
                               .objective = run->request->options.objective};
    GT_TRY(run->farm->ops->sample(run->farm, &job));
    while (!out_of_time(run)) {
        gt_event event = {0};
        GT_TRY(run->farm->ops->wait(run->farm, &event, 0.1));
        bool sampled = event.kind == GT_EVENT_SAMPLED;
        gputune_status status = sampled ? take_samples(run, ids, &event) : GPUTUNE_OK;
        gt_event_free(&event);
        if (sampled || status != GPUTUNE_OK) {
            return status;
        }
    }
    return GPUTUNE_OK; /* this round does not count */
}

static size_t column(const run_state *run, uint32_t variant, double *out)
{
    size_t count = 0;
    for (uint32_t i = 0; i < run->rounds; i++) {
        double value = run->values[(size_t)i * run->field.variants.count + variant];
        if (isfinite(value)) {
            out[count++] = value;
        }
    }
    return count;
}

static gputune_status narrow(const run_state *run, double *scratch, bool *out)
{
    *out = true;
    for (uint32_t i = 0; i < run->field.variants.count; i++) {
        gt_summary summary;
        if (run->field.variants.items[i].stage != GT_STAGE_READY) {
            continue;
        }
        GT_TRY(gt_summarise(&summary, scratch, column(run, i, scratch)));
        *out = *out && (summary.high - summary.low) / 2 <= narrow_enough * summary.median;
    }
    return GPUTUNE_OK;
}

/* After so many rounds, and then every so often; one of energy takes a second a variant. */
static bool is_time_to_look(const run_state *run)
{
    bool by_energy = run->request->options.objective == GPUTUNE_OBJECTIVE_ENERGY;
    return run->rounds >= (by_energy ? 5 : 20) && run->rounds % (by_energy ? 1 : 10) == 0;
}

/* EXHAUSTIVE: to the last round, however narrow the intervals are. */
static gputune_status sample_all(run_state *run)
{
    bool exhaustive = run->request->options.effort == GPUTUNE_EXHAUSTIVE;
    uint32_t most = exhaustive ? ROUNDS_MAX : ROUNDS_USUAL;
    size_t variants = run->field.variants.count;
    double *scratch = calloc(ROUNDS_MAX, sizeof *scratch);
    uint64_t *ids = calloc(variants, sizeof *ids);
    uint32_t *order = calloc(variants, sizeof *order);
    gputune_status status = scratch && ids && order ? GPUTUNE_OK : gt_fail_memory();
    bool done = false;
    while (!status && !done && run->rounds < most && !out_of_time(run)) {
        status = sample_round(run, ids, order);
        bool modelled = run->request->device->emulated && run->rounds >= 3; /* deterministic */
        if (!status && !exhaustive && is_time_to_look(run)) {
            status = narrow(run, scratch, &done);
        }
        done = done || modelled;
    }
    if (!status && !run->rounds) {
        status = gt_fail(GPUTUNE_ETIMEOUT,
                         "%s: stopped before a round of samples was complete, after %.3g s; the "
                         "time limit may be raised",
                         run->request->template->name, gt_seconds_since(run->start_ns));
    }
    free(scratch);
    free(ids);
    free(order);
    return status;
}

/* --- reporting
 * ------------------------------------------------------------------------------------- */

static gputune_status compare_with_first(gputune_record *record, const run_state *run,
                                         uint32_t variant)
{
    double logs[ROUNDS_MAX];
    size_t count = 0;
    for (uint32_t i = 0; i < run->rounds; i++) {
        const double *row = run->values + (size_t)i * run->field.variants.count;
        if (isfinite(row[0]) && isfinite(row[variant])) {
            logs[count++] = log(row[0] / row[variant]);
        }
    }
    gt_paired paired;
    if (variant == 0 || count < 3) {
        return GPUTUNE_OK;
    }
    GT_TRY(gt_paired_interval(&paired, logs, count, 0.95));
    record->speedup = exp(paired.mean);
    record->speedup_low = exp(paired.low);
    record->speedup_high = exp(paired.high);
    return GPUTUNE_OK;
}

static gputune_status fill_record(gputune_record *record, const run_state *run, uint32_t index)
{
    const gt_request *request = run->request;
    const gt_variant *variant = &run->field.variants.items[index];
    const gt_unit *unit = &run->field.units.items[variant->unit];
    double values[ROUNDS_MAX];
    gt_summary summary;
    GT_TRY(gt_summarise(&summary, values, column(run, index, values)));
    *record = (gputune_record){.version = GPUTUNE_RECORD_VERSION,
                               .kernel = request->template->name,
                               .sizes = request->problem_text,
                               .objective = request->options.objective,
                               .cache = request->options.cache,
                               .gpu = request->device->name,
                               .environment = request->environment,
                               .origin = request->device->origin,
                               .status = gt_variant_status(variant),
                               .message = variant->message ? variant->message : "",
                               .is_default = variant->is_default,
                               .noisy = run->disturbance.noisy,
                               .modelled = request->device->emulated,
                               .median_ns = summary.median,
                               .mean_ns = summary.mean,
                               .stddev_ns = summary.stddev,
                               .low_ns = summary.low,
                               .high_ns = summary.high,
                               .min_ns = summary.min,
                               .samples = summary.count,
                               .registers = unit->compiled.resources.registers,
                               .spill_bytes = unit->compiled.resources.spill_bytes,
                               .shared_bytes = unit->compiled.resources.static_shared_bytes,
                               .local_bytes = variant->verified.resources.local_bytes,
                               .occupancy = variant->verified.occupancy,
                               .max_error = variant->verified.max_error,
                               .compile_ns = unit->compiled.compile_ns,
                               .bytes = request->workload.work_bytes,
                               .flops = request->workload.work_flops,
                               .copy_bytes_per_s = run->field.preparation.copy_bytes_per_s,
                               .stop_reason = "",
                               .created = ""};
    return compare_with_first(record, run, index);
}

static int report(const run_state *run, int (*each)(void *, const gputune_record *), void *user)
{
    int answer = 0;
    for (uint32_t i = 0; i < run->field.variants.count && !answer; i++) {
        gputune_record record;
        char *config;
        GT_TRY(fill_record(&record, run, i));
        GT_TRY(
            gt_config_text(&config, run->request->template, &run->field.variants.items[i].config));
        record.configuration = config;
        answer = each(user, &record);
        free(config);
    }
    return answer;
}

static void write_rounds(FILE *file, const run_state *run, uint32_t index, const char *config)
{
    for (uint32_t i = 0; i < run->rounds; i++) {
        const gt_sample_row row = {.config = config,
                                   .objective = run->request->options.objective,
                                   .round = i + 1,
                                   .value =
                                       run->values[(size_t)i * run->field.variants.count + index],
                                   .kind = "full"};
        if (isfinite(row.value)) {
            gt_samples_write(file, run->request, &row);
        }
    }
}

static void write_samples(const run_state *run)
{
    FILE *file = gt_samples_open(run->request);
    if (!file) {
        return;
    }
    for (uint32_t i = 0; i < run->field.variants.count; i++) {
        char *config;
        if (gt_config_text(&config, run->request->template, &run->field.variants.items[i].config) ==
            GPUTUNE_OK) {
            write_rounds(file, run, i, config);
            free(config);
        }
    }
    gt_samples_close(file, run->request);
}

/* --- the whole
 * -------------------------------------------------------------------------------------- */

static gputune_status open_run(run_state *run, const gt_config *configs, size_t count)
{
    gt_request *request = run->request;
    const gt_services *services = request->services;
    gt_field_options options = {.template = request->template,
                                .problem = &request->problem,
                                .workload = &request->workload,
                                .device = request->device,
                                .prelude = gt_catalog_prelude(services->catalog),
                                .store = services->store,
                                .measure = true};
    options.setup.objective = request->options.objective;
    options.setup.cache = request->options.cache;
    options.setup.seed = request->options.seed;
    GT_TRY(services->farm(services->user, &run->farm, true, request->options.isolation));
    options.farm = run->farm;
    GT_TRY(gt_field_open(&run->field, &options));
    gt_request_say_proof(request);
    if (request->options.input_count) {
        GT_TRY(services->inputs(services->user, &request->workload, &request->options,
                                &run->field.options.setup));
    }
    size_t cells = ROUNDS_MAX * count;
    run->values = malloc(cells * sizeof *run->values);
    if (!run->values) {
        return gt_fail_memory();
    }
    for (size_t i = 0; i < cells; i++) {
        run->values[i] = NAN;
    }
    for (size_t i = 0; i < count; i++) {
        GT_TRY(gt_field_add(&run->field, &configs[i], NULL));
    }
    return GPUTUNE_OK;
}

gputune_status gt_run(gt_request *request, const gt_config *configs, size_t count,
                      int (*each)(void *, const gputune_record *), void *user)
{
    run_state run = {
        .request = request, .start_ns = gt_now_ns(), .random = {request->options.seed}};
    int status = open_run(&run, configs, count);
    if (!status) {
        status = verify_all(&run);
    }
    if (!status) {
        status = sample_all(&run);
    }
    if (!status) {
        write_samples(&run);
        status = report(&run, each, user);
    }
    if (run.farm) {
        run.farm->ops->cancel(run.farm);
    }
    if (run.field.options.setup.input_count) {
        request->services->release(request->services->user, &run.field.options.setup);
    }
    gt_field_close(&run.field);
    free(run.values);
    return status;
}
