/* Measures the configurations of a list side by side. */
#include "base/objective.h"
#include "tuner/samples.h"
#include "tuner/session.h"
#include "tuner/tune.h"

#include <stdlib.h>

typedef struct run_plan {
    uint32_t least;    /* number of rounds before the intervals are checked for the first time */
    uint32_t every;    /* number of rounds between two checks */
    uint32_t most;     /* maximum number of rounds */
    uint32_t modelled; /* number of rounds on a device without noise */
    double narrow;     /* largest half width of a narrow interval, divided by epsilon * median */
    double drop_ratio; /* becomes gt_race_options.drop_ratio */
} run_plan;

typedef struct run_state {
    gt_session session;
    gt_race *race; /* stores the samples; run.c, not the race, decides when to stop */
    gt_run_way way;
    run_plan plan;
    uint32_t rounds;
    bool is_narrow;      /* true if all intervals are narrow, or no more rounds are needed */
    gt_race_round round; /* round that is being sampled */
} run_state;

/* Returns true if the caller requested the variant. The field may have added the default itself. */
static bool is_asked(const run_state *run, const gt_variant *variant)
{
    const gt_field *field = &run->session.field;
    return !field->added_default || variant != field->standard;
}

/* --- rounds ----------------------------------------------------------------------------------- */

static gputune_status look_at_intervals(run_state *run)
{
    const double narrow = run->plan.narrow * run->session.request->options.epsilon;
    run->is_narrow = true;
    for (const gt_runner *runner = gt_race_first(run->race); runner; runner = runner->next) {
        gt_summary summary;
        if (runner->left != GT_RACE_IN) {
            continue;
        }
        GT_TRY(gt_race_summary(run->race, runner->id, &summary));
        run->is_narrow =
            run->is_narrow && (summary.high - summary.low) / 2 <= narrow * summary.median;
    }
    return GPUTUNE_OK;
}

/* Plans the rounds. For energy there are few, because a round takes a second per variant. */
static run_plan plan_rounds(const gputune_options *options, gt_run_way way)
{
    const run_plan fully = {20, 10, 400, 3, 0.4, 0.5}, roughly = {7, 1, 400, 3, 0.4, 0.5},
                   by_energy = {5, 1, 400, 3, 0.4, 0.5}, briefly = {4, 1, 10, 1, 1, 1.5},
                   exhaustive = {2000, 1, 2000, 3, 0, 0.5};
    return options->effort == GPUTUNE_EXHAUSTIVE               ? exhaustive
           : way != GT_RUN_FULLY                               ? briefly
           : gt_objective_facts(options->objective)->by_energy ? by_energy
           : options->epsilon >= 0.02                          ? roughly
                                                               : fully;
}

static gputune_status count_round(run_state *run)
{
    const run_plan *plan = &run->plan;
    run->rounds++;
    if (run->rounds >= plan->least && run->rounds % plan->every == 0) {
        GT_TRY(look_at_intervals(run));
    }
    /* times of the emulator do not vary */
    bool modelled = run->session.request->device->emulated && run->rounds >= plan->modelled;
    run->is_narrow = run->is_narrow || modelled || run->rounds == plan->most;
    return GPUTUNE_OK;
}

static gputune_status sampled(gt_session *session, const gt_sampled *sampled)
{
    run_state *run = session->state;
    gt_race_end end;
    for (uint32_t i = 0; i < sampled->count; i++) {
        uint64_t id = run->round.ids[i];
        const gt_variant *variant = session->field.variants.items[id];
        GT_TRY(gt_race_record(run->race, id, gt_variant_value(variant, sampled->values[i])));
    }
    GT_TRY(gt_race_end_round(run->race, &end));
    return count_round(run);
}

static void failed(gt_session *session, uint64_t variant)
{
    gt_race_fail(((run_state *)session->state)->race, variant);
}

static gputune_status open_race(run_state *run)
{
    const gt_race_options options = {.seed = run->session.request->options.seed,
                                     .fixed = true,
                                     .drop_ratio = run->plan.drop_ratio};
    GT_TRY(gt_race_new(&run->race, &options));
    for (const gt_variant *variant = run->session.field.first; variant; variant = variant->next) {
        if (is_asked(run, variant) && variant->stage == GT_STAGE_READY) {
            GT_TRY(gt_race_add(run->race, variant->id, false));
        }
    }
    return GPUTUNE_OK;
}

static bool done(const gt_session *session)
{
    return session->stop != GT_STOP_NONE || ((const run_state *)session->state)->is_narrow;
}

/* Starts a round. The first one starts when all variants are verified. */
static gputune_status next(gt_session *session)
{
    run_state *run = session->state;
    const gt_field *field = &session->field;
    bool ready = gt_field_is_done(field) && field->prepared && !session->round_id;
    if (!ready || done(session)) {
        return GPUTUNE_OK;
    }
    if (!run->race) {
        GT_TRY(open_race(run));
    }
    GT_TRY(gt_race_next_round(run->race, &run->round));
    if (!run->round.count) {
        run->is_narrow = run->way != GT_RUN_FULLY; /* the records show why no variant works */
        return run->is_narrow ? GPUTUNE_OK : gt_field_verdict(field);
    }
    gt_sample_job job = {.variants = run->round.ids,
                         .count = run->round.count,
                         .objective = field->setup->objective,
                         .length = run->way == GT_RUN_FULLY ? GT_SAMPLE_FULL : GT_SAMPLE_BRIEF};
    return gt_session_sample(session, &job);
}

/* --- reporting -------------------------------------------------------------------------------- */

static gputune_status compare_with_first(gputune_record *record, const run_state *run,
                                         uint32_t variant)
{
    gt_verdict verdict = {0};
    bool both = run->rounds >= 3 && gt_race_find(run->race, 0) && gt_race_find(run->race, variant);
    if (variant > 0 && both) {
        GT_TRY(gt_race_compare(&verdict, run->race, variant, 0));
    }
    record->speedup = verdict.speedup;
    record->speedup_low = verdict.speedup_low;
    record->speedup_high = verdict.speedup_high;
    return GPUTUNE_OK;
}

static gputune_status fill_record(gputune_record *record, gt_shapes *texts, const run_state *run,
                                  const gt_variant *variant)
{
    const gt_request *request = run->session.request;
    const gt_field *field = &run->session.field;
    gt_site site = gt_site_of(&request->scenario, request->device, NULL);
    gt_trial trial = gt_field_trial(field, variant, NULL);
    if (run->rounds) {
        GT_TRY(gt_race_summary(run->race, variant->id, &trial.time));
    }
    if (variant->stage == GT_STAGE_SLOWER) {
        trial.status = GT_TRIAL_UNPROVED;
    }
    if (run->way != GT_RUN_FULLY && !trial.time.count && variant->failure == GPUTUNE_OK) {
        trial.time.median = gt_field_pilot(field, variant);
    }
    trial.message = variant->message ? variant->message : "";
    trial.noisy = run->session.disturbance.noisy;
    *record = (gputune_record){.size = sizeof(gputune_record),
                               .stop_reason = "",
                               .default_configuration = "",
                               .created = "",
                               .scenario = "",
                               .identity = "",
                               .default_status = "",
                               .grids = "",
                               .blocks = ""};
    site.copy_bytes_per_s = field->preparation.copy_bytes_per_s;
    gt_site_show(record, &site);
    gt_trial_show(record, &trial);
    GT_FREED gt_launch *launch = gt_request_launch(request, &variant->config);
    if (launch) {
        gt_launch_show(record, texts, launch);
    }
    return compare_with_first(record, run, variant->id);
}

static int report_records(const run_state *run, gt_record_fn each, void *user)
{
    int answer = 0;
    for (const gt_variant *variant = run->session.field.first; variant && !answer;
         variant = variant->next) {
        gputune_record record;
        gt_shapes texts;
        GT_FREED char *config = NULL;
        if (!is_asked(run, variant)) {
            continue;
        }
        GT_TRY(fill_record(&record, &texts, run, variant));
        GT_TRY(gt_config_text(&config, run->session.request->template, &variant->config));
        record.configuration = config;
        answer = each(user, &record);
    }
    return answer;
}

static int measure_configs(run_state *run, gt_record_fn each, void *user)
{
    GT_TRY(gt_session_run(&run->session));
    (void)gt_field_keep_code(&run->session.field, &run->session.request->patience);
    const bool may_be_partial = run->way != GT_RUN_FULLY && run->session.stop != GT_STOP_CANCELED;
    if (!run->rounds && !may_be_partial) {
        return gt_session_ended(&run->session, gt_field_is_done(&run->session.field)
                                                   ? "a round of samples was complete"
                                                   : "every variant was verified");
    }
    const gt_samples samples = {run->race, run->session.request->options.objective};
    gt_samples_write(&run->session.field, &samples, 1);
    return report_records(run, each, user);
}

static void end_run(run_state *run)
{
    gt_session_close(&run->session);
    gt_race_free(run->race);
}

gputune_status gt_run(gt_request *request, const gt_config *configs, size_t count, gt_run_way way,
                      gt_record_fn each, void *user)
{
    static const gt_policy policy = {.measures = true,
                                     .exclusive = true,
                                     .next = next,
                                     .sampled = sampled,
                                     .failed = failed,
                                     .done = done};
    gt_list_proposer proposer = gt_list_proposer_make(configs, count);
    const gt_field_options options = {.proposer = &proposer.proposer,
                                      .skips_slow = way == GT_RUN_TO_RANK};
    for (size_t i = 0; i < count; i++) {
        const char *reason = gt_space_excludes(request->space, &configs[i]);
        GT_FREED char *text = NULL;
        if (reason && gt_config_text(&text, request->template, &configs[i]) == GPUTUNE_OK) {
            gt_log_line(&request->log, GPUTUNE_LOG_WARNING,
                        "%s %s is run as requested, but tuning excludes it: %s",
                        request->template->name, text, reason);
        }
    }
    GT_SCOPED(end_run) run_state run = {.way = way, .plan = plan_rounds(&request->options, way)};
    GT_TRY(gt_session_open(&run.session, &policy, &run, request, &options));
    return measure_configs(&run, each, user);
}
