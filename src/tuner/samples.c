/* Appends raw samples to a CSV file. */
#include "tuner/samples.h"

#include "base/number.h"

#include <errno.h>
#include <string.h>

FILE *gt_samples_open(const gt_request *request)
{
    const char *path = request->options.samples_path;
    FILE *file = path ? fopen(path, "ae") : NULL;
    if (path && !file) {
        gt_log_line(&request->services->log, GPUTUNE_LOG_WARNING,
                    "the samples cannot be written to %s: %s", path, strerror(errno));
    }
    if (file && ftell(file) <= 0) { /* below 0: a pipe */
        fputs("kernel,sizes,configuration,objective,round,value_ns,kind\n", file);
    }
    return file;
}

void gt_samples_close(FILE *file, const gt_request *request)
{
    bool failed = ferror(file) != 0;
    failed = fclose(file) != 0 || failed;
    if (failed) {
        gt_log_line(&request->services->log, GPUTUNE_LOG_WARNING,
                    "the samples in %s are incomplete: %s", request->options.samples_path,
                    strerror(errno));
    }
}

void gt_samples_write(FILE *file, const gt_request *request, const gt_sample_row *row)
{
    char value[32];
    gt_snprintf(value, sizeof value, "%.17g", row->value);
    fprintf(file, "%s,%s,%s,%s,%u,%s,%s\n", request->template->name, request->problem_text,
            row->config, gputune_objective_name(row->objective), row->round, value, row->kind);
}
