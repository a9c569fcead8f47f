/* What field.c and field_*.c share. */
#ifndef GT_TUNER_FIELD_PARTS_H
#define GT_TUNER_FIELD_PARTS_H

#include "tuner/field.h"

/* ---- field.c --------------------------------------------------------------------------------- */

/* Gets the code of a unit from the store, or submits a job to the compile workers. */
gputune_status gt_field_submit_source(gt_field *field, uint32_t unit, const gt_source *source);
/* Sends compiled variants to verification, once the measure worker is preparing. The default comes
 * before all others, so that there is something to compare with even if the time is soon up. */
gputune_status gt_field_verify_compiled(gt_field *field);

/* Generates the source of a variant, and compiles it unless it is known already. */
gputune_status gt_field_start(gt_field *field, uint32_t variant);

/* ---- field_give_up.c ------------------------------------------------------------------------- */

/* A variant whose compile was given up: it is not tried, and nor are its twins. ENOMEM. */
gputune_status gt_field_leave_out(gt_field *field, uint32_t variant);

/* ---- field_late.c ---------------------------------------------------------------------------- */

/* Leaves a variant for gt_field_try_late(). */
void gt_field_put_off(gt_field *field, uint32_t variant);
/* A source was compiled: notes how long that took. */
void gt_field_note_compiled(gt_field *field, uint32_t unit);

/* ---- field_propose.c ------------------------------------------------------------------------- */

/* Adds the default and the variant that is right at any alignment, as the options want. */
gputune_status gt_field_add_given(gt_field *field);
/* Whether the proposer may have more proposals, and the field would take them. */
bool gt_field_has_more_proposals(const gt_field *field);
/* Adds the next few proposals; none while the proposer waits for results. */
gputune_status gt_field_take_proposals(gt_field *field);

/* ---- field_prepare.c ------------------------------------------------------------------------- */

/* Submits the service kernels and the reference, before any variant. */
gputune_status gt_field_start_auxiliary(gt_field *field);
/* Once both images are compiled, asks the measure worker to prepare. Does nothing before. If one of
 * them fails to compile, the field fails. */
gputune_status gt_field_try_prepare(gt_field *field);

#endif
