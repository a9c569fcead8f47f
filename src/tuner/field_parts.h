/* What field.c and field_*.c share. */
#pragma once

#include "tuner/field.h"

/* ---- field.c --------------------------------------------------------------------------------- */

/* Generates the source of a variant, and compiles it unless it is known already. */
gputune_status gt_field_start(gt_field *field, uint32_t variant);

/* Takes what other sessions of this process have compiled meanwhile, and compiles here what they
 * gave up. */
gputune_status gt_field_take_elsewhere(gt_field *field);

/* ---- field_verify.c -------------------------------------------------------------------------- */

/* Binds the launches at the requested size and, where there is one, the awkward one. */
gputune_status gt_field_bind_launches(const gt_field *field, const gt_variant *variant,
                                      gt_launch launches[GT_WORKLOAD_MAX]);
/* Sends compiled variants to verification, once the measure worker is preparing, as far as it has
 * room. The default comes before all others, so that there is something to compare with even if the
 * time is soon up. */
gputune_status gt_field_verify_compiled(gt_field *field);
/* Sends a variant to the own measure worker, or to a helper's. One whose launch cannot be made
 * fails instead: *sent is false then. */
gputune_status gt_field_send(gt_field *field, uint32_t variant, const gt_helper *helper,
                             bool *sent);
/* The first launch of a variant that is right, as it is compared with others: 0 where it does not
 * tell. */
double gt_field_first_launch(const gt_field *field, uint32_t variant);
/* Takes in what a worker says of a variant that was launched and not proved. ENOMEM. */
gputune_status gt_field_mark_slower(gt_field *field, uint32_t variant);
/* Notes that a variant is verified, or needs no verification, and tells the proposer. */
gputune_status gt_field_mark_ready(gt_field *field, uint32_t variant);
/* Notes what came of a sketch, and tells the proposer. */
void gt_field_settle_sketch(gt_field *field, uint32_t variant, gputune_status failure);
/* Lets variants be proved whose first launch is not clearly slower than what is the fastest now:
 * after the one that they were compared with failed, or its first launch turned out to be lucky.
 * ENOMEM. */
gputune_status gt_field_prove_slower(gt_field *field);
/* Takes the measure worker's answer to a verification. Fails where the failure is no variant's. */
gputune_status gt_field_handle_verified(gt_field *field, gt_event *event);

/* ---- field_help.c ---------------------------------------------------------------------------- */

/* Other GPUs of the same kind launch and prove newcomers first. What is too slow there is left out;
 * whatever else becomes of a variant there, the request's own GPU decides: it is launched there
 * next. Times of another GPU are scaled, by a variant that is launched on both now and then. */

/* Asks the helpers' measure workers to prepare as the own one does, those that were not asked yet.
 */
gputune_status gt_field_prepare_helpers(gt_field *field);
/* Gives them newcomers, as far as they have room. */
gputune_status gt_field_give_helpers(gt_field *field);
/* What a launch of a variant must not take on a helper's GPU if it is to be proved there, where
 * `slower_ns` is that here. */
double gt_helper_slower_ns(const gt_helper *helper, const gt_variant *variant, double slower_ns);
/* Takes a helper's answer, event->gpu being its number from 1. ENOMEM. */
gputune_status gt_field_handle_helper(gt_field *field, gt_event *event);
/* Variants that they have in hand. */
uint32_t gt_field_with_helpers(const gt_field *field);
/* Notes in the schedule what they take. */
void gt_field_schedule_helpers(gt_field *field);

/* ---- field_pump.c ---------------------------------------------------------------------------- */

/* Variants on their way: those without a result, of which a proposer knows nothing yet. */
uint32_t gt_field_on_their_way(const gt_field *field);

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
/* Adds the next proposals, at most `most` and GT_FIELD_PROPOSALS; none while the proposer waits for
 * results. */
enum { GT_FIELD_PROPOSALS = 16 };
gputune_status gt_field_take_proposals(gt_field *field, uint32_t most);

/* Submits the service kernels and the reference, before any variant. */
gputune_status gt_field_start_auxiliary(gt_field *field);
