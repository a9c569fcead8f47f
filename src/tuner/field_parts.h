/* Functions that field.c and field_*.c share. */
#pragma once

#include "tuner/field.h"

/* ---- field.c --------------------------------------------------------------------------------- */

/* Moves a variant to another stage. */
void gt_field_move(gt_field *field, gt_variant *variant, gt_stage stage);
/* Generates the source of a variant, and submits its compile unless that source is known
 * already. */
gputune_status gt_field_start(gt_field *field, gt_variant *variant);

/* ---- field_verify.c -------------------------------------------------------------------------- */

/* Binds a variant's launches at the requested size and, if there is one, at the awkward size. */
gputune_status gt_field_bind_launches(const gt_field *field, const gt_variant *variant,
                                      gt_launch launches[GT_WORKLOAD_MAX]);
/* Sends compiled variants to verification, as many as the measure worker has room for, once that
 * worker has begun to prepare. The default comes before all others, so that there is something to
 * compare with even if the time is soon up. */
gputune_status gt_field_verify_compiled(gt_field *field);
/* Notes that a variant is verified, or needs no verification, and tells the proposer. */
gputune_status gt_field_mark_ready(gt_field *field, gt_variant *variant);
/* Tells the proposer of a sketch that was launched. gt_field_fail() does so of one that failed. */
void gt_field_settle_sketch(gt_field *field, gt_variant *variant);
/* Sends variants that were left out as slower to be proved after all, if their first launch is not
 * clearly slower than the present fastest variant. That happens when the variant that they were
 * compared with has failed, or its first launch turns out to be lucky. ENOMEM. */
gputune_status gt_field_prove_slower(gt_field *field);
/* Takes the measure worker's answer to a verification. Fails if the answer is a failure that is not
 * the variant's fault. */
gputune_status gt_field_handle_verified(gt_field *field, gt_event *event);

/* ---- field_report.c -------------------------------------------------------------------------- */

/* Sets a variant's message to what explains its failure. ENOMEM. */
gputune_status gt_field_explain(const gt_field *field, gt_variant *variant, const char *message);
/* Counts a failure, of a variant or of an earlier trial, that is the default's. */
void gt_field_count_alike(gt_field *field, gputune_status failure, const char *message);

/* ---- field_late.c ---------------------------------------------------------------------------- */

/* Defers a variant. ENOMEM. */
gputune_status gt_field_defer(gt_field *field, gt_variant *variant, gt_deferral why,
                              gputune_status failure, const char *message);
/* A source was compiled: notes how long that took. */
void gt_field_note_compiled(gt_field *field, const gt_unit *unit);

/* ---- field_propose.c ------------------------------------------------------------------------- */

/* Adds the default and the fallback (the variant that is right at any alignment), as far as the
 * options ask for them. */
gputune_status gt_field_add_given(gt_field *field);
/* Adds the default, which is verified before all others, if the request permits it. ENOMEM. */
gputune_status gt_field_add_default(gt_field *field);
/* Whether the proposer may have more proposals, and the field would take them. */
bool gt_field_has_more_proposals(const gt_field *field);
