/* Estimates the loss of a rule at unseen sizes. */
#include "tuner/rule.h"

#include "stats/summary.h"

#include <math.h>

/* Losses as logarithms. */
typedef GT_ARRAY(double) loss_list;

static void free_losses(loss_list *losses)
{
    gt_array_free(losses);
}

/* A fold: a part of the compared sizes is left out, and so are the members that were found there.
 */
typedef struct fold {
    const gt_rule_maker *maker;
    size_t number, folds;
    gt_size_list in, out;
    gt_member_list members;
} fold;

static void free_fold(fold *f)
{
    gt_array_free(&f->in);
    gt_array_free(&f->out);
    gt_array_free(&f->members);
}

/* Divides the sizes, and lists the members that were found at sizes that are not left out. */
static gputune_status fill_fold(fold *f)
{
    const gt_size_list *compared = &f->maker->compared;
    GT_SCOPED(gt_member_list_free) gt_member_list working = {0};
    for (size_t i = 0; i < compared->count; i++) {
        const bool is_out = i % f->folds == f->number;
        GT_TRY(gt_array_push(is_out ? &f->out : &f->in, compared->items[i]));
    }
    GT_TRY(gt_rule_list_working(&working, &f->maker->pool));
    for (size_t i = 0; i < working.count; i++) {
        const size_t origin = f->maker->pool.members.items[working.items[i]].origin;
        bool is_out = false;
        for (size_t s = 0; s < f->out.count; s++) {
            is_out |= f->out.items[s] == origin;
        }
        GT_TRY(is_out ? GPUTUNE_OK : gt_array_push(&f->members, working.items[i]));
    }
    return GPUTUNE_OK;
}

/* Adds the losses of the best chosen members at the tuned sizes of the fold. Those whose best
 * member is not known are skipped. */
static gputune_status judge_fold(loss_list *losses, const fold *f)
{
    const gt_pool *pool = &f->maker->pool;
    GT_SCOPED(gt_rule_view_free) gt_rule_view view = {0};
    GT_FREED bool *kept = calloc(f->members.count + 1, sizeof *kept);
    GT_TRY(gt_allocated(kept));
    GT_TRY(gt_rule_view_make(&view, f->maker, &f->members, &f->in, 0));
    if (gt_portfolio_choose(kept, &view.data) != GPUTUNE_OK) {
        return GPUTUNE_OK; /* the other sizes need more codes than there may be */
    }
    for (size_t s = 0; s < f->out.count; s++) {
        const size_t size = f->out.items[s];
        const double fastest = gt_pool_time(pool, size, gt_pool_fastest(pool, size));
        double best = INFINITY;
        for (size_t i = 0; i < f->members.count; i++) {
            best = kept[i] ? fmin(best, gt_pool_time(pool, size, f->members.items[i])) : best;
        }
        if (best < INFINITY && pool->sizes.items[size].is_tuned &&
            !pool->sizes.items[size].is_doubtful) {
            GT_TRY(gt_array_push(losses, log(best / fastest)));
        }
    }
    return GPUTUNE_OK;
}

/* Lists the loss at each size of members that were chosen without this size. */
static gputune_status list_choice(loss_list *losses, const gt_rule_maker *maker)
{
    enum { FOLDS = 8 };
    const size_t count = maker->compared.count, folds = count < FOLDS ? count : FOLDS;
    for (size_t number = 0; number < folds && folds > 1; number++) {
        GT_SCOPED(free_fold) fold f = {.maker = maker, .number = number, .folds = folds};
        GT_TRY(fill_fold(&f));
        GT_TRY(judge_fold(losses, &f));
    }
    return GPUTUNE_OK;
}

/* Lists the tree's losses at sizes that were not chosen because of doubt. */
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

static double mean_of(const loss_list *losses)
{
    double sum = 0;
    for (size_t i = 0; i < losses->count; i++) {
        sum += losses->items[i];
    }
    return sum / (double)losses->count;
}

gputune_status gt_rule_estimate(gt_rule_loss *out, const gt_rule_maker *maker, const double *losses,
                                const gt_size_list *sizes)
{
    GT_SCOPED(free_losses) loss_list choice = {0}, tree = {0}, sums = {0};
    GT_TRY(list_choice(&choice, maker));
    GT_TRY(list_tree(&tree, maker, losses, sizes));
    *out = (gt_rule_loss){NAN, NAN, NAN, (uint32_t)sizes->count};
    if (!choice.count || !tree.count) {
        return GPUTUNE_OK;
    }
    for (size_t i = 0; i < choice.count; i++) { /* add the losses, as if they were independent */
        for (size_t k = 0; k < tree.count; k++) {
            GT_TRY(gt_array_push(&sums, choice.items[i] + tree.items[k]));
        }
    }
    gt_sort(choice.items, choice.count);
    gt_sort(tree.items, tree.count);
    gt_sort(sums.items, sums.count);
    const double p90 = sums.items[(sums.count - 1) * 9 / 10];
    const double worst = fmax(choice.items[choice.count - 1], tree.items[tree.count - 1]);
    *out = (gt_rule_loss){.mean = exp(mean_of(&choice) + mean_of(&tree)),
                          .p90 = exp(p90),
                          .worst = exp(fmax(worst, p90)), /* both worst cases at once are rare */
                          .sizes = (uint32_t)sizes->count};
    return GPUTUNE_OK;
}
