/* Makes trials of what a tuning found out about its variants, and stores them. */
#include "tuner/tuning.h"

#include "base/number.h"
#include "base/text.h"
#include "tuner/outcome.h"

#include <stdio.h>
#include <string.h>

static void free_trial(gt_trial *trial)
{
    free((char *)trial->config);
    free((char *)trial->message);
    *trial = (gt_trial){0};
}

void gt_tuning_free_trials(gt_trial_list *list)
{
    for (size_t i = 0; i <= list->count && list->items;
         i++) { /* one more, which may be incomplete */
        free_trial(&list->items[i]);
    }
    free(list->items);
    *list = (gt_trial_list){0};
}

/* The last race that sampled a variant; *out says what it knows of the variant. NULL: it was not
 * sampled. */
static const gt_race *find_raced(gt_race_contestant *out, const gt_tuning *tuning, uint32_t index)
{
    const gt_race *race = gt_race_find(tuning->race, index, out) ? tuning->race : tuning->by_time;
    return race && gt_race_find(race, index, out) && out->sample_count ? race : NULL;
}

/* Why a variant left its race; "" if it has not. */
static void explain(char *out, size_t bytes, const gt_race_contestant *contestant, bool among_all,
                    bool by_time)
{
    char why[128];
    if (contestant->left == GT_RACE_IN) {
        snprintf(out, bytes, "%s", among_all ? "by time: not among the fastest" : "");
        return;
    }
    snprintf(out, bytes, "%s%s", by_time ? "by time: " : "",
             gt_race_leave_text(why, sizeof why, contestant));
}

/* Only values of the objective are kept; with the objective energy, times are not. */
static gputune_status describe_race(gt_trial *trial, const gt_tuning *tuning, uint32_t index)
{
    gt_race_contestant contestant;
    char text[160];
    const gt_race *race = find_raced(&contestant, tuning, index);
    if (!race) {
        return GPUTUNE_OK;
    }
    bool among_all = race == tuning->by_time;
    bool by_time = among_all || gt_tuning_is_before_weighing(tuning);
    if (!by_time) {
        GT_TRY(gt_race_summary(race, index, &trial->time));
    }
    trial->eliminated_round = contestant.left_round;
    explain(text, sizeof text, &contestant, among_all, by_time);
    if (!text[0] || contestant.left == GT_RACE_LEFT_FAILED) {
        return GPUTUNE_OK;
    }
    trial->status = GT_TRIAL_ELIMINATED;
    return gt_strdup((char **)&trial->message, text);
}

static gputune_status describe_twin(gt_trial *trial, const gt_template *template,
                                    const gt_variant *tried)
{
    gt_text text = {0};
    char *config, *message;
    GT_TRY(gt_config_text(&config, template, &tried->config));
    gt_text_printf(&text, "the same launch as %s", config);
    free(config);
    GT_TRY(gt_text_take(&message, &text));
    free((char *)trial->message);
    trial->message = message;
    return GPUTUNE_OK;
}

/* One launch told enough of it. */
static gputune_status describe_slower(gt_trial *trial, const gt_tuning *tuning, uint32_t index)
{
    const gt_field *field = &tuning->session.field;
    double pilot = gt_field_pilot(field, index);
    char text[96];
    gt_snprintf(text, sizeof text, "%.2fx the best in its first launch", pilot / field->best_ns);
    trial->status = GT_TRIAL_UNPROVED;
    GT_TRY(gt_summarise(&trial->time, &pilot, 1));
    return gt_strdup((char **)&trial->message, text);
}

static gputune_status describe_trial(gt_trial *trial, const gt_tuning *tuning, uint32_t index)
{
    const gt_request *request = tuning->session.request;
    const gt_field *field = &tuning->session.field;
    const uint32_t tried = gt_field_tried_for(field, index);
    const gt_config *config = &field->variants.items[index].config;
    const gt_variant *variant = &field->variants.items[tried];
    *trial = gt_field_trial(field, index);
    trial->noisy = tuning->disturbance.noisy;
    GT_TRY(gt_config_text((char **)&trial->config, request->template, config));
    if (variant->failure != GPUTUNE_OK) {
        return gt_strdup((char **)&trial->message, variant->message ? variant->message : "");
    }
    GT_TRY(variant->stage == GT_STAGE_SLOWER ? describe_slower(trial, tuning, tried)
                                             : describe_race(trial, tuning, tried));
    return tried == index ? GPUTUNE_OK : describe_twin(trial, request->template, variant);
}

/* Whether an earlier tuning measured the variant, and this one did not, for want of time perhaps.
 */
static bool is_better_known(const gt_trial *trial, const gt_tuning *tuning)
{
    const gt_trial *known = gt_history_find(&tuning->history, trial->hash);
    bool vague = gt_trial_is_right(trial->status) || trial->limit_ns > 0;
    bool unproved = trial->status == GT_TRIAL_UNPROVED;
    return known && ((vague && !trial->time.count && known->time.count) ||
                     (unproved && gt_trial_is_right(known->status)));
}

/* Whether this tuning found out something about a variant that is worth keeping. */
static bool is_found_out(const gt_tuning *tuning, uint32_t index)
{
    const gt_field *field = &tuning->session.field;
    const uint32_t subject = gt_field_tried_for(field, index);
    const gt_variant *variant = &field->variants.items[subject];
    gt_race_contestant contestant;
    bool raced = find_raced(&contestant, tuning, subject) != NULL;
    bool tried = raced || variant->stage == GT_STAGE_SLOWER ||
                 (variant->stage == GT_STAGE_FAILED && !variant->remembered);
    if (variant->cut_off_s > 0) {
        return true;
    }
    return tried && gt_outcome_is_kept(variant->failure, variant->repeatable);
}

/* Whether the result is final: a failure, or a contestant that has left. */
static bool is_settled(const gt_tuning *tuning, uint32_t index)
{
    const gt_variant *variant = &tuning->session.field.variants.items[index];
    gt_race_contestant contestant;
    return variant->stage == GT_STAGE_FAILED || variant->stage == GT_STAGE_SLOWER ||
           (gt_race_find(tuning->race, index, &contestant) && contestant.left != GT_RACE_IN &&
            !contestant.reserve);
}

/* Makes room for every variant, and for one more that may be incomplete if something fails. */
static gputune_status make_room(gt_trial_list *out, const gt_field *field)
{
    *out = (gt_trial_list){calloc(field->variants.count + 1, sizeof *out->items), 0};
    return gt_allocated(out->items);
}

/* Appends the trial of a variant, unless an earlier tuning knows more of it. */
static gputune_status append_trial(gt_trial_list *out, const gt_tuning *tuning, uint32_t index)
{
    gt_trial *trial = &out->items[out->count];
    GT_TRY(describe_trial(trial, tuning, index));
    if (is_better_known(trial, tuning)) {
        free_trial(trial);
    } else {
        out->count++;
    }
    return GPUTUNE_OK;
}

gputune_status gt_tuning_trials(gt_trial_list *out, const gt_tuning *tuning)
{
    const gt_field *field = &tuning->session.field;
    GT_TRY(make_room(out, field));
    for (uint32_t i = 0; i < field->variants.count; i++) {
        if (is_found_out(tuning, i)) {
            GT_TRY(append_trial(out, tuning, i));
        }
    }
    return GPUTUNE_OK;
}

gputune_status gt_tuning_settled_trials(gt_trial_list *out, gt_tuning *tuning)
{
    gt_field *field = &tuning->session.field;
    GT_TRY(make_room(out, field));
    for (uint32_t i = 0; i < field->variants.count; i++) {
        gt_variant *variant = &field->variants.items[i];
        if (!variant->kept && is_settled(tuning, i) && is_found_out(tuning, i)) {
            variant->kept = true;
            GT_TRY(append_trial(out, tuning, i));
        }
    }
    return GPUTUNE_OK;
}
