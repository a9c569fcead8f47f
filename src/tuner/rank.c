/* Chooses without measuring: ranks the compiled variants, and proves them in that order. */
#include "tuner/history.h"
#include "tuner/precedence.h"
#include "tuner/session.h"
#include "tuner/strategy_proposer.h"
#include "tuner/tune.h"

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

int gt_resident_blocks(const gt_device *device, const gt_kernel_step *step,
                       const gt_resources *resources)
{
    int64_t threads = gt_volume(step->block);
    int64_t warps = (threads + device->warp_size - 1) / device->warp_size;
    int64_t by_warp = (resources->registers * (int64_t)device->warp_size + 255) / 256 * 256;
    int64_t shared = (int64_t)resources->static_shared_bytes + step->shared_bytes +
                     device->shared_reserved_per_block_bytes;
    int64_t blocks =
        least(device->max_blocks_per_sm, device->max_threads_per_sm / (warps * device->warp_size));
    if (by_warp) {
        blocks = least(blocks, device->registers_per_sm / (by_warp * warps));
    }
    return (int)least(blocks, shared ? device->shared_per_sm_bytes / shared : blocks);
}

double gt_estimate(const gt_device *device, const gt_kernel_step *step,
                   const gt_resources *resources, uint32_t access_bytes)
{
    /* bytes in flight per SM that hide a latency of 800 ns at 4.8 TB/s on 132 SMs */
    static const double bytes_to_hide = 29e3;
    int resident = gt_resident_blocks(device, step, resources);
    if (!resident) {
        return 0;
    }
    double blocks = (double)step->grid[0] * step->grid[1] * step->grid[2];
    double slots = (double)resident * device->sm_count;
    double held = blocks < slots ? blocks / device->sm_count : resident;
    double in_flight = held * gt_volume(step->block) * (double)access_bytes;
    double hidden = in_flight < bytes_to_hide ? in_flight / bytes_to_hide : 1;
    double waves = blocks / slots;
    int64_t whole = (int64_t)waves + ((double)(int64_t)waves < waves);
    double filled = waves < 1 ? 1 : waves / (double)whole;
    return hidden * filled / (1 + resources->spill_bytes / 64.0);
}

enum { CANDIDATES = 3 };

typedef struct candidate {
    gt_config config;
    gt_resources resources;
    double estimate;
} candidate;

/* Returns the size of the widest load of a thread in bytes; at least 4. */
static uint32_t access_bytes(const gt_request *request, const gt_config *config)
{
    uint32_t widest =
        gt_vector_bytes(request->template, &request->problem, config, request->device);
    return widest > 4 ? widest : 4;
}

static bool is_before(const gt_request *request, const candidate *a, const candidate *b)
{
    return a->estimate > b->estimate ||
           (a->estimate == b->estimate &&
            gt_precedes(request, &a->config, &a->resources, &b->config, &b->resources));
}

static void insert_candidate(candidate best[CANDIDATES], const gt_request *request, candidate next)
{
    for (int i = 0; i < CANDIDATES; i++) {
        if (is_before(request, &next, &best[i])) {
            candidate swap = best[i];
            best[i] = next;
            next = swap;
        }
    }
}

static void rank_candidates(candidate best[CANDIDATES], const gt_request *request,
                            const gt_field *field)
{
    for (const gt_variant *variant = field->first; variant; variant = variant->next) {
        bool is_ready = variant->stage == GT_STAGE_READY;
        GT_FREED gt_launch *launch = is_ready ? gt_request_launch(request, &variant->config) : NULL;
        if (!launch) {
            continue;
        }
        const gt_resources *resources = &variant->unit->compiled.resources;
        insert_candidate(best, request,
                         (candidate){variant->config, *resources,
                                     gt_estimate(request->device, &launch->steps[0], resources,
                                                 access_bytes(request, &variant->config))});
    }
}

static gputune_status rank_space(candidate best[CANDIDATES], gt_request *request,
                                 uint32_t *variants)
{
    static const gt_policy policy = {.done = gt_session_is_done};
    GT_SCOPED(gt_trial_list_free) gt_history history = {0};
    GT_TRY(gt_history_load(&history, request));
    GT_TRY(gt_request_space_to_try(request));
    GT_SCOPED(gt_strategy_proposer_close) gt_strategy_proposer proposer = {.request = request};
    GT_TRY(gt_strategy_proposer_open(&proposer, request, GPUTUNE_STRATEGY_EXHAUSTIVE, NULL));
    GT_SCOPED(gt_session_close) gt_session session;
    const gt_field_options options = {.proposer = &proposer.proposer,
                                      .with_default = true,
                                      .limit = request->options.max_variants,
                                      .history = &history};
    GT_TRY(gt_session_open(&session, &policy, NULL, request, &options));
    GT_TRY(gt_session_run(&session));
    rank_candidates(best, request, &session.field);
    *variants = (uint32_t)session.field.variants.count;
    return GPUTUNE_OK;
}

gputune_status gt_rank(gt_choice *out, gt_request *request)
{
    candidate best[CANDIDATES] = {0};
    GT_SCOPED(gt_choice_free)
    gt_choice choice = {.source = GPUTUNE_SOURCE_ESTIMATED, .terms = request->terms};
    GT_TRY(rank_space(best, request, &choice.variants));
    gputune_status status = GPUTUNE_ENOVARIANT;
    bool next = true;
    for (int i = 0; i < CANDIDATES && best[i].estimate > 0 && next; i++) {
        status = gt_prove(&choice, request, &best[i].config, "");
        next = status != GPUTUNE_OK && status != GPUTUNE_ENOMEM;
    }
    GT_TRY(status);
    *out = gt_take(&choice);
    return GPUTUNE_OK;
}
