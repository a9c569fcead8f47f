/* Appends raw samples to a CSV file. */
#include "tuner/samples.h"
#include "base/number.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

FILE *gt_samples_append(const char *path)
{
    int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0666);
    struct stat facts;
    if (file < 0) {
        errno = errno == ENXIO ? EINVAL : errno; /* a FIFO that has no reader */
        return NULL;
    }
    bool may_wait = fstat(file, &facts) != 0 || S_ISFIFO(facts.st_mode) || S_ISSOCK(facts.st_mode);
    FILE *out = may_wait ? NULL : fdopen(file, "a");
    if (!out) {
        int error = may_wait ? EINVAL : errno;
        close(file);
        errno = error;
    }
    return out;
}

const char *gt_samples_why(void)
{
    return errno == EINVAL ? "it is a FIFO or a socket; expected a file" : strerror(errno);
}

FILE *gt_samples_open(const gt_request *request)
{
    const char *path = request->options.samples_path;
    FILE *file = path ? gt_samples_append(path) : NULL;
    if (path && !file) {
        gt_log_line(&request->log, GPUTUNE_LOG_WARNING, "the samples cannot be written to %s: %s",
                    path, gt_samples_why());
    }
    /* the position of a file that is appended to is known behind the first write alone */
    if (file && (fseek(file, 0, SEEK_END) != 0 || ftell(file) == 0)) { /* a terminal has none */
        fputs("kernel,sizes,configuration,objective,round,value_ns,kind\n", file);
    }
    return file;
}

void gt_samples_close(FILE *file, const gt_request *request)
{
    bool failed = ferror(file) != 0;
    failed = fclose(file) != 0 || failed;
    if (failed) {
        gt_log_line(&request->log, GPUTUNE_LOG_WARNING, "the samples in %s are incomplete: %s",
                    request->options.samples_path, strerror(errno));
    }
}

static void write_runner(FILE *file, const gt_field *field, const gt_runner *runner,
                         gputune_objective objective)
{
    const gt_request *request = field->options.request;
    GT_FREED char *config = NULL;
    if (gt_config_text(&config, request->template, &field->variants.items[runner->id]->config) <
        0) {
        return;
    }
    for (size_t i = 0; i < runner->samples.count; i++) {
        const gt_race_sample *s = &runner->samples.items[i];
        char value[32];
        gt_snprintf(value, sizeof value, "%.17g", s->value);
        fprintf(file, "%s,%s,%s,%s,%u,%s,%s\n", request->template->name, request->problem_text,
                config, gputune_objective_name(objective), s->round, value,
                s->quick   ? "quick"
                : s->final ? "final"
                           : "full");
    }
}

void gt_samples_write(FILE *file, const gt_field *field, const gt_race *race,
                      gputune_objective objective)
{
    for (const gt_runner *runner = race ? gt_race_first(race) : NULL; runner;
         runner = runner->next) {
        write_runner(file, field, runner, objective);
    }
}
