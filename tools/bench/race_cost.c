/* What the race costs, and what it loses, against 100 samples of each variant in sequence. All
 * variants of one space are compiled and verified once; then races and sequences take turns, and
 * at the end everything that either chose is judged together with the best of the sequences. Each
 * race begins with a quick sample of everybody, where a tuning takes what verification timed.
 *
 *   race_cost [-r RACES] [-s SEQUENCES] [-d DRIVER] [-k KERNEL] [-n NAME=SIZE] [AXIS=V,V...]
 *
 * 20 races, 3 sequences, cuda, axpy at its default size, its whole space. */
#include "base/clock.h"
#include "base/random.h"
#include "gpu/device.h"
#include "program.h"
#include "stats/summary.h"
#include "tuner/catalog.h"
#include "tuner/field.h"
#include "tuner/race.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SEQUENCE = 100, JUDGED_MAX = 40, JUDGE_ROUNDS = 400, TOP = 10, RUNS_MAX = 200 };

typedef struct run {
    uint32_t winner, samples;
    double seconds;
} run;

static gt_request *request;
static gt_services services;
static gt_device device;
static gt_farm *farm;
static gt_field field;
static gputune_sizes sizes;
static const char *kernel = "axpy", *driver_name = "cuda";
static int races = 20, sequences = 3;

/* --- the field ---------------------------------------------------------------------------------
 */

static void open_field(char **only, int only_count)
{
    const gt_driver *driver;
    gputune_options wanted = GPUTUNE_OPTIONS_INIT;
    wanted.objective = GPUTUNE_OBJECTIVE_KERNEL;
    wanted.only = (const char *const *)only;
    wanted.only_count = (size_t)only_count;
    must(gt_driver_open(&driver, driver_name), "driver");
    must(gt_device_query(&device, driver, 0), "device");
    services.device = &device;
    must(gt_store_open(&services.store, ":memory:", NULL, NULL, false), "store");
    must(gt_request_make(&request, &services, &device, kernel, sizes, &wanted), "request");
    const gt_farm_options options = {.driver = driver_name,
                                     .device_uuid = device.uuid,
                                     .driver_version = device.driver_version,
                                     .arch = device.arch};
    must(gt_farm_open(&farm, &options), "farm");
    static gt_space_proposer proposer; /* lives as long as the field */
    proposer = gt_space_proposer_make(request->space);
    const gt_field_options whole = {.request = request,
                                    .farm = farm,
                                    .proposer = &proposer.proposer,
                                    .with_default = true,
                                    .measure = true};
    must(gt_field_open(&field, &whole), "field");
    must(gt_field_allow_measuring(&field), "field");
}

static void verify_all(void)
{
    must(gt_field_pump(&field), "compile");
    while (!gt_field_is_done(&field)) {
        gt_event event = {0};
        must(farm->ops->wait(farm, &event, 1), "wait");
        must(gt_field_handle(&field, &event), "verify");
        gt_event_free(&event);
        must(gt_field_pump(&field), "compile");
    }
}

static char *text_of(uint32_t variant)
{
    char *text;
    must(gt_config_text(&text, request->template, &field.variants.items[variant]->config), "text");
    return text;
}

/* One sample each, in this order. Values go to `out`; what could not be sampled is NaN. */
static void sample(double *out, const uint64_t *ids, uint32_t count, gt_sample_length length)
{
    static uint64_t next = 1;
    gt_sample_job job = {.id = next++,
                         .variants = ids,
                         .count = count,
                         .objective = GPUTUNE_OBJECTIVE_KERNEL,
                         .length = length};
    gt_event event = {0};
    must(farm->ops->sample(farm, &job), "sample");
    do {
        gt_event_free(&event);
        must(farm->ops->wait(farm, &event, 60), "wait");
    } while (event.kind != GT_EVENT_SAMPLED || event.id != job.id);
    must(event.status, event.message);
    for (uint32_t i = 0; i < count; i++) {
        out[i] = i < event.sampled.count ? event.sampled.values[i] : NAN;
    }
    gt_event_free(&event);
}

/* --- the two ways ------------------------------------------------------------------------------
 */

static run race_once(uint64_t seed, uint64_t *order, double *values)
{
    const gt_race_options options = {.seed = seed, .exact = device.emulated};
    gt_race *race;
    gt_race_round round;
    gt_race_result result;
    gt_race_end end = GT_RACE_RUNNING;
    int64_t begun = gt_now_ns();
    must(gt_race_new(&race, &options), "race");
    for (uint32_t i = 0; i < field.variants.count; i++) {
        if (field.variants.items[i]->stage == GT_STAGE_READY) {
            must(gt_race_add(race, i, i, field.variants.items[i]->role == GT_ROLE_DEFAULT), "race");
        }
    }
    gt_race_complete(race);
    while (end == GT_RACE_RUNNING) {
        must(gt_race_next_round(race, &round), "round");
        memcpy(order, round.ids, round.count * sizeof *order);
        if (round.count) {
            gt_sample_length length = round.quick   ? GT_SAMPLE_QUICK
                                      : round.final ? GT_SAMPLE_FULL
                                                    : GT_SAMPLE_BRIEF;
            sample(values, order, round.count, length);
        }
        for (uint32_t i = 0; i < round.count; i++) {
            must(gt_race_record(race, order[i], values[i]), "record");
        }
        must(gt_race_end_round(race, &end), "round");
    }
    must(gt_race_result_get(race, &result), "result");
    gt_race_free(race);
    return (run){(uint32_t)result.winner, result.samples, gt_seconds_since(begun)};
}

/* SEQUENCE samples of one variant after the other; the least median wins. */
static run sequence_once(double *medians, double *values)
{
    uint64_t same[SEQUENCE];
    run best = {0};
    int64_t begun = gt_now_ns();
    for (uint32_t i = 0; i < field.variants.count; i++) {
        gt_summary summary;
        medians[i] = INFINITY;
        if (field.variants.items[i]->stage != GT_STAGE_READY) {
            continue;
        }
        for (int k = 0; k < SEQUENCE; k++) {
            same[k] = i;
        }
        sample(values, same, SEQUENCE, GT_SAMPLE_BRIEF);
        must(gt_summarise(&summary, values, SEQUENCE), "summary");
        medians[i] = summary.median;
        best.samples += SEQUENCE;
        if (medians[i] < medians[best.winner]) {
            best.winner = i;
        }
    }
    best.seconds = gt_seconds_since(begun);
    return best;
}

/* --- the judge ---------------------------------------------------------------------------------
 */

typedef struct court {
    uint64_t ids[JUDGED_MAX];
    double medians[JUDGED_MAX];
    uint32_t count;
} court;

static void summon(court *court, uint32_t variant)
{
    for (uint32_t i = 0; i < court->count; i++) {
        if (court->ids[i] == variant) {
            return;
        }
    }
    if (court->count < JUDGED_MAX) {
        court->ids[court->count++] = variant;
    }
}

static void summon_best(court *court, const double *medians)
{
    for (int turn = 0; turn < TOP; turn++) {
        int64_t best = -1;
        for (uint32_t i = 0; i < field.variants.count; i++) {
            bool in = false;
            for (uint32_t k = 0; k < court->count; k++) {
                in = in || court->ids[k] == i;
            }
            if (!in && isfinite(medians[i]) && (best < 0 || medians[i] < medians[best])) {
                best = i;
            }
        }
        if (best >= 0) {
            summon(court, (uint32_t)best);
        }
    }
}

static void judge(court *court)
{
    gt_random random = {99};
    uint32_t rounds = device.emulated ? 3 : JUDGE_ROUNDS;
    uint64_t order[JUDGED_MAX], ids[JUDGED_MAX];
    double row[JUDGED_MAX];
    double *all = calloc((size_t)JUDGED_MAX * JUDGE_ROUNDS, sizeof *all);
    for (uint32_t r = 0; all && r < rounds; r++) {
        for (uint32_t i = 0; i < court->count; i++) {
            order[i] = i;
        }
        gt_random_shuffle(&random, order, court->count);
        for (uint32_t i = 0; i < court->count; i++) {
            ids[i] = court->ids[order[i]];
        }
        sample(row, ids, court->count, GT_SAMPLE_FULL);
        for (uint32_t i = 0; i < court->count; i++) {
            all[order[i] * JUDGE_ROUNDS + r] = row[i];
        }
    }
    for (uint32_t i = 0; all && i < court->count; i++) {
        gt_summary summary;
        must(gt_summarise(&summary, all + (size_t)i * JUDGE_ROUNDS, rounds), "summary");
        court->medians[i] = summary.median;
    }
    free(all);
}

static double regret(const court *court, uint32_t variant)
{
    double best = INFINITY, own = NAN;
    for (uint32_t i = 0; i < court->count; i++) {
        best = fmin(best, court->medians[i]);
        own = court->ids[i] == variant ? court->medians[i] : own;
    }
    return own / best - 1;
}

static void report(const char *name, const run *runs, int count, const court *court)
{
    double samples = 0, spent = 0, worst = 0, mean = 0;
    int within = 0;
    for (int i = 0; i < count; i++) {
        double lost = regret(court, runs[i].winner);
        samples += runs[i].samples;
        spent += runs[i].seconds;
        mean += lost;
        worst = fmax(worst, lost);
        within += lost <= 0.01;
        char *text = text_of(runs[i].winner);
        fprintf(stderr, "%s %d: %s %+.2f%%, %u samples, %.3f s\n", name, i + 1, text, 100 * lost,
                runs[i].samples, runs[i].seconds);
        free(text);
    }
    printf("%-24s %4d  %10.0f %10.3f s %8.2f%% %8.2f%%  %d/%d\n", name, count, samples / count,
           spent / count, 100 * mean / count, 100 * worst, within, count);
}

static void compare(void)
{
    size_t variants = field.variants.count, most = variants > SEQUENCE ? variants : SEQUENCE;
    uint64_t *order = calloc(most, sizeof *order);
    double *values = calloc(most, sizeof *values), *medians = calloc(variants, sizeof *medians);
    static run raced[RUNS_MAX], sequenced[RUNS_MAX];
    court court = {.count = 0};
    for (int i = 0; order && values && medians && i < races; i++) {
        raced[i] = race_once((uint64_t)i + 1, order, values);
        summon(&court, raced[i].winner);
        if (i < sequences) {
            sequenced[i] = sequence_once(medians, values);
            summon(&court, sequenced[i].winner);
            summon_best(&court, medians);
        }
    }
    judge(&court);
    printf("== %s: %u variants verified, %u judged by %d interleaved samples\n", kernel,
           field.in[GT_STAGE_READY], court.count, device.emulated ? 3 : JUDGE_ROUNDS);
    printf("%-24s %4s  %10s %12s %9s %9s  %s\n", "", "runs", "samples", "time", "regret", "worst",
           "within 1%");
    report("race", raced, races, &court);
    report("100 each in sequence", sequenced, sequences < races ? sequences : races, &court);
    free(order);
    free(values);
    free(medians);
}

static gputune_size read_size(char *text)
{
    char *equals = strchr(text, '=');
    if (!equals) {
        fprintf(stderr, "%s: expected NAME=SIZE\n", text);
        exit(2);
    }
    *equals = '\0';
    return (gputune_size){text, strtoll(equals + 1, NULL, 0)};
}

int main(int argc, char **argv)
{
    static gputune_size given[8];
    int option;
    sizes.items = given;
    while ((option = getopt(argc, argv, "r:s:d:k:n:")) != -1) {
        if (option == 'r') {
            races = (int)strtol(optarg, NULL, 10) % RUNS_MAX;
        } else if (option == 's') {
            sequences = (int)strtol(optarg, NULL, 10) % RUNS_MAX;
        } else if (option == 'd') {
            driver_name = optarg;
        } else if (option == 'k') {
            kernel = optarg;
        } else if (option == 'n' && sizes.count < 8) {
            given[sizes.count++] = read_size(optarg);
        } else {
            fprintf(stderr, "race_cost [-r RACES] [-s SEQUENCES] [-d DRIVER] [-k KERNEL] "
                            "[-n NAME=SIZE] [AXIS=V,V...]\n");
            return 2;
        }
    }
    must(gt_catalog_open(&services.catalog, NULL, NULL), "templates");
    open_field(argv + optind, argc - optind);
    verify_all();
    compare();
    gt_field_close(&field);
    farm->ops->close(farm);
    gt_catalog_close(services.catalog);
    return 0;
}
