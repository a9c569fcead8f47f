/* What a kernel's __shared__ arrays tell: the limit of its block, and how much it asks for. */
#include "draft/parts.h"
#include "kernel/types.h"

void gt_draft_read_shared(gt_draft *draft, gt_lexer lexer, bool is_extern)
{
    gt_draft_shared shared = {.is_dynamic = is_extern};
    while (gt_lexer_is(&lexer, "__align__") || gt_lexer_is(&lexer, "alignas")) {
        gt_lexer_next(&lexer);
        gt_draft_skip_brackets(&lexer);
    }
    if (gt_type_words_read(shared.type, sizeof shared.type, &lexer, "a type") != GPUTUNE_OK) {
        return;
    }
    do {
        shared.count = 0;
        gt_draft_token_text(shared.name, sizeof shared.name, &lexer.token);
        gt_lexer_next(&lexer);
        while (gt_lexer_accept(&lexer, "[")) {
            gt_polynomial extent = gt_draft_expand(draft, gt_draft_read_sum(draft, &lexer), false);
            shared.extents[shared.count < 3 ? shared.count++ : 2] = extent;
            (void)gt_lexer_accept(&lexer, "]");
        }
        draft->failed |= gt_array_push(&draft->shared, shared) != GPUTUNE_OK;
    } while (gt_lexer_accept(&lexer, ","));
}

/* A dynamic array is as long as its largest index asks for. */
static void note_length(gt_draft *draft, gt_draft_shared *shared, gt_polynomial index)
{
    gt_polynomial one = gt_polynomial_number(1), most = gt_draft_maximum(draft, index);
    most = gt_polynomial_add(&most, &one, 1);
    if (most.known && gt_draft_evaluate(draft, &most) >
                          (shared->length.known ? gt_draft_evaluate(draft, &shared->length) : 0)) {
        shared->length = most;
    }
}

void gt_draft_read_shared_access(gt_draft *draft, gt_draft_shared *shared, gt_lexer lexer)
{
    for (uint32_t k = 0; k < shared->count && gt_lexer_accept(&lexer, "["); k++) {
        gt_polynomial index = gt_draft_read_sum(draft, &lexer);
        gt_polynomial plain = gt_draft_expand(draft, index, false);
        double extent;
        if (shared->is_dynamic) {
            note_length(draft, shared, index);
        }
        for (uint16_t d = 0; d < 3 && plain.known; d++) {
            gt_draft_dimension *dimension = &draft->dimensions[d];
            gt_polynomial factor = gt_polynomial_factor(&plain, GT_DRAFT_THREAD + d);
            double times;
            if (!gt_polynomial_is_number(&factor, &times) || times < 1 || times > 1) {
                continue;
            }
            if (gt_polynomial_is_number(&shared->extents[k], &extent) && extent > 0) {
                dimension->limit =
                    dimension->limit > 0 && dimension->limit < extent ? dimension->limit : extent;
            } else if (!dimension->fixed.known && shared->extents[k].count == 1 &&
                       !gt_draft_fix_by_loop(draft, d, &index)) {
                dimension->fixed = shared->extents[k];
            }
        }
        if (!gt_lexer_accept(&lexer, "]")) {
            return;
        }
    }
}
