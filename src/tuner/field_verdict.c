/* What became of a field's variants that did not work. */
#include "tuner/field.h"

#include "base/text.h"

#include <stdlib.h>

gputune_status gt_field_fail(gt_field *field, uint32_t index, gputune_status failure, bool lasting,
                             const char *message)
{
    gt_variant *variant = &field->variants.items[index];
    if (variant->stage == GT_STAGE_READY) {
        field->ready--;
    }
    variant->stage = GT_STAGE_FAILED;
    variant->failure = failure;
    variant->lasting = lasting;
    field->failed++;
    free(variant->message);
    variant->message = NULL;
    return gt_strdup(&variant->message, message ? message : "");
}

gputune_status gt_field_blame(gt_field *field, uint64_t *culprit, const gt_event *event)
{
    enum { CHANCES = 3 };
    *culprit = event->culprit;
    if (event->culprit < field->variants.count &&
        field->variants.items[event->culprit].stage == GT_STAGE_READY) {
        return gt_field_fail(field, (uint32_t)event->culprit, event->status, event->repeatable,
                             event->message);
    }
    *culprit = GT_NO_VARIANT;
    return ++field->blameless <= CHANCES ? GPUTUNE_OK
                                         : gt_fail(event->status, "%s", event->message);
}

const char *gt_variant_status(const gt_variant *variant)
{
    static const struct {
        gputune_status failure;
        const char *name;
    } names[] = {{GPUTUNE_OK, "ok"},
                 {GPUTUNE_EWRONG, "wrong"},
                 {GPUTUNE_ECRASHED, "crashed"},
                 {GPUTUNE_ETIMEOUT, "hung"},
                 {GPUTUNE_ECOMPILE, "compile"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (names[i].failure == variant->failure) {
            return names[i].name;
        }
    }
    return "launch";
}

gputune_status gt_field_verdict(const gt_field *field)
{
    const gt_variant *speaker = NULL;
    uint32_t most = 0;
    for (size_t i = 0; i < field->variants.count; i++) {
        const gt_variant *variant = &field->variants.items[i];
        uint32_t count = 0;
        for (size_t j = i; j < field->variants.count && variant->stage == GT_STAGE_FAILED; j++) {
            count += field->variants.items[j].failure == variant->failure;
        }
        if (count > most) {
            most = count;
            speaker = variant;
        }
    }
    if (!speaker) {
        return gt_fail(GPUTUNE_ENOVARIANT, "%s: no configuration is possible here",
                       field->options.template->name);
    }
    return gt_fail(speaker->failure, "%s: no variant works; %u of %zu fail like this: %s",
                   field->options.template->name, most, field->variants.count - field->twins,
                   speaker->message ? speaker->message : "");
}
