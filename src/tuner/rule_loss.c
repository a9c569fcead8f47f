/* Estimates the loss of a rule at unseen sizes. */
#include "tuner/rule.h"

#include "stats/summary.h"

#include <math.h>

/* Losses are natural logarithms of ratios of times. */
typedef GT_ARRAY(double) loss_list;

/* Lists how much slower the best kept member is than the fastest variant at each test size. */
static gputune_status list_choice(loss_list *losses, const gt_rule_maker *maker)
{
    const gt_pool *pool = &maker->pool;
    for (size_t i = 0; i < maker->tests.count; i++) {
        const size_t size = maker->tests.items[i];
        double best_ns = INFINITY;
        for (size_t k = 0; k < maker->kept.count; k++) {
            best_ns = fmin(best_ns, gt_pool_time(pool, size, maker->kept.items[k]));
        }
        if (best_ns < INFINITY) {
            const double fastest_ns = gt_pool_time(pool, size, gt_pool_fastest(pool, size));
            GT_TRY(gt_array_push(losses, log(best_ns / fastest_ns)));
        }
    }
    return GPUTUNE_OK;
}

/* Lists the losses of the tree at typical sizes: no corners, no deliberately difficult sizes. */
static gputune_status list_tree(loss_list *losses, const gt_rule_maker *maker, const double *all,
                                const gt_size_list *sizes)
{
    for (size_t i = 0; i < sizes->count; i++) {
        const gt_pool_size *size = &maker->pool.sizes.items[sizes->items[i]];
        if (!size->is_doubtful && !size->is_corner) {
            GT_TRY(gt_array_push(losses, all[i]));
        }
    }
    return GPUTUNE_OK;
}

gputune_status gt_rule_add_losses(gt_rule_loss *out, const double *choice, size_t choices,
                                  const double *tree, size_t decisions)
{
    gt_summary of_choice, of_tree;
    *out = (gt_rule_loss){NAN, NAN, NAN, 0};
    if (choices < 2 || !decisions) {
        return GPUTUNE_OK;
    }
    GT_TRY(gt_summarise(&of_choice, choice, choices));
    GT_TRY(gt_summarise(&of_tree, tree, decisions));
    const size_t count = choices * decisions;
    const double error = of_choice.stddev / sqrt((double)choices);
    double worst = 0;
    GT_FREED double *sums = calloc(count, sizeof *sums);
    GT_TRY(gt_allocated(sums));
    for (size_t i = 0; i < count; i++) { /* independent losses, so combine all pairs */
        const double a = choice[i / decisions], b = tree[i % decisions];
        sums[i] = a + b + error;
        worst = fmax(worst, fmax(a, b) + error);
    }
    gt_sort(sums, count);
    const double p90 = sums[(count - 1) * 9 / 10];
    *out = (gt_rule_loss){.mean = exp(of_choice.mean + of_tree.mean + error),
                          .p90 = exp(p90),
                          /* not the sum of both maxima, as these are rarely at the same size */
                          .worst = exp(fmax(worst, p90))};
    return GPUTUNE_OK;
}

gputune_status gt_rule_estimate(gt_rule_loss *out, const gt_rule_maker *maker, const double *losses,
                                const gt_size_list *sizes)
{
    GT_FREED loss_list choice = {0}, tree = {0};
    gt_summary of_choice, of_tree;
    GT_TRY(list_choice(&choice, maker));
    GT_TRY(list_tree(&tree, maker, losses, sizes));
    GT_TRY(gt_summarise(&of_choice, choice.items, choice.count));
    GT_TRY(gt_summarise(&of_tree, tree.items, tree.count));
    GT_TRY(gt_rule_add_losses(out, choice.items, choice.count, tree.items, tree.count));
    out->sizes = (uint32_t)sizes->count;
    if (isnan(out->mean)) {
        gt_rule_note(maker, "too few sizes were tuned to know the loss");
    } else {
        gt_rule_note(
            maker,
            "the best of the kept variants loses %.1f%% at %zu test sizes, and choosing among them "
            "loses %.1f%%; with the uncertainty of so few sizes, expect %.1f%%",
            100 * of_choice.mean, choice.count, 100 * of_tree.mean, 100 * (out->mean - 1));
    }
    return GPUTUNE_OK;
}
