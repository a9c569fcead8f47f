/* Reports the progress of a tuning, and writes its raw samples. */
#include "tuner/samples.h"
#include "tuner/tuning.h"

#include "base/clock.h"

/* --- progress --------------------------------------------------------------------------------- */

enum { PROGRESS_NS = 50000000 };

static void fill_times(gputune_progress *progress, const gt_tuning *tuning, char **best)
{
    uint64_t incumbent, standard = gt_field_default(&tuning->session.field);
    gt_summary summary;
    if (gt_race_incumbent(tuning->race, &incumbent) &&
        gt_race_summary(tuning->race, incumbent, &summary) == GPUTUNE_OK) {
        progress->best_ns = summary.median;
        if (gt_config_text(best, tuning->session.request->template,
                           &gt_tuning_variant(tuning, incumbent)->config) == GPUTUNE_OK) {
            progress->best = *best;
        }
    }
    if (standard != GT_NO_VARIANT &&
        gt_race_summary(tuning->race, standard, &summary) == GPUTUNE_OK) {
        progress->default_ns = summary.median;
    }
}

static const char *phase_name(const gt_tuning *tuning)
{
    const gt_field *field = &tuning->session.field;
    if (tuning->phase > GT_PHASE_PROVE) {
        return "race";
    }
    bool compiles = field->compiling || field->started < field->variants.count ||
                    !field->options.proposer->exhausted;
    return compiles ? "compile" : field->verifying ? "verify" : "race";
}

void gt_tuning_progress(gt_tuning *tuning, const char *phase, bool always)
{
    const gputune_options *o = &tuning->session.request->options;
    int64_t now = gt_now_ns();
    if (!o->progress || (!always && now - tuning->last_progress_ns < PROGRESS_NS)) {
        return;
    }
    tuning->last_progress_ns = now;
    const gt_field *field = &tuning->session.field;
    gputune_progress progress = {.variants = gt_field_total(field),
                                 .verified = field->ready,
                                 .failed = field->failed,
                                 .racing = gt_race_active(tuning->race),
                                 .round = (uint32_t)tuning->session.rounds_sent,
                                 .elapsed_s = gt_session_elapsed_s(&tuning->session),
                                 .limit_s = o->time_limit_s,
                                 .phase = phase ? phase : phase_name(tuning),
                                 .objective = gt_tuning_is_before_weighing(tuning)
                                                  ? GPUTUNE_OBJECTIVE_KERNEL
                                                  : o->objective};
    uint32_t begun = field->started - field->twins;
    progress.compiled = begun - (field->compiling < begun ? field->compiling : begun);
    GT_FREED char *best = NULL;
    fill_times(&progress, tuning, &best);
    o->progress(o->user, &progress);
}

/* --- samples ---------------------------------------------------------------------------------- */

static void write_contestant(FILE *file, const gt_tuning *tuning, const gt_race *race,
                             uint32_t index, gputune_objective objective)
{
    const gt_request *request = tuning->session.request;
    gt_race_contestant contestant;
    char *config;
    gt_race_contestant_at(race, index, &contestant);
    if (gt_config_text(&config, request->template,
                       &gt_tuning_variant(tuning, contestant.id)->config) != GPUTUNE_OK) {
        return;
    }
    for (uint32_t i = 0; i < contestant.sample_count; i++) {
        const gt_race_sample *s = &contestant.samples[i];
        const gt_sample_row row = {.config = config,
                                   .objective = objective,
                                   .round = s->round,
                                   .value = s->value,
                                   .kind = s->quick   ? "quick"
                                           : s->final ? "final"
                                                      : "full"};
        gt_samples_write(file, request, &row);
    }
    free(config);
}

static void write_race(FILE *file, const gt_tuning *tuning, const gt_race *race,
                       gputune_objective objective)
{
    for (uint32_t i = 0; race && i < gt_race_count(race); i++) {
        write_contestant(file, tuning, race, i, objective);
    }
}

void gt_tuning_write_samples(const gt_tuning *tuning)
{
    FILE *file = gt_samples_open(tuning->session.request);
    if (!file) {
        return;
    }
    write_race(file, tuning, tuning->by_time, GPUTUNE_OBJECTIVE_KERNEL);
    write_race(file, tuning, tuning->race,
               gt_tuning_is_before_weighing(tuning) ? GPUTUNE_OBJECTIVE_KERNEL
                                                    : tuning->session.request->options.objective);
    write_race(file, tuning, tuning->tie_break, GPUTUNE_OBJECTIVE_KERNEL);
    gt_samples_close(file, tuning->session.request);
}
