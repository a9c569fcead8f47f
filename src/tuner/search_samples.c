/* The raw samples of a search. */
#include "tuner/samples.h"
#include "tuner/search.h"

static void write_contestant(FILE *file, const gt_search_state *state, const gt_race *race,
                             uint32_t index, gputune_objective objective)
{
    const gt_request *request = state->request;
    gt_race_contestant contestant;
    char *config;
    gt_race_contestant_at(race, index, &contestant);
    if (gt_config_text(&config, request->template,
                       &state->field.variants.items[contestant.id].config) != GPUTUNE_OK) {
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

static void write_race(FILE *file, const gt_search_state *state, const gt_race *race,
                       gputune_objective objective)
{
    for (uint32_t i = 0; race && i < gt_race_count(race); i++) {
        write_contestant(file, state, race, i, objective);
    }
}

void gt_search_write_samples(const gt_search_state *state)
{
    FILE *file = gt_samples_open(state->request);
    if (!file) {
        return;
    }
    write_race(file, state, state->heats, GPUTUNE_OBJECTIVE_KERNEL);
    write_race(file, state, state->race,
               gt_search_is_by_time(state) ? GPUTUNE_OBJECTIVE_KERNEL
                                           : state->request->options.objective);
    write_race(file, state, state->tie_break, GPUTUNE_OBJECTIVE_KERNEL);
    gt_samples_close(file, state->request);
}
