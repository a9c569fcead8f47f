/* Writes raw samples as CSV. */
#include "tuner/samples.h"
#include "base/number.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Opens a file. Returns NULL and sets errno on failure: EINVAL for FIFOs and sockets. */
static FILE *open_for_append(const char *path)
{
    int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0666);
    struct stat facts;
    if (file < 0) {
        errno = errno == ENXIO ? EINVAL : errno; /* ENXIO: nobody reads from the FIFO */
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

static const char *why(void)
{
    return errno == EINVAL ? "it is a FIFO or a socket; expected a file" : strerror(errno);
}

gputune_status gt_samples_check(const char *path)
{
    FILE *file = open_for_append(path);
    GT_REFUSE(!file, errno == ENOMEM ? GPUTUNE_ENOMEM : GPUTUNE_EINVAL,
              "the samples cannot be written to %s: %s", path, why());
    fclose(file);
    return GPUTUNE_OK;
}

static void write_runner(FILE *file, const gt_field *field, const gt_runner *runner,
                         gputune_objective objective)
{
    static const char *const kinds[] = {"quick", "full", "final"}; /* indexed by gt_race_kind */
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
                config, gputune_objective_name(objective), s->round, value, kinds[s->kind]);
    }
}

void gt_samples_write(const gt_field *field, const gt_samples races[], size_t count)
{
    const gt_log *log = &field->options.request->log;
    const char *path = field->options.request->options.samples_path;
    FILE *file = path ? open_for_append(path) : NULL;
    if (!file) {
        if (path) {
            gt_log_line(log, GPUTUNE_LOG_WARNING, "the samples cannot be written to %s: %s", path,
                        why());
        }
        return;
    }
    /* ftell() is valid before the first write only after fseek() */
    if (fseek(file, 0, SEEK_END) != 0 || ftell(file) == 0) { /* fseek() fails on a terminal */
        fputs("kernel,sizes,configuration,objective,round,value_ns,kind\n", file);
    }
    for (size_t i = 0; i < count; i++) {
        for (const gt_runner *runner = races[i].race ? gt_race_first(races[i].race) : NULL; runner;
             runner = runner->next) {
            write_runner(file, field, runner, races[i].objective);
        }
    }
    bool failed = ferror(file) != 0;
    if (fclose(file) != 0 || failed) {
        gt_log_line(log, GPUTUNE_LOG_WARNING, "the samples in %s are incomplete: %s", path,
                    strerror(errno));
    }
}
