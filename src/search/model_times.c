/* What the model's process sees of times. Slow ones need not be foreseen as exactly as fast ones,
 * and in many spaces a few are slower by far than all others, which no process expects. So
 * differences to the best time are compressed beyond a width; near the best they hardly change. */
#include "search/model.h"

#include <math.h>

#define NARROW 1e-6 /* the least spread: all times may be equal */

static double compress(double over, double width)
{
    return isinf(width) || over < 0 ? over : width * log1p(over / width);
}

static double expand(double over, double width)
{
    return isinf(width) || over < 0 ? over : width * expm1(over / width);
}

void gt_model_standardise(gt_model *model, const gt_evidence *evidence)
{
    uint32_t count = 0;
    double sum = 0, squares = 0;
    model->best_log =
        evidence->count[GT_TRIED_OK] ? evidence->known.items[evidence->best].log_time : 0;
    for (uint32_t i = 0; i < evidence->known.count; i++) {
        if (evidence->known.items[i].outcome == GT_TRIED_OK) {
            double over =
                compress(evidence->known.items[i].log_time - model->best_log, model->width);
            sum += over;
            squares += over * over;
            count++;
        }
    }
    model->mean = count ? sum / count : 0;
    model->spread = count ? sqrt(squares / count - model->mean * model->mean) : 1;
    model->spread = model->spread > NARROW ? model->spread : NARROW;
    model->best_y = -model->mean / model->spread;
}

double gt_model_value(const gt_model *model, double log_time)
{
    return (compress(log_time - model->best_log, model->width) - model->mean) / model->spread;
}

double gt_model_log_time(const gt_model *model, double value)
{
    return model->best_log + expand(model->mean + value * model->spread, model->width);
}

double gt_model_log_slope(const gt_model *model, double log_time)
{
    double over = log_time - model->best_log;
    return -log(model->spread) - (isinf(model->width) ? 0 : log1p(over / model->width));
}
