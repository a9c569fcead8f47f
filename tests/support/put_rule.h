/* Helpers that store the rules of tests. */
#pragma once

#include "api/tuner.h"
#include "support/test.h"

/* Stores a rule for a kernel with the options of a call and the hashes of the current template. */
static inline void put_rule_for(gputune *tuner, const char *kernel, gputune_sizes fixed,
                                const gputune_options *options, const char *text, bool proved)
{
    GT_SCOPED(gt_request_end) gt_request *request = NULL;
    GT_FREED char *sources = NULL;
    gt_rule *rule;
    ASSERT_OK(gt_request_make(&request, &tuner->services, &tuner->device, kernel, fixed, options));
    ASSERT_OK(gt_rule_parse(&rule, request->template, text));
    ASSERT_OK(gt_rule_sources(&sources, rule, request->template, request->device,
                              gt_catalog_prelude(tuner->catalog)));
    const gt_site site = gt_site_of(&request->scenario, request->device, request->host_text);
    const gt_stored_rule stored = {.text = (char *)text,
                                   .sources = sources,
                                   .driver_version = request->device->driver_version,
                                   .proved = proved};
    const gt_rule_outcome outcome = {.site = &site, .rule = &stored};
    ASSERT_OK(gt_store_put_rule(tuner->store, &outcome, NULL));
    gt_rules_note_change(tuner->rules);
    gt_rule_free(rule);
}

static inline void put_rule(gputune *tuner, const char *kernel, const char *text)
{
    const gputune_options options = GPUTUNE_OPTIONS_INIT;
    put_rule_for(tuner, kernel, (gputune_sizes){0, NULL}, &options, text, true);
}
