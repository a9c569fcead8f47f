/* Compiles one configuration or a whole space, without measuring. */
#include "tuner/session.h"
#include "tuner/strategy_proposer.h"
#include "tuner/tune.h"

#include <stdlib.h>

static const char compiled_text[] = "it was compiled";

static gputune_status take_code(gt_image *image, gt_resources *resources, gt_session *session)
{
    gt_field *field = &session->field;
    if (session->stop != GT_STOP_NONE) {
        return gt_request_ended(session->request, compiled_text, "raise it");
    }
    const gt_variant *variant = field->first;
    GT_REFUSE(variant->stage != GT_STAGE_READY, variant->failure, "%s: %s",
              session->request->template->path,
              variant->message ? variant->message : "does not compile");
    gt_compiled *compiled = &variant->unit->compiled;
    *resources = compiled->resources;
    *image = compiled->image; /* the image now belongs to the caller */
    compiled->image = (gt_image){0};
    return GPUTUNE_OK;
}

gputune_status gt_compile_one(gt_image *image, gt_resources *resources, gt_request *request,
                              const gt_config *config)
{
    static const gt_policy policy = {.done = gt_session_is_done};
    gt_list_proposer proposer = gt_list_proposer_make(config, 1);
    const gt_field_options options = {.proposer = &proposer.proposer};
    GT_SCOPED(gt_session_close) gt_session session;
    GT_TRY(gt_session_open(&session, &policy, NULL, request, &options));
    GT_TRY(gt_session_run(&session));
    /* store the code, so calls for other sizes and in other processes need not compile it */
    const gt_patience briefly = gt_patience_for(0.15, NULL);
    (void)gt_field_keep_code(&session.field, &briefly);
    return image ? take_code(image, resources, &session) : GPUTUNE_OK;
}

gputune_status gt_get_code(gt_image *image, gt_resources *resources, gt_request *request,
                           const gt_config *config, gt_code *stored)
{
    GT_SCOPED(gt_source_free) gt_source source = {0};
    GT_SCOPED(gt_code_free) gt_code kept = {0};
    const gt_device *device = request->device;
    gt_code *const at_hand[] = {stored, &request->default_code, &kept};
    GT_TRY(gt_request_source(&source, request, config));
    for (size_t i = 0; i < sizeof at_hand / sizeof *at_hand; i++) {
        gt_code *code = at_hand[i];
        if (code == &kept) {
            (void)gt_store_find_cubin(code, request->services->store, source.hash, device->arch,
                                      device->emulated, &request->patience);
        }
        if (code && code->image.bytes && gt_hash_equal(source.hash, code->source)) {
            *image = gt_take(&code->image);
            *resources = code->resources;
            return GPUTUNE_OK;
        }
    }
    return gt_compile_one(image, resources, request, config);
}

typedef struct compile_run {
    const gt_variant *reported; /* last variant that was passed to `each`, or NULL */
    int answer;
    gt_compiled_fn each;
    void *user;
} compile_run;

static gputune_status report_variant(compile_run *run, const gt_session *session,
                                     const gt_variant *variant)
{
    const gt_unit *unit = variant->unit;
    GT_FREED char *config = NULL;
    GT_TRY(gt_config_text(&config, session->request->template, &variant->config));
    const gputune_compiled compiled = {.size = sizeof(gputune_compiled),
                                       .kernel = session->request->template->name,
                                       .configuration = config,
                                       .arch = session->request->device->arch,
                                       .status = gt_variant_status(variant),
                                       .message = variant->message ? variant->message : "",
                                       .log = unit->compiled.log ? unit->compiled.log : "",
                                       .registers = unit->compiled.resources.registers,
                                       .spill_bytes = unit->compiled.resources.spill_bytes,
                                       .shared_bytes = unit->compiled.resources.static_shared_bytes,
                                       .compile_ns = unit->compiled.compile_ns};
    run->answer = run->each ? run->each(run->user, &compiled) : 0;
    return GPUTUNE_OK;
}

static const gt_variant *next_to_report(const gt_session *session)
{
    const compile_run *run = session->state;
    return run->reported ? run->reported->next : session->field.first;
}

static gputune_status report_finished(gt_session *session)
{
    compile_run *run = session->state;
    const gt_variant *next;
    while ((next = next_to_report(session)) && !run->answer && next->stage != GT_STAGE_WAITING) {
        GT_TRY(report_variant(run, session, next));
        run->reported = next;
    }
    return GPUTUNE_OK;
}

static bool all_reported(const gt_session *session)
{
    const compile_run *run = session->state;
    return run->answer || (gt_session_is_done(session) &&
                           (session->stop != GT_STOP_NONE || !next_to_report(session)));
}

static int compile_proposals(compile_run *run, gt_request *request, gt_proposer *proposer,
                             uint32_t limit)
{
    static const gt_policy policy = {.next = report_finished, .done = all_reported};
    const gt_field_options options = {
        .proposer = proposer, .with_default = true, .for_later = true, .limit = limit};
    GT_SCOPED(gt_session_close) gt_session session;
    GT_TRY(gt_session_open(&session, &policy, run, request, &options));
    int answer = gt_session_run(&session);
    const gt_patience patience = gt_session_storing(&session);
    gputune_status kept = gt_field_keep_code(&session.field, &patience);
    answer = answer ? answer : run->answer;
    answer = answer ? answer : kept;
    if (answer == GPUTUNE_OK && !session.field.in[GT_STAGE_READY]) {
        answer = session.stop == GT_STOP_NONE
                     ? gt_field_verdict(&session.field)
                     : gt_request_ended(request, compiled_text, "raise it");
    } else if (answer == GPUTUNE_OK && session.stop == GT_STOP_LIMIT) {
        gt_log_line(&request->log, GPUTUNE_LOG_WARNING,
                    "%s: %u of %u variants were compiled within the %.3g s limit; raise the time "
                    "limit",
                    request->template->name, session.field.in[GT_STAGE_READY],
                    gt_field_total(&session.field), request->options.time_limit_s);
    }
    return answer;
}

int gt_compile_space(gt_request *request, gt_compiled_fn each, void *user)
{
    compile_run run = {.each = each, .user = user};
    const uint32_t limit = request->options.max_variants;
    GT_SCOPED(gt_strategy_proposer_close) gt_strategy_proposer proposer = {.request = request};
    GT_SCOPED(gt_trial_list_free) gt_history history = {0};
    GT_TRY(gt_request_space_to_try(request));
    if (!limit || limit >= gt_space_count(request->space).count) {
        GT_TRY(gt_strategy_proposer_open(&proposer, request, GPUTUNE_STRATEGY_EXHAUSTIVE, NULL));
        return compile_proposals(&run, request, &proposer.proposer, 0);
    }
    GT_TRY(gt_history_load(&history, request));
    GT_TRY(gt_strategy_proposer_open(&proposer, request, request->options.strategy, &history));
    char count[32];
    gt_outlook outlook;
    gt_strategy_outlook(&outlook, proposer.strategy);
    GT_REFUSE(outlook.learns, GPUTUNE_EINVAL,
              "%s: the strategy '%s' chooses its %u of %s variants by their results, so they "
              "cannot be compiled in advance; leave out max_variants, or choose the strategy "
              "'random' or 'exhaustive'",
              request->template->name, gt_strategy_name(request->options.strategy), limit,
              gt_count_text(count, sizeof count, proposer.proposer.total));
    return compile_proposals(&run, request, &proposer.proposer, limit);
}
