/* Chooses a portfolio of codes, and learns and prunes decision trees. */
#include "search/rule_learner.h"

#include "search/rule_model.h"

#include "base/array.h"
#include "base/text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- losses ---------------------------------------------------------------------------------- */

/* Returns the cost of a logarithmic loss. The cost grows faster than the loss. */
static double cost_of(double log_loss)
{
    const double weight = 2;
    return log_loss + weight * log_loss * log_loss;
}

/* Computes logarithmic losses at a size. A missing time has the largest loss, at least `slow`. */
static void set_losses(double *out, const double *times, uint32_t count)
{
    const double slow = 0.2;
    double best = INFINITY, worst = 0;
    for (uint32_t c = 0; c < count; c++) {
        best = times[c] < best ? times[c] : best;
        worst = times[c] < INFINITY && times[c] > worst ? times[c] : worst;
    }
    for (uint32_t c = 0; c < count; c++) {
        out[c] = isnan(times[c])       ? fmax(slow, log(worst / best))
                 : times[c] < INFINITY ? log(times[c] / best)
                                       : INFINITY;
    }
}

static bool is_measured(const gt_rule_data *data, uint32_t size)
{
    bool is = false;
    for (uint32_t c = 0; c < data->config_count; c++) {
        is |= !isnan(data->times_ns[(size_t)size * data->config_count + c]);
    }
    return is;
}

/* ---- portfolio ------------------------------------------------------------------------------- */

typedef struct portfolio {
    const gt_rule_data *data;
    const double *costs; /* costs at [size * code_count + code] */
    uint32_t code_count, most;
    const bool *universal; /* at [code]: true if a configuration with this code has no needs */
    bool wants_universal;
} portfolio;

/* Cost of a size at which no configuration can run. No other cost is this high. */
static const double uncovered = 1e6;

static double portfolio_cost(const portfolio *p, const uint32_t *chosen, uint32_t count)
{
    double cost = p->wants_universal ? uncovered : 0;
    for (uint32_t i = 0; i < count && cost > 0; i++) {
        cost = p->universal[chosen[i]] ? 0 : cost;
    }
    for (uint32_t s = 0; s < p->data->size_count; s++) {
        const double *costs = &p->costs[(size_t)s * p->code_count];
        double least = uncovered;
        for (uint32_t i = 0; i < count; i++) {
            least = costs[chosen[i]] < least ? costs[chosen[i]] : least;
        }
        cost += least;
    }
    return cost;
}

static double improve_one(const portfolio *p, uint32_t *chosen, uint32_t count, uint32_t at)
{
    uint32_t best = chosen[at];
    double least = portfolio_cost(p, chosen, count);
    for (uint32_t code = 0; code < p->code_count; code++) {
        chosen[at] = code;
        const double cost = portfolio_cost(p, chosen, count);
        if (cost < least - 1e-12) {
            least = cost;
            best = code;
        }
    }
    chosen[at] = best;
    return least;
}

/* Adds one code after another. Then replaces single codes until no replacement reduces the cost. */
static double choose_greedily(const portfolio *p, uint32_t *chosen)
{
    double cost = INFINITY;
    for (uint32_t i = 0; i < p->most; i++) {
        chosen[i] = i > 0 ? chosen[0] : 0;
        cost = improve_one(p, chosen, i + 1, i);
    }
    for (double before = INFINITY; cost < before - 1e-12;) {
        before = cost;
        for (uint32_t i = 0; i < p->most; i++) {
            cost = improve_one(p, chosen, p->most, i);
        }
    }
    return cost;
}

static bool next_combination(const portfolio *p, uint32_t *chosen)
{
    uint32_t i = p->most;
    while (i > 0 && chosen[i - 1] == p->code_count - p->most + i - 1) {
        i--;
    }
    if (i == 0) {
        return false;
    }
    chosen[i - 1]++;
    for (; i < p->most; i++) {
        chosen[i] = chosen[i - 1] + 1;
    }
    return true;
}

static double choose_exactly(const portfolio *p, uint32_t *chosen, uint32_t *trial)
{
    double least = INFINITY;
    for (uint32_t i = 0; i < p->most; i++) {
        trial[i] = i;
    }
    do {
        const double cost = portfolio_cost(p, trial, p->most);
        if (cost < least) {
            least = cost;
            memcpy(chosen, trial, p->most * sizeof *chosen);
        }
    } while (next_combination(p, trial));
    return least;
}

static double combinations(uint32_t all, uint32_t some)
{
    double count = 1;
    for (uint32_t i = 0; i < some; i++) {
        count *= (double)(all - i) / (i + 1);
    }
    return count;
}

static uint32_t number_codes(uint32_t *numbers, const gt_rule_data *data)
{
    uint32_t count = 0;
    for (uint32_t c = 0; c < data->config_count; c++) {
        uint32_t same = 0;
        while (data->codes[same] != data->codes[c]) {
            same++;
        }
        numbers[c] = same < c ? numbers[same] : count++;
    }
    return count;
}

gputune_status gt_portfolio_choose(bool *kept, const gt_rule_data *data)
{
    enum { EXACT_MOST = 20000 };
    const uint32_t configs = data->config_count;
    GT_FREED uint32_t *numbers = calloc(3 * (size_t)configs + 1, sizeof *numbers);
    GT_FREED double *losses = calloc(configs + 1, sizeof *losses);
    GT_FREED double *costs = calloc((size_t)data->size_count * configs + 1, sizeof *costs);
    GT_FREED bool *universal = calloc(configs + 1, sizeof *universal);
    GT_TRY(numbers && losses && costs && universal ? GPUTUNE_OK : gt_fail_memory());
    portfolio p = {data, costs, number_codes(numbers, data), 0, universal, false};
    p.most = data->most_codes < p.code_count ? data->most_codes : p.code_count;
    for (size_t i = 0; i < (size_t)data->size_count * p.code_count; i++) {
        costs[i] = INFINITY;
    }
    for (uint32_t s = 0; s < data->size_count; s++) {
        if (!is_measured(data, s)) {
            memset(&costs[(size_t)s * p.code_count], 0, p.code_count * sizeof *costs);
            continue;
        }
        set_losses(losses, &data->times_ns[(size_t)s * configs], configs);
        for (uint32_t c = 0; c < configs; c++) {
            double *cost = &costs[(size_t)s * p.code_count + numbers[c]];
            *cost = fmin(*cost, cost_of(losses[c]));
        }
    }
    for (uint32_t c = 0; c < configs; c++) {
        universal[numbers[c]] |= data->needs[c] == 0;
        p.wants_universal |= data->needs[c] == 0;
    }
    uint32_t *chosen = numbers + configs, *trial = chosen + configs;
    const double cost = combinations(p.code_count, p.most) <= EXACT_MOST
                            ? choose_exactly(&p, chosen, trial)
                            : choose_greedily(&p, chosen);
    GT_REFUSE(cost >= uncovered, GPUTUNE_ENOVARIANT,
              "%u code%s cannot serve all sizes; expected more", p.most, gt_plural(p.most));
    for (uint32_t c = 0; c < configs; c++) {
        kept[c] = false;
        for (uint32_t i = 0; i < p.most; i++) {
            kept[c] |= numbers[c] == chosen[i];
        }
    }
    return GPUTUNE_OK;
}

/* ---- trees ----------------------------------------------------------------------------------- */

/* A node of a tree that is being learnt. */
typedef struct branch {
    gt_tree_node node;
    uint32_t yes, no; /* indices of the two branches, or 0 */
    double cost;      /* cost of all sizes in this branch if the branch becomes a leaf */
} branch;

typedef struct learner {
    const gt_rule_data *data;
    uint32_t configs;       /* number of configurations that are kept */
    uint32_t *ids;          /* index of each kept configuration in the data */
    double *losses, *costs; /* values of the kept configurations at [size * configs + config] */
    uint32_t *measured, measured_count; /* sizes with measurements */
    uint32_t *guessed, guessed_count;   /* sizes to predict */
    uint64_t *granted;                  /* bit set of the needs that are met at each size */
    uint32_t folds;                     /* number of folds; measured size i is in fold i % folds */
    /* predicted logarithmic times at [(config * (folds + 1) + fold) * guessed_count + i]; INFINITY:
     * cannot run. Times are predicted from the measured sizes outside of the fold, or from all
     * measured sizes if fold == folds. */
    double *predicted;
    uint32_t *sorted; /* at [feature]: all sizes, sorted by their values */
    bool *usable;     /* at [feature]: true if it has a value at all sizes */
    uint32_t *order;  /* at [feature]: sizes grouped by branch, and sorted by value in each group */
    uint32_t *moved;  /* buffer for the sizes at which a condition is false */
    bool *is_yes_at;  /* at [size]: result of the condition that was tried last */
    double *sums;     /* at [configuration]: sum of its costs */
    double *after;    /* at [position in `order`]: cost of a leaf with the sizes from there on */
    GT_ARRAY(branch) branches;
} learner;

/* Cost of a size in a leaf if no configuration can run there. */
static const double unusable = 100;

/* Returns the least sum of costs. Ignores configurations with needs that are not in `granted`. */
static double least_sum(const learner *l, const double *sums, uint64_t granted, uint32_t sizes,
                        uint32_t *config)
{
    double least = unusable * sizes;
    for (uint32_t c = 0; c < l->configs; c++) {
        const bool is_granted = (l->data->needs[l->ids[c]] & ~granted) == 0;
        if (is_granted && sums[c] < least) {
            least = sums[c];
            *config = c;
        }
    }
    return least;
}

static void add_costs(const learner *l, double *sums, uint32_t size)
{
    const double *costs = &l->costs[(size_t)size * l->configs];
    for (uint32_t c = 0; c < l->configs; c++) {
        sums[c] += costs[c];
    }
}

static void clear_sums(const learner *l, double *sums)
{
    memset(sums, 0, l->configs * sizeof *sums);
}

typedef struct split {
    uint32_t feature;
    double most, cost;
} split;

/* Returns a round number between the two values, near their geometric mean. */
static double threshold_between(double below, double above)
{
    const double low = fmax(below, 1), middle = sqrt(low * fmax(above, 1));
    if (middle <= low || middle >= above) {
        return below;
    }
    double step = 1;
    while (floor(middle / (2 * step)) * 2 * step >= low * sqrt(middle / low)) {
        step *= 2;
    }
    return floor(middle / step) * step;
}

/* A branch of the tree. For each feature, the sizes of the branch are items `begin` to `end` - 1 of
 * learner.order. `granted` is the bit set of the needs that are met at all of these sizes. */
typedef struct extent {
    uint32_t begin, end;
    uint64_t granted;
} extent;

/* Tries all thresholds of a feature for splitting a branch. A condition may have the same value at
 * all sizes of the branch if this value meets further needs. */
static void try_feature(learner *l, const extent *in, uint32_t f, split *best)
{
    enum { LEAST_SIZES = 2 };
    const gt_rule_data *data = l->data;
    const gt_rule_feature *feature = &data->features[f];
    const uint64_t granted = in->granted;
    const bool grants = ((feature->grants | feature->denies) & ~granted) != 0;
    const uint32_t *places = &l->order[(size_t)f * data->size_count + in->begin];
    const uint32_t count = in->end - in->begin, least_sizes = grants ? 1 : LEAST_SIZES;
    const double *values = &data->values[f];
    uint32_t config;
    clear_sums(l, l->sums);
    for (uint32_t i = count; i-- > 0;) {
        add_costs(l, l->sums, places[i]);
        if (i == 0 || values[(size_t)places[i - 1] * data->feature_count] <
                          values[(size_t)places[i] * data->feature_count]) {
            l->after[i] = least_sum(l, l->sums, granted | feature->grants, count - i, &config);
        }
    }
    clear_sums(l, l->sums);
    double below = grants ? 0 : INFINITY;
    for (uint32_t i = 0; i < count; i++) {
        const double above = values[(size_t)places[i] * data->feature_count];
        if (below < above && (grants || i >= least_sizes) && count - i >= least_sizes) {
            const double cost =
                least_sum(l, l->sums, granted | feature->denies, i, &config) + l->after[i];
            if (cost < best->cost - 1e-9) {
                *best =
                    (split){f, feature->is_condition ? 0 : threshold_between(below, above), cost};
            }
        }
        add_costs(l, l->sums, places[i]);
        below = above;
    }
    /* even if the condition is false at all sizes, it may meet needs */
    if ((feature->denies & ~granted) && count > 0 && below == 0) {
        const double cost = least_sum(l, l->sums, granted | feature->denies, count, &config);
        *best = cost < best->cost - 1e-9 ? (split){f, 0, cost} : *best;
    }
}

static bool is_yes(const gt_rule_data *data, const gt_tree_node *node, const double *values)
{
    const double value = values[node->feature];
    return data->features[node->feature].is_condition ? value != 0 : value <= node->most;
}

/* Partitions the range of each feature: the sizes for which the condition is false are moved to the
 * end. Returns the position of the first of them. */
static uint32_t divide_cases(learner *l, const extent *in, const gt_tree_node *node)
{
    const gt_rule_data *data = l->data;
    uint32_t middle = in->begin;
    for (uint32_t i = in->begin; i < in->end; i++) {
        const uint32_t s = l->order[i];
        l->is_yes_at[s] = is_yes(data, node, &data->values[(size_t)s * data->feature_count]);
    }
    for (uint32_t f = 0; f < data->feature_count; f++) {
        uint32_t *order = &l->order[(size_t)f * data->size_count], moved = 0;
        middle = in->begin;
        for (uint32_t i = in->begin; i < in->end; i++) {
            uint32_t *to = l->is_yes_at[order[i]] ? &order[middle++] : &l->moved[moved++];
            *to = order[i];
        }
        memcpy(&order[middle], l->moved, moved * sizeof *order);
    }
    return middle;
}

static gputune_status grow_tree(learner *l, uint32_t at, const extent *in)
{
    const gt_rule_data *data = l->data;
    const uint32_t count = in->end - in->begin;
    branch *own = &l->branches.items[at];
    clear_sums(l, l->sums);
    for (uint32_t i = in->begin; i < in->end; i++) {
        add_costs(l, l->sums, l->order[i]);
    }
    own->cost = least_sum(l, l->sums, in->granted, count, &own->node.config);
    /* if no configuration can run at all sizes of the branch, ignore the needs */
    if (own->cost >= unusable * count) {
        (void)least_sum(l, l->sums, UINT64_MAX, UINT32_MAX, &own->node.config);
    }
    split best = {.cost = own->cost - 1e-6};
    for (uint32_t f = 0; f < data->feature_count; f++) {
        if (l->usable[f]) {
            try_feature(l, in, f, &best);
        }
    }
    if (best.cost >= own->cost - 1e-6) {
        return GPUTUNE_OK;
    }
    const uint32_t yes = (uint32_t)l->branches.count, no = yes + 1;
    own->node.feature = best.feature;
    own->node.most = best.most;
    own->yes = yes;
    own->no = no;
    const gt_tree_node node = own->node;
    GT_TRY(gt_array_push(&l->branches, (branch){.node.config = node.config}));
    GT_TRY(gt_array_push(&l->branches, (branch){.node.config = node.config}));
    const gt_rule_feature *feature = &data->features[best.feature];
    const uint32_t middle = divide_cases(l, in, &node);
    const extent in_yes = {in->begin, middle,
                           in->granted | (feature->is_condition ? feature->grants : 0)};
    const extent in_no = {middle, in->end, in->granted | feature->denies};
    GT_TRY(grow_tree(l, yes, &in_yes));
    return grow_tree(l, no, &in_no);
}

/* Turns a branch into a leaf if its splits choose one configuration or do not reduce the cost by
 * more than `penalty` for each additional leaf. Returns the cost including the penalties. */
static double prune_tree(branch *branches, uint32_t at, double penalty)
{
    branch *own = &branches[at];
    const double as_leaf = own->cost + penalty;
    if (own->yes) {
        const double split =
            prune_tree(branches, own->yes, penalty) + prune_tree(branches, own->no, penalty);
        const branch *yes = &branches[own->yes], *no = &branches[own->no];
        if (!yes->yes && !no->yes && yes->node.config == no->node.config) {
            own->node.config = yes->node.config;
            own->cost = yes->cost + no->cost;
            own->yes = own->no = 0;
            return own->cost + penalty;
        }
        if (split < as_leaf) {
            return split;
        }
        own->yes = own->no = 0;
    }
    return as_leaf;
}

static uint32_t count_leaves(const branch *branches, uint32_t at)
{
    const branch *own = &branches[at];
    return own->yes ? count_leaves(branches, own->yes) + count_leaves(branches, own->no) : 1;
}

static uint32_t choose_branch(const learner *l, const double *values)
{
    const branch *at = l->branches.items;
    while (at->yes) {
        at = &l->branches.items[is_yes(l->data, &at->node, values) ? at->yes : at->no];
    }
    return at->node.config;
}

/* ---- predicted sizes ------------------------------------------------------------------------- */

static double time_at(const learner *l, uint32_t size, uint32_t config)
{
    return l->data->times_ns[(size_t)size * l->data->config_count + l->ids[config]];
}

static void set_guessed(learner *l)
{
    const gt_rule_data *data = l->data;
    for (uint32_t s = 0; s < data->size_count; s++) {
        if (is_measured(data, s)) {
            continue;
        }
        l->guessed[l->guessed_count++] = s;
        for (uint32_t f = 0; f < data->feature_count; f++) {
            const bool holds = data->values[(size_t)s * data->feature_count + f] > 0;
            l->granted[s] |= holds ? data->features[f].grants : data->features[f].denies;
        }
    }
}

enum { COORDINATES_MAX = 16 };

/* Weights of those coordinates that are not problem sizes. */
typedef struct weights {
    double load;     /* weight of the number of blocks per multiprocessor */
    double divisors; /* weight of the largest power of two that divides each size */
} weights;

static uint32_t set_coordinates(const learner *l, double *out, uint32_t size, uint32_t config,
                                const weights *w)
{
    enum { DIVISOR_MOST = 16 };
    static const double length = 6, tail_weight = 2;
    const gt_rule_data *data = l->data;
    const double *values = &data->values[(size_t)size * data->feature_count];
    uint32_t count = 0;
    for (; count < data->coordinate_count && count < COORDINATES_MAX - 2; count++) {
        out[count] = log(fmax(values[count], 1)) / length;
    }
    const uint32_t sizes = count;
    for (uint32_t i = 0; i < sizes && w->divisors > 0 && count < COORDINATES_MAX - 2; i++) {
        const int64_t value = (int64_t)values[i] | DIVISOR_MOST;
        out[count++] = w->divisors * log2((double)(value & -value));
    }
    const double factor = data->load_factors ? data->load_factors[l->ids[config]] : 0;
    if (factor > 0 && w->load > 0) {
        const double load = factor * fmax(values[data->load_features[l->ids[config]]], 1);
        out[count++] = w->load * log(load);
        out[count++] = tail_weight * w->load * log(ceil(fmax(load, 1) - 1e-9) / fmax(load, 1));
    }
    return count;
}

/* Predicts the logarithmic times of a configuration at the guessed sizes, and at each measured size
 * from the other measured sizes. If the time at measured size i is below least[i], stores it there
 * and sets choices[i] to the configuration. */
static gputune_status predict_config(uint32_t *choices, double *least, learner *l, uint32_t config,
                                     const weights *w, uint32_t guesses)
{
    const uint32_t all = l->measured_count + guesses;
    GT_FREED double *points = calloc((size_t)all * COORDINATES_MAX + 1, sizeof *points);
    GT_FREED double *values = calloc(l->measured_count + 1, sizeof *values);
    GT_FREED uint32_t *folds = calloc(l->measured_count + 1, sizeof *folds);
    GT_FREED double *apart = calloc(l->measured_count + 1, sizeof *apart);
    GT_TRY(points && values && folds && apart ? GPUTUNE_OK : gt_fail_memory());
    gt_rule_known known = {0, 0, points, values, folds, l->folds};
    double *at = points;
    for (uint32_t i = 0; i < l->measured_count; i++) {
        const double time = time_at(l, l->measured[i], config);
        if (time < INFINITY) {
            values[known.count] = log(time);
            folds[known.count++] = i % l->folds;
            known.dimensions = set_coordinates(l, at, l->measured[i], config, w);
            at += known.dimensions;
        }
    }
    double *const guessed = at;
    for (uint32_t i = 0; i < guesses; i++) {
        at += set_coordinates(l, at, l->guessed[i], config, w);
    }
    for (uint32_t d = 0; d < known.dimensions; d++) { /* move the centre of the points to 0 */
        double sum = 0;
        for (uint32_t i = 0; i < known.count; i++) {
            sum += points[(size_t)i * known.dimensions + d];
        }
        for (double *point = points + d; point < at; point += known.dimensions) {
            *point -= sum / known.count;
        }
    }
    double *out = &l->predicted[(size_t)config * (l->folds + 1) * l->guessed_count];
    GT_TRY(known.count ? gt_rule_model_predict(out, apart, &known, guessed, guesses) : GPUTUNE_OK);
    for (uint32_t i = 0; i < guesses; i++) {
        const bool runs =
            known.count && !(l->data->needs[l->ids[config]] & ~l->granted[l->guessed[i]]);
        for (uint32_t fold = 0; fold <= l->folds && !runs; fold++) {
            out[(size_t)fold * l->guessed_count + i] = INFINITY;
        }
    }
    for (uint32_t i = 0, k = 0; i < l->measured_count; i++) {
        if (time_at(l, l->measured[i], config) < INFINITY) {
            const bool is_faster = apart[k] < least[i];
            choices[i] = is_faster ? config : choices[i];
            least[i] = fmin(apart[k++], least[i]);
        }
    }
    return GPUTUNE_OK;
}

/* Predicts the times of all configurations at the first `guesses` guessed sizes. Sets *cost to the
 * total cost at the measured sizes if, at each of them, the configuration with the shortest
 * predicted time is chosen. */
static gputune_status predict_all(double *cost, learner *l, const weights *w, uint32_t guesses)
{
    GT_FREED uint32_t *choices = calloc(l->measured_count + 1, sizeof *choices);
    GT_FREED double *least = calloc(l->measured_count + 1, sizeof *least);
    GT_TRY(choices && least ? GPUTUNE_OK : gt_fail_memory());
    for (uint32_t i = 0; i < l->measured_count; i++) {
        least[i] = INFINITY;
    }
    for (uint32_t c = 0; c < l->configs; c++) {
        GT_TRY(predict_config(choices, least, l, c, w, guesses));
    }
    *cost = 0;
    for (uint32_t i = 0; i < l->measured_count; i++) {
        *cost += l->costs[(size_t)l->measured[i] * l->configs + choices[i]];
    }
    return GPUTUNE_OK;
}

/* Predicts the times at sizes that were not measured. Uses the weights that lead to the best
 * choices, because block counts and divisors are important only for some kernels. */
static gputune_status predict_losses(learner *l)
{
    static const weights all[] = {{0, 0},      {0.3, 0},    {1, 0},   {0, 0.05},
                                  {0.3, 0.05}, {0.3, 0.15}, {1, 0.15}};
    const size_t count = (size_t)l->configs * (l->folds + 1) * l->guessed_count;
    double costs[sizeof all / sizeof *all];
    l->predicted = calloc(count + 1, sizeof *l->predicted);
    GT_TRY(gt_allocated(l->predicted));
    size_t best = 0;
    for (size_t w = 0; w < sizeof all / sizeof *all; w++) {
        GT_TRY(predict_all(&costs[w], l, &all[w], 0));
        best = costs[w] < costs[best] ? w : best;
    }
    return predict_all(&costs[best], l, &all[best], l->guessed_count);
}

/* Computes the losses at the guessed sizes from predictions that do not use this fold. */
static void guess_penalty(learner *l, uint32_t fold)
{
    for (uint32_t i = 0; i < l->guessed_count; i++) {
        const size_t first = (size_t)l->guessed[i] * l->configs;
        double best = INFINITY;
        for (uint32_t c = 0; c < l->configs; c++) {
            l->losses[first + c] =
                l->predicted[((size_t)c * (l->folds + 1) + fold) * l->guessed_count + i];
            best = fmin(best, l->losses[first + c]);
        }
        for (uint32_t c = 0; c < l->configs; c++) {
            l->losses[first + c] -= l->losses[first + c] < INFINITY ? best : 0;
            l->costs[first + c] = cost_of(l->losses[first + c]);
        }
    }
}

/* Learns a tree from the sizes outside of `fold`, or from all sizes if fold == l->folds. */
static gputune_status learn_fold(learner *l, uint32_t fold)
{
    const gt_rule_data *data = l->data;
    extent all = {0};
    bool *is_in = l->is_yes_at;
    memset(is_in, 0, data->size_count * sizeof *is_in);
    for (uint32_t i = 0; i < l->guessed_count; i++) {
        is_in[l->guessed[i]] = true;
    }
    for (uint32_t i = 0; i < l->measured_count; i++) {
        is_in[l->measured[i]] = i % l->folds != fold;
    }
    guess_penalty(l, fold);
    for (uint32_t f = 0; f < data->feature_count; f++) {
        const size_t first = (size_t)f * data->size_count;
        all.end = 0;
        for (uint32_t i = 0; i < data->size_count; i++) {
            l->order[first + all.end] = l->sorted[first + i];
            all.end += is_in[l->sorted[first + i]];
        }
    }
    l->branches.count = 0;
    GT_TRY(gt_array_push(&l->branches, (branch){0}));
    return grow_tree(l, 0, &all);
}

/* ---- leaving sizes out ----------------------------------------------------------------------- */

/* Penalties to try. A penalty is the additional cost of a leaf in a tree for 100 sizes. */
static const double penalties[] = {0.005, 0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56};
enum { PENALTIES = sizeof penalties / sizeof *penalties };

static void test_fold(learner *l, double *out, uint32_t fold)
{
    const gt_rule_data *data = l->data;
    const double rows = l->measured_count + l->guessed_count;
    for (int p = 0; p < PENALTIES; p++) { /* penalties increase, so each prunes the tree further */
        (void)prune_tree(l->branches.items, 0, penalties[p] * rows / 100);
        for (uint32_t i = fold; i < l->measured_count; i += l->folds) {
            const uint32_t s = l->measured[i];
            const uint32_t config =
                choose_branch(l, &data->values[(size_t)s * data->feature_count]);
            out[(size_t)p * l->measured_count + i] = l->losses[(size_t)s * l->configs + config];
        }
    }
}

/* Finds the best penalty by cross-validation, and computes the expected losses of the tree. */
static gputune_status leave_out(learner *l, gt_rule_tree *out, double *penalty)
{
    const uint32_t sizes = l->measured_count;
    const double failing = log(10);
    GT_FREED double *losses = calloc((size_t)PENALTIES * sizes, sizeof *losses);
    GT_TRY(gt_allocated(losses));
    for (uint32_t fold = 0; fold < l->folds && l->folds > 1; fold++) {
        GT_TRY(learn_fold(l, fold));
        test_fold(l, losses, fold);
    }
    int best = 0;
    double least = INFINITY;
    for (int p = 0; p < PENALTIES; p++) {
        double cost = 0;
        for (uint32_t s = 0; s < sizes; s++) {
            double *loss = &losses[(size_t)p * sizes + s];
            *loss = fmin(*loss, failing);
            cost += cost_of(*loss);
        }
        if (cost <= least) {
            best = p;
            least = cost;
        }
    }
    *penalty = penalties[best] * (l->measured_count + l->guessed_count) / 100;
    out->losses = calloc(sizes + 1, sizeof *out->losses);
    GT_TRY(gt_allocated(out->losses));
    memcpy(out->losses, &losses[(size_t)best * sizes], sizes * sizeof *out->losses);
    return GPUTUNE_OK;
}

/* ---- learning -------------------------------------------------------------------------------- */

static gputune_status open_learner(learner *l, const gt_rule_data *data)
{
    enum { FOLDS = 10 };
    const uint32_t sizes = data->size_count, configs = data->config_count;
    GT_FREED bool *kept = calloc(configs + 1, sizeof *kept);
    GT_FREED double *all = calloc(configs + 1, sizeof *all);
    l->data = data;
    l->ids = calloc(configs + 1, sizeof *l->ids);
    l->losses = calloc((size_t)sizes * configs + 1, sizeof *l->losses);
    l->costs = calloc((size_t)sizes * configs + 1, sizeof *l->costs);
    l->sorted = calloc((size_t)sizes * data->feature_count + 1, sizeof *l->sorted);
    l->order = calloc((size_t)sizes * data->feature_count + 1, sizeof *l->order);
    l->moved = calloc(sizes + 1, sizeof *l->moved);
    l->is_yes_at = calloc(sizes + 1, sizeof *l->is_yes_at);
    l->usable = calloc(data->feature_count + 1, sizeof *l->usable);
    l->sums = calloc(configs + 1, sizeof *l->sums);
    l->after = calloc(sizes + 1, sizeof *l->after);
    l->measured = calloc(sizes + 1, sizeof *l->measured);
    l->guessed = calloc(sizes + 1, sizeof *l->guessed);
    l->granted = calloc(sizes + 1, sizeof *l->granted);
    GT_TRY(kept && all && l->ids && l->losses && l->costs && l->sorted && l->order && l->moved &&
                   l->is_yes_at && l->usable && l->sums && l->after && l->measured && l->guessed &&
                   l->granted
               ? GPUTUNE_OK
               : gt_fail_memory());
    GT_TRY(gt_portfolio_choose(kept, data));
    for (uint32_t c = 0; c < configs; c++) {
        if (kept[c]) {
            l->ids[l->configs++] = c;
        }
    }
    for (uint32_t s = 0; s < sizes; s++) {
        if (!is_measured(data, s)) {
            continue;
        }
        l->measured[l->measured_count++] = s;
        set_losses(all, &data->times_ns[(size_t)s * configs], configs);
        for (uint32_t c = 0; c < l->configs; c++) {
            const size_t i = (size_t)s * l->configs + c;
            l->losses[i] = all[l->ids[c]];
            l->costs[i] = cost_of(l->losses[i]);
        }
    }
    l->folds = l->measured_count < FOLDS ? l->measured_count : FOLDS;
    set_guessed(l);
    return l->guessed_count ? predict_losses(l) : GPUTUNE_OK;
}

static void close_learner(learner *l)
{
    void *const memory[] = {l->ids,      l->losses,    l->costs,   l->sorted,   l->order,
                            l->moved,    l->is_yes_at, l->usable,  l->sums,     l->after,
                            l->measured, l->guessed,   l->granted, l->predicted};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++) {
        free(memory[i]);
    }
    gt_array_free(&l->branches);
}

typedef struct place {
    double value;
    uint32_t size;
} place;

static int compare_places(const void *a, const void *b)
{
    const place *left = a, *right = b;
    return left->value != right->value ? (left->value > right->value) - (left->value < right->value)
                                       : (left->size > right->size) - (left->size < right->size);
}

static gputune_status sort_features(learner *l)
{
    const gt_rule_data *data = l->data;
    GT_FREED place *places = calloc(data->size_count + 1, sizeof *places);
    GT_TRY(gt_allocated(places));
    for (uint32_t f = 0; f < data->feature_count; f++) {
        l->usable[f] = true;
        for (uint32_t s = 0; s < data->size_count; s++) {
            places[s] = (place){data->values[(size_t)s * data->feature_count + f], s};
            l->usable[f] &= !isnan(places[s].value);
        }
        qsort(places, data->size_count, sizeof *places, compare_places);
        for (uint32_t s = 0; s < data->size_count; s++) {
            l->sorted[(size_t)f * data->size_count + s] = places[s].size;
        }
    }
    return GPUTUNE_OK;
}

/* Copies a branch and all nodes below it, in the order in which the text of a rule lists them. */
static void copy_branch(gt_rule_tree *out, const learner *l, uint32_t at)
{
    const branch *own = &l->branches.items[at];
    gt_tree_node *node = &out->nodes[out->node_count++];
    *node = own->node;
    node->config = l->ids[own->node.config];
    if (own->yes) {
        copy_branch(out, l, own->yes);
        node->otherwise = out->node_count;
        copy_branch(out, l, own->no);
    }
}

gputune_status gt_rule_learn(gt_rule_tree *out, const gt_rule_data *data)
{
    enum { LEAVES_MOST = 60 }; /* rules with more leaves are hard to read */
    GT_SCOPED(close_learner) learner l = {0};
    GT_SCOPED(gt_rule_tree_free) gt_rule_tree tree = {0};
    double penalty;
    GT_TRY(open_learner(&l, data));
    GT_TRY(sort_features(&l));
    GT_TRY(leave_out(&l, &tree, &penalty));
    GT_TRY(learn_fold(&l, l.folds));
    do {
        (void)prune_tree(l.branches.items, 0, penalty);
        penalty *= 1.5;
    } while (count_leaves(l.branches.items, 0) > LEAVES_MOST);
    tree.nodes = calloc(l.branches.count, sizeof *tree.nodes);
    GT_TRY(gt_allocated(tree.nodes));
    copy_branch(&tree, &l, 0);
    *out = gt_take(&tree);
    return GPUTUNE_OK;
}

void gt_rule_tree_free(gt_rule_tree *tree)
{
    free(tree->nodes);
    free(tree->losses);
}

static void append_node(gt_text *out, const gt_rule_tree *tree, const gt_rule_data *data,
                        const uint32_t *numbers, uint32_t at, int depth)
{
    const gt_tree_node *node = &tree->nodes[at];
    const gt_rule_feature *feature = &data->features[node->feature];
    if (!node->otherwise) {
        gt_text_printf(out, "%*suse %u\n", 2 * depth, "", numbers[node->config]);
        return;
    }
    const int64_t most = (int64_t)node->most, kilo = most % 1024 == 0 && most > 0 ? 1024 : 1;
    gt_text_printf(out, "%*sif %s", 2 * depth, "", feature->text);
    if (!feature->is_condition) {
        gt_text_printf(out, " <= %" PRId64 "%s", most / kilo, kilo > 1 ? "K" : "");
    }
    gt_text_append(out, "\n");
    append_node(out, tree, data, numbers, at + 1, depth + 1);
    gt_text_printf(out, "%*selse\n", 2 * depth, "");
    append_node(out, tree, data, numbers, node->otherwise, depth + 1);
}

gputune_status gt_rule_tree_text(char **text, const gt_rule_tree *tree, const gt_rule_data *data,
                                 const uint32_t *numbers)
{
    GT_SCOPED(gt_text_free) gt_text out = {0};
    append_node(&out, tree, data, numbers, 0, 0);
    return gt_text_take(text, &out);
}
