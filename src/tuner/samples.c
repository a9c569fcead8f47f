#include "tuner/samples.h"

FILE *gt_samples_open(const gt_request *request)
{
    const char *path = request->options.samples_path;
    FILE *file = path ? fopen(path, "ae") : NULL;
    if (path && !file) {
        gt_log_line(&request->services->log, GPUTUNE_LOG_WARNING,
                    "the samples cannot be written to %s", path);
    }
    if (file && ftell(file) == 0) {
        fputs("kernel,sizes,configuration,objective,round,value_ns,kind\n", file);
    }
    return file;
}

void gt_samples_write(FILE *file, const gt_request *request, const gt_sample_row *row)
{
    fprintf(file, "%s,%s,%s,%s,%u,%.17g,%s\n", request->template->name, request->problem_text,
            row->config, gputune_objective_name(row->objective), row->round, row->value, row->kind);
}
