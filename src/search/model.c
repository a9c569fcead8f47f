/* The strategies `model` and `auto`.
 *
 * `model` proposes a few random configurations, and then those with the highest expected gain. It
 * uses a Gaussian process to predict times, failures and compile times.
 *
 * `auto` works like `model`, but tries all configurations if the space is small or there is time
 * for all of them. It tries the fastest hints first, because the time limit may end it early. */
#include "search/model.h"

#include "stats/distribution.h"
#include "stats/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Returns the standardised time that the hints predict at z, or 0 if there are no hints. */
static double model_prior_at(const gt_model *model, const float *z)
{
    if (!model->prior.present) {
        return 0;
    }
    gt_prospect prospect;
    memcpy(prospect.z, z, sizeof prospect.z);
    prospect.rows = 0;
    gt_gaussian_look(&model->prior.gaussian, &prospect);
    return gt_gaussian_expect(&model->prior.gaussian, &prospect, GT_TARGET_TIME);
}

/* --- times -------------------------------------------------------------------------------------
 *
 * The Gaussian process models how much slower a configuration is than the best one. Large values
 * are compressed, because slow times need not be predicted precisely, and because a Gaussian
 * process does not expect that a few configurations are far slower than all others. */

#define NARROW 1e-6 /* lower bound of the spread, in case all times are equal */

static double compress_time(double over, double width)
{
    return isinf(width) || over < 0 ? over : width * log1p(over / width);
}

static void model_standardise(gt_model *model, const gt_evidence *evidence)
{
    const uint32_t count = evidence->count[GT_TRIED_OK];
    double sum = 0, squares = 0;
    model->best_log = count ? evidence->known.items[evidence->best].log_time : 0;
    for (uint32_t i = 0; i < evidence->known.count; i++) {
        if (evidence->known.items[i].outcome == GT_TRIED_OK) {
            double over =
                compress_time(evidence->known.items[i].log_time - model->best_log, model->width);
            sum += over;
            squares += over * over;
        }
    }
    model->mean = count ? sum / count : 0;
    model->spread = count ? sqrt(squares / count - model->mean * model->mean) : 1;
    model->spread = model->spread > NARROW ? model->spread : NARROW;
    model->best_y = -model->mean / model->spread;
}

double gt_model_value(const gt_model *model, double log_time)
{
    return (compress_time(log_time - model->best_log, model->width) - model->mean) / model->spread;
}

/* Returns the logarithm of the derivative of gt_model_value() at log_time. */
static double model_log_slope(const gt_model *model, double log_time)
{
    double over = log_time - model->best_log;
    return -log(model->spread) - (isinf(model->width) ? 0 : log1p(over / model->width));
}

/* --- rows ------------------------------------------------------------------------------------- */

enum {
    KEPT = 300, /* number of rows to keep if there are too many; half for the fastest points */
    STEPS = 10, /* steps of learning */
    ENOUGH = 20 /* minimum number of results for choosing the width of the compression */
};
/* The covariance is learnt again after the number of results has grown by this factor. */
#define GROWTH 1.25

static void model_forget_rows(gt_model *model, gt_evidence *evidence)
{
    model->gaussian.count = 0;
    for (uint32_t i = 0; i < evidence->known.count; i++) {
        evidence->known.items[i].row = 0;
    }
    model->count_when_learnt = 0;
}

static void add_row(gt_model *model, gt_evidence *evidence, uint32_t known)
{
    float z[GT_COORDINATES];
    gt_coordinates_of(z, &model->coordinates, &evidence->known.items[known].point);
    uint32_t row = gt_gaussian_add(&model->gaussian, z);
    evidence->known.items[known].row = row + 1;
    model->known_of[row] = known;
    model->row_prior[row] = model_prior_at(model, z);
}

/* Gives each point that has no row a row. Returns false if there are too many points. */
static bool add_rows(gt_model *model, gt_evidence *evidence)
{
    for (uint32_t i = 0; i < evidence->known.count; i++) {
        if (evidence->known.items[i].row) {
            continue;
        }
        if (model->gaussian.count == GT_GAUSSIAN_ROWS) {
            return false;
        }
        add_row(model, evidence, i);
    }
    return true;
}

/* Chooses the points that keep a row: the fastest points and a random choice of the others. Rows
 * for pending points are added later. */
static void choose_rows(gt_model *model, gt_strategy *strategy, gt_ranked *order)
{
    gt_evidence *evidence = &strategy->evidence;
    uint32_t count = 0, kept = 0;
    for (uint32_t i = 0; i < evidence->known.count; i++) {
        gt_known *known = &evidence->known.items[i];
        known->row = 0;
        if (known->outcome != GT_TRIED_PENDING) {
            bool ok = known->outcome == GT_TRIED_OK;
            order[count++] = (gt_ranked){ok ? known->log_time : (double)INFINITY, i};
        }
    }
    gt_sort_ranked(order, count);
    for (uint32_t i = KEPT / 2; i < count; i++) {
        order[i].value = gt_random_unit(&strategy->random);
    }
    if (count > KEPT / 2) {
        gt_sort_ranked(order + KEPT / 2, count - KEPT / 2);
    }
    model->gaussian.count = 0;
    for (; kept < count && kept < KEPT; kept++) {
        add_row(model, evidence, order[kept].index);
    }
    for (uint32_t i = kept; i < count; i++) {
        /* no row has this number, so add_rows() skips the point */
        evidence->known.items[order[i].index].row = GT_GAUSSIAN_ROWS + 1;
    }
}

static gputune_status thin_rows(gt_model *model, gt_strategy *strategy)
{
    GT_FREED gt_ranked *order = malloc((strategy->evidence.known.count + 1) * sizeof *order);
    GT_TRY(gt_allocated(order));
    choose_rows(model, strategy, order);
    add_rows(model, &strategy->evidence); /* the pending points */
    return GPUTUNE_OK;
}

/* Fits prior.slope by least squares. Two additional rows (prior 1, time 0) lower the slope. */
static void fit_prior(gt_model *model)
{
    double products = 0, squares = 2;
    const double *y = model->gaussian.target[GT_TARGET_TIME].y;
    for (uint32_t i = 0; i < model->gaussian.count; i++) {
        if (!isnan(y[i])) {
            products += model->row_prior[i] * y[i];
            squares += model->row_prior[i] * model->row_prior[i];
        }
    }
    model->prior.slope = fmin(fmax(products / squares, 0), 1.5);
}

/* Returns log(compile time / usual compile time), or NAN if the compile time is unknown. A compile
 * that is still running is assumed to take twice as long as it has taken so far. */
static double compile_value(const gt_model *model, const gt_known *known)
{
    double least = log(2 * known->so_far_s) - model->compile_centre;
    if (known->compile_s > 0) {
        return log(known->compile_s) - model->compile_centre;
    }
    return least > 0 ? least : (double)NAN;
}

static void set_values(gt_model *model, const gt_evidence *evidence)
{
    gt_target_values *target = model->gaussian.target;
    model->compile_centre =
        evidence->compiled ? log(evidence->compile_s / evidence->compiled) : (double)NAN;
    for (uint32_t i = 0; i < model->gaussian.count; i++) {
        const gt_known *known = &evidence->known.items[model->known_of[i]];
        bool ok = known->outcome == GT_TRIED_OK, failed = known->outcome == GT_TRIED_FAILED;
        target[GT_TARGET_TIME].y[i] = ok ? gt_model_value(model, known->log_time) : (double)NAN;
        target[GT_TARGET_FAILURE].y[i] = failed ? 1 : ok ? 0 : (double)NAN;
        target[GT_TARGET_COMPILE].y[i] = compile_value(model, known);
    }
    if (model->prior.present) {
        fit_prior(model);
        for (uint32_t i = 0; i < model->gaussian.count; i++) {
            target[GT_TARGET_TIME].y[i] -= model->prior.slope * model->row_prior[i];
        }
    }
    gt_gaussian_update(&model->gaussian);
}

/* Returns how badly the Gaussian process fits times that are compressed with model->width. */
static double misfit(gt_model *model, const gt_evidence *evidence)
{
    uint32_t count = 0;
    double log_slope = 0;
    model_standardise(model, evidence);
    set_values(model, evidence);
    for (uint32_t i = 0; i < model->gaussian.count; i++) {
        const gt_known *known = &evidence->known.items[model->known_of[i]];
        if (known->outcome == GT_TRIED_OK) {
            log_slope += model_log_slope(model, known->log_time);
            count++;
        }
    }
    return gt_gaussian_misfit(&model->gaussian) - log_slope / (count ? count : 1);
}

/* Chooses the width of the compression by maximum likelihood (Snelson et al. 2003). */
static void choose_width(gt_model *model, const gt_evidence *evidence)
{
    static const double widths[] = {INFINITY, 0.4, 0.15, 0.06};
    double least = INFINITY, best = model->width;
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        model->width = widths[i];
        double value = misfit(model, evidence);
        if (value < least) {
            least = value;
            best = widths[i];
        }
    }
    model->width = best;
}

gputune_status gt_model_learn(bool *is_relearnt, gt_model *model, gt_strategy *strategy)
{
    gt_evidence *evidence = &strategy->evidence;
    uint32_t result_count = evidence->count[GT_TRIED_OK] + evidence->count[GT_TRIED_FAILED];
    bool due = !model->count_when_learnt || result_count >= model->count_when_learnt * GROWTH;
    bool thinned = !add_rows(model, evidence);
    if (thinned) {
        GT_TRY(thin_rows(model, strategy));
    }
    if (due && result_count >= ENOUGH) {
        choose_width(model, evidence);
    }
    model_standardise(model, evidence);
    set_values(model, evidence);
    if (due) {
        gt_gaussian_learn(&model->gaussian, STEPS);
        model->count_when_learnt = result_count;
    }
    *is_relearnt = due || thinned;
    return GPUTUNE_OK;
}

/* --- the prior -------------------------------------------------------------------------------- */

enum { PRIOR_ROWS = 160, PRIOR_STEPS = 12 };

/* Adds rows for hints: half for the fastest hints, and half evenly spread over the other hints. */
static void fill_gaussian(gt_gaussian *gaussian, const gt_model *model, const gt_strategy *strategy,
                          const gt_ranked *order, uint32_t count)
{
    double mean = 0, squares = 0;
    for (uint32_t i = 0; i < count; i++) {
        mean += order[i].value / count;
    }
    for (uint32_t i = 0; i < count; i++) {
        squares += (order[i].value - mean) * (order[i].value - mean);
    }
    double spread = sqrt(squares / count) + 1e-6;
    uint32_t rows = count < PRIOR_ROWS ? count : PRIOR_ROWS, first = rows < count ? rows / 2 : rows;
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t at = i < first ? i : first + (i - first) * (count - first) / (rows - first);
        float z[GT_COORDINATES];
        gt_coordinates_of(z, &model->coordinates, &strategy->hints.items[order[at].index].point);
        uint32_t row = gt_gaussian_add(gaussian, z);
        gaussian->target[GT_TARGET_TIME].y[row] = (order[at].value - mean) / spread;
    }
}

static uint32_t sort_hints(gt_strategy *strategy, gt_ranked *order)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < strategy->hints.count; i++) {
        if (strategy->hints.items[i].outcome == GT_TRIED_OK) {
            order[count++] = (gt_ranked){log(strategy->hints.items[i].time_ns), i};
        }
    }
    gt_sort_ranked(order, count);
    return count;
}

/* Builds the prior from hints, before the process has rows. May return ENOMEM. */
static gputune_status model_prior_make(gt_model *model, gt_strategy *strategy)
{
    if (!strategy->hints.count) {
        return GPUTUNE_OK;
    }
    gt_gaussian_close(&model->prior.gaussian);
    model->prior = (gt_model_prior){0};
    GT_FREED gt_ranked *order = malloc(strategy->hints.count * sizeof *order);
    GT_TRY(gt_allocated(order));
    uint32_t count = sort_hints(strategy, order);
    if (!count) {
        return GPUTUNE_OK;
    }
    gt_model_prior *prior = &model->prior;
    GT_TRY(gt_gaussian_open(&prior->gaussian, &model->coordinates));
    prior->present = true;
    prior->lead_count = count < GT_MODEL_LEADS ? count : GT_MODEL_LEADS;
    if (strategy->evidence.count[GT_TRIED_OK]) {
        uint32_t workers = strategy->settings.workers;
        prior->due = workers < prior->lead_count ? workers : prior->lead_count;
    }
    for (uint32_t i = 0; i < prior->lead_count; i++) {
        prior->leads[i] = strategy->hints.items[order[i].index].point;
    }
    fill_gaussian(&prior->gaussian, model, strategy, order, count);
    gt_gaussian_update(&prior->gaussian);
    gt_gaussian_learn(&prior->gaussian, PRIOR_STEPS);
    return GPUTUNE_OK;
}

/* --- the pool --------------------------------------------------------------------------------- */

enum {
    /* number of random candidates, and size to which a pool of more than MANY is reduced */
    RANDOM = 500,
    NEAR_BEST = 4, /* number of fastest points whose neighbours become candidates */
    JUMPS = 48,    /* number of candidates that differ in two axes; as many differ in three */
    MANY = 800,    /* maximum size of the pool */
    CLIMBS = 3     /* maximum number of steps from the best candidate to a better neighbour */
};
/* number of standard deviations beyond which the expected gain is approximated */
#define FAR 6.0
/* With few points, the Gaussian process underestimates its deviations. They are doubled if there
 * are up to DOUBT_AXES axes, and increased by a smaller factor if there are more axes. */
#define DOUBT_AXES 8.0
/* If results stop improving, the process may be wrong. After DOUBTS results without a gain, its
 * deviations are increased, up to the factor MOST_DOUBT. After WAVE results without a gain, this
 * begins again with the factor 1, because the search should also explore near its best results. */
#define DOUBTS     5
#define WAVE       20
#define MOST_DOUBT 2.0
/* In a search with hints, deviations are increased only after this many results without a gain. */
#define TRUSTED      10
#define SURE_FAILURE 1.02 /* a predicted failure still gets a 2% chance of success */
#define ROOT_2PI     2.5066282746310002

static void begin_candidate(gt_candidate *out, const gt_model *model, const gt_point *point)
{
    out->point = *point;
    gt_coordinates_of(out->prospect.z, &model->coordinates, point);
    out->prior = model_prior_at(model, out->prospect.z);
    out->prospect.rows = 0;
    out->score = -INFINITY;
}

typedef struct adding {
    gt_model *model;
    const gt_evidence *evidence;
    gputune_status status;
} adding;

static bool add_candidate(void *user, const gt_point *point)
{
    adding *to = user;
    gt_model *model = to->model;
    uint32_t place, next = (uint32_t)model->pool.count;
    if (gt_evidence_has(to->evidence, point)) {
        return true;
    }
    to->status = gt_array_reserve(&model->pool);
    if (to->status == GPUTUNE_OK) {
        to->status = gt_hash_index_intern(&model->places, gt_point_hash(point), next, &place);
    }
    if (to->status == GPUTUNE_OK && place == next) {
        begin_candidate(&model->pool.items[model->pool.count++], model, point);
    }
    return to->status == GPUTUNE_OK;
}

static void empty_model(gt_model *model)
{
    model->pool.count = 0;
    gt_hash_index_free(&model->places);
}

static gputune_status model_pool_fill(gt_model *model, gt_strategy *strategy)
{
    adding to = {model, &strategy->evidence, GPUTUNE_OK};
    empty_model(model);
    for (int i = 0; i < RANDOM; i++) {
        gt_point point = {{0}};
        if (!gt_strategy_draw(strategy, &point) || !add_candidate(&to, &point)) {
            break;
        }
    }
    return to.status;
}

static gputune_status model_pool_prune(gt_model *model)
{
    size_t count = model->pool.count;
    if (count <= MANY) {
        return GPUTUNE_OK;
    }
    GT_FREED double *scores = malloc(count * sizeof *scores);
    GT_TRY(gt_allocated(scores));
    for (size_t i = 0; i < count; i++) {
        scores[i] = model->pool.items[i].score;
    }
    gt_sort(scores, count);
    double least = scores[count - 1 - RANDOM];
    empty_model(model);
    for (size_t i = 0; i < count; i++) {
        const gt_candidate *kept = &model->pool.items[i];
        if (kept->score > least) {
            uint32_t to = (uint32_t)model->pool.count++; /* never above i */
            GT_TRY(gt_hash_index_intern(&model->places, gt_point_hash(&kept->point), to, &to));
            if (to != i) {
                model->pool.items[to] = *kept;
            }
        }
    }
    return GPUTUNE_OK;
}

static gputune_status add_near(gt_model *model, gt_strategy *strategy, const gt_point *point)
{
    adding to = {model, &strategy->evidence, GPUTUNE_OK};
    gt_domain_neighbours(strategy->domain, point, add_candidate, &to);
    return to.status;
}

/* Adds points that differ from `from` in two or three axes, because `from` may be a local optimum,
 * or constraints may forbid the steps in between. */
static gputune_status add_jumps(gt_model *model, gt_strategy *strategy, const gt_point *from)
{
    adding to = {model, &strategy->evidence, GPUTUNE_OK};
    for (uint32_t axes = 2; axes <= 3; axes++) {
        for (int i = 0; i < JUMPS && to.status == GPUTUNE_OK; i++) {
            gt_point point = *from;
            if (!gt_domain_jump(strategy->domain, &strategy->random, axes, &point)) {
                break;
            }
            add_candidate(&to, &point);
        }
    }
    return to.status;
}

static gputune_status model_pool_near_best(gt_model *model, gt_strategy *strategy)
{
    const gt_evidence *evidence = &strategy->evidence;
    uint32_t best[NEAR_BEST];
    uint32_t count = gt_evidence_fastest(evidence, best, NEAR_BEST);
    for (uint32_t i = 0; i < count; i++) {
        gt_point point = evidence->known.items[best[i]].point;
        GT_TRY(add_near(model, strategy, &point));
        GT_TRY(add_jumps(model, strategy, &point));
    }
    return GPUTUNE_OK;
}

/* Returns the logarithm of the expected improvement (Mockus 1975; Jones et al. 1998). */
static double log_gain(double best, double expected, double deviation)
{
    double d = (best - expected) / deviation;
    if (d < -FAR) {
        return log(deviation) - d * d / 2 - 2 * log(-d) - log(ROOT_2PI);
    }
    return log(deviation) + log(d * gt_normal_cdf(d) + exp(-d * d / 2) / ROOT_2PI);
}

/* Returns the logarithm of the seconds that a try costs: compile time per worker plus GPU time. */
static double log_cost(const gt_model *model, const gt_strategy *strategy,
                       const gt_prospect *prospect)
{
    if (!strategy->settings.by_seconds || isnan(model->compile_centre)) {
        return 0;
    }
    double compile = exp(model->compile_centre +
                         gt_gaussian_expect(&model->gaussian, prospect, GT_TARGET_COMPILE));
    const gt_evidence *evidence = &strategy->evidence;
    double measure = evidence->measured ? evidence->measure_s / evidence->measured : 0;
    return log(compile / strategy->settings.workers + measure);
}

/* Returns the factor by which the deviations of the process are increased: 1 while a search with
 * hints improves. The factor ignores the rank correlation of hints and measured times, which was
 * higher in searches that hints slowed down. */
static double doubt(const gt_model *model, const gt_strategy *strategy)
{
    const gt_evidence *evidence = &strategy->evidence;
    uint32_t since = evidence->result_count - evidence->count_at_best;
    if (model->prior.present && since < TRUSTED) {
        return 1;
    }
    double axes = 1 + fmin(1, DOUBT_AXES / strategy->domain->axis_count);
    return axes * fmin(fmax(1, (double)(since % WAVE) / DOUBTS), MOST_DOUBT);
}

/* Computes the score of a candidate. The score ignores gains below epsilon. Otherwise the search
 * would stay near a good configuration even if there are better ones elsewhere. */
static void judge_candidate(gt_candidate *candidate, const gt_model *model,
                            const gt_strategy *strategy)
{
    const gt_gaussian *gaussian = &model->gaussian;
    const gt_prospect *prospect = &candidate->prospect;
    double expected = gt_gaussian_expect(gaussian, prospect, GT_TARGET_TIME) +
                      model->prior.slope * candidate->prior;
    double deviation =
        doubt(model, strategy) * gt_gaussian_deviation(gaussian, prospect, GT_TARGET_TIME);
    double success = 0; /* logarithm of the probability of success */
    if (strategy->evidence.count[GT_TRIED_FAILED]) {
        double failure = gt_gaussian_expect(gaussian, prospect, GT_TARGET_FAILURE);
        success = log(SURE_FAILURE - fmin(fmax(failure, 0), 1));
    }
    double aim = gt_model_value(model, model->best_log + log1p(-strategy->settings.epsilon));
    candidate->gain = exp(log_gain(model->best_y, expected, deviation) + success) * model->spread;
    candidate->score =
        log_gain(aim, expected, deviation) + success - log_cost(model, strategy, prospect);
}

static double model_gain_at(const gt_model *model, const gt_strategy *strategy,
                            const gt_point *point)
{
    gt_candidate candidate;
    begin_candidate(&candidate, model, point);
    gt_gaussian_look(&model->gaussian, &candidate.prospect);
    judge_candidate(&candidate, model, strategy);
    return candidate.gain;
}

/* Scores the candidates from index `from` on. Returns the index of the best candidate, or -1. */
static int64_t judge_from(gt_model *model, const gt_strategy *strategy, uint32_t from, int64_t best)
{
    for (uint32_t i = from; i < model->pool.count; i++) {
        gt_candidate *candidate = &model->pool.items[i];
        if (gt_evidence_has(&strategy->evidence, &candidate->point)) {
            continue;
        }
        gt_gaussian_look(&model->gaussian, &candidate->prospect);
        judge_candidate(candidate, model, strategy);
        if (best < 0 || candidate->score > model->pool.items[best].score) {
            best = i;
        }
    }
    return best;
}

/* Finds the best candidate, or -1. If `climb`, also tries its neighbours. May return ENOMEM. */
static gputune_status model_pool_best(gt_model *model, gt_strategy *strategy, bool climb,
                                      int64_t *best)
{
    *best = judge_from(model, strategy, 0, -1);
    for (int i = 0; climb && i < CLIMBS && *best >= 0; i++) {
        int64_t before = *best;
        uint32_t from = model->pool.count;
        gt_point point = model->pool.items[before].point;
        GT_TRY(add_near(model, strategy, &point));
        *best = judge_from(model, strategy, from, before);
        if (*best == before) {
            break;
        }
    }
    return GPUTUNE_OK;
}

/* --- model ------------------------------------------------------------------------------------ */

enum {
    LEAST_OK = 3,
    BETWEEN_CLIMBS = 8 /* after this many proposals, also try neighbours of the best candidate */
};

static void drop_model(gt_model **model)
{
    gt_model_free(*model);
}

gputune_status gt_model_new(gt_model **out, const gt_domain *domain)
{
    GT_SCOPED(drop_model) gt_model *model = calloc(1, sizeof *model);
    GT_TRY(gt_allocated(model));
    model->width = INFINITY;
    model->results = UINT64_MAX;
    GT_TRY(gt_coordinates_make(&model->coordinates, domain));
    GT_TRY(gt_gaussian_open(&model->gaussian, &model->coordinates));
    *out = gt_take(&model);
    return GPUTUNE_OK;
}

void gt_model_free(gt_model *model)
{
    if (!model) {
        return;
    }
    gt_coordinates_free(&model->coordinates);
    gt_gaussian_close(&model->gaussian);
    gt_gaussian_close(&model->prior.gaussian);
    gt_array_free(&model->pool);
    gt_hash_index_free(&model->places);
    free(model);
}

static bool is_new(const gt_strategy *strategy, const gt_point *point)
{
    return !gt_evidence_has(&strategy->evidence, point) &&
           strategy->domain->is_valid(strategy->domain->user, point);
}

/* Proposes the first points: the default, the fastest hints, and random points. The second and the
 * fourth point after the default are random, to show how well hints predict times. */
static bool propose_first(gt_model *model, gt_strategy *strategy, gt_point *out)
{
    gt_model_prior *prior = &model->prior;
    if (strategy->domain->fallback && is_new(strategy, strategy->domain->fallback)) {
        *out = *strategy->domain->fallback;
        return true;
    }
    uint32_t turn = prior->turns++;
    bool at_random = !prior->due && turn < GT_MODEL_FIRST_WITH_HINTS && turn % 2 == 1;
    prior->due -= prior->due > 0;
    while (!at_random && prior->next_lead < prior->lead_count) {
        const gt_point *lead = &prior->leads[prior->next_lead++];
        if (is_new(strategy, lead)) {
            *out = *lead;
            return true;
        }
    }
    return gt_strategy_draw(strategy, out);
}

static bool is_ready(const gt_model *model, const gt_strategy *strategy)
{
    uint32_t first = model->prior.present ? GT_MODEL_FIRST_WITH_HINTS : GT_MODEL_FIRST;
    return strategy->evidence.known.count >= first &&
           strategy->evidence.count[GT_TRIED_OK] >= LEAST_OK && !model->prior.due;
}

static gputune_status update_model(gt_model *model, gt_strategy *strategy)
{
    bool is_relearnt;
    GT_TRY(gt_model_learn(&is_relearnt, model, strategy));
    GT_TRY(is_relearnt ? model_pool_fill(model, strategy) : model_pool_prune(model));
    return model_pool_near_best(model, strategy);
}

enum {
    SMALL = 128, /* a space of up to this size is tried completely */
    PROBE = 16   /* number of results that are needed to estimate the time per result */
};

/* Returns true if there is enough time to try all remaining configurations. */
static bool is_time_for_all(const gt_strategy *strategy)
{
    const gt_evidence *evidence = &strategy->evidence;
    const gt_domain *domain = strategy->domain;
    if (domain->size_is_exact && domain->size <= SMALL) {
        return true;
    }
    uint32_t result_count = evidence->count[GT_TRIED_OK] + evidence->count[GT_TRIED_FAILED];
    if (result_count < PROBE || strategy->settings.limit_s <= 0 || !domain->size_is_exact) {
        return false;
    }
    double spent = fmax(evidence->compile_s / strategy->settings.workers, evidence->measure_s);
    double left = domain->size - evidence->known.count;
    return spent / result_count * left <= strategy->settings.limit_s - spent;
}

static const gt_tried *best_hint(const gt_strategy *strategy)
{
    const gt_tried *best = NULL;
    for (size_t i = 0; i < strategy->hints.count; i++) {
        const gt_tried *hint = &strategy->hints.items[i];
        if (hint->outcome == GT_TRIED_OK && (!best || hint->time_ns < best->time_ns) &&
            !gt_evidence_has(&strategy->evidence, &hint->point)) {
            best = hint;
        }
    }
    return best;
}

static bool tries_all(const gt_strategy *strategy)
{
    return strategy->kind == GPUTUNE_STRATEGY_AUTO && is_time_for_all(strategy);
}

gputune_status gt_model_propose(gt_strategy *strategy, gt_point *out, bool *found)
{
    gt_model *model = strategy->model;
    if (tries_all(strategy)) {
        const gt_tried *hint = best_hint(strategy);
        *found = hint != NULL;
        *out = hint ? hint->point : *out;
        return GPUTUNE_OK;
    }
    if (model->hint_count < strategy->hints.count) {
        model->results = UINT64_MAX;
        model->hint_count = strategy->hints.count;
        model_forget_rows(model, &strategy->evidence);
        GT_TRY(model_prior_make(model, strategy));
    }
    if (!is_ready(model, strategy)) {
        *found = propose_first(model, strategy, out);
        return GPUTUNE_OK;
    }
    if (model->results != strategy->evidence.results) {
        GT_TRY(update_model(model, strategy));
        model->results = strategy->evidence.results;
        model->batch = 0;
    } else {
        add_rows(model, &strategy->evidence); /* the pending points */
        gt_gaussian_update(&model->gaussian);
    }
    int64_t best;
    bool climb = model->batch++ % BETWEEN_CLIMBS == 0;
    GT_TRY(model_pool_best(model, strategy, climb, &best));
    *found = best >= 0;
    if (*found) {
        *out = model->pool.items[best].point;
        model->gain = model->pool.items[best].gain;
    }
    return GPUTUNE_OK;
}

void gt_model_look(gt_outlook *out, const gt_strategy *strategy)
{
    if (strategy->model->count_when_learnt) {
        out->expected_gain = strategy->model->gain;
    }
    out->learns = !tries_all(strategy);
}

/* First updates the model, because no proposal does so while slow compiles occupy all workers. */
double gt_model_worth(gt_strategy *strategy, const gt_point *point)
{
    gt_model *model = strategy->model;
    bool late = !model->count_when_learnt && is_ready(model, strategy);
    if (late && update_model(model, strategy) != GPUTUNE_OK) {
        return -1;
    }
    return model->count_when_learnt ? model_gain_at(model, strategy, point) : -1;
}
