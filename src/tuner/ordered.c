/* Chooses what was ordered: the default, or a given configuration that is right. */
#include "tuner/ordered.h"

#include "base/text.h"
#include "tuner/outcome.h"
#include "tuner/prove.h"

/* An order answers every request. */
static gt_terms terms_of(const gt_request *request)
{
    gt_terms terms = request->terms;
    terms.final = terms.proved = true;
    return terms;
}

gputune_status gt_choose_default(gt_choice *out, gt_request *request)
{
    gt_choice choice = {.source = GPUTUNE_SOURCE_DEFAULT,
                        .config = gt_config_default(request->template),
                        .terms = terms_of(request)};
    return gt_choice_finish(out, &choice, request, NULL);
}

static gputune_status choose_proved(gt_choice *out, gt_request *request, const gt_config *config,
                                    const gt_history *history)
{
    gt_choice choice = {.source = GPUTUNE_SOURCE_FORCED, .config = *config};
    bool known;
    choice.terms = terms_of(request);
    GT_TRY(gt_history_is_proved(&known, request, config));
    if (known) {
        return gt_choice_finish(out, &choice, request, NULL);
    }
    gputune_status status = gt_prove(&choice, request, config, 1, history);
    GT_THEN(status, gt_strdup(&choice.stop_reason, ""));
    if (status != GPUTUNE_OK) {
        gt_choice_free(&choice);
        return status;
    }
    *out = choice;
    return GPUTUNE_OK;
}

gputune_status gt_choose_forced(gt_choice *out, gt_request *request, const char *text)
{
    gt_config config;
    gt_history history;
    bool permitted;
    GT_TRY(gt_config_parse(&config, request->template, text));
    GT_TRY(gt_request_permits(&permitted, request, &config));
    if (!permitted) {
        return gt_fail(GPUTUNE_ENOVARIANT,
                       "%s: '%s' is excluded by a constraint or this GPU; 'gputune space %s' says "
                       "which",
                       request->template->name, text, request->template->name);
    }
    GT_TRY(gt_history_load(&history, request));
    gputune_status status = choose_proved(out, request, &config, &history);
    gt_history_free(&history);
    return status;
}
