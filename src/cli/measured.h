/* What is stored, by scenario: the trials of one kernel at one problem, under one objective, on one
 * kind of GPU; and how one of them is named on a command line. */
#ifndef CLI_MEASURED_H
#define CLI_MEASURED_H

#include "cli/session.h"
#include "cli/sizes.h"

typedef struct cli_trial {
    char *configuration, *message, *created;
    char status[16]; /* as in gputune_record */
    double median_ns, mean_ns, compile_ns;
    uint32_t samples;
} cli_trial;

typedef struct cli_measured {
    char *kernel, *sizes, *scenario, *alignment, *inputs, *gpu, *environment;
    gputune_objective objective;
    gputune_cache cache;
    cli_trial *trials; /* in the order of gputune_records() */
    size_t count;
} cli_measured;

typedef struct cli_measured_list {
    cli_measured *items;
    size_t count;
} cli_measured_list;

/* What names a scenario; NULL, 0 and -1: any. */
typedef struct cli_measured_name {
    const cli_values *sizes;
    int objective;        /* a gputune_objective; 0: any */
    int cache;            /* a gputune_cache; -1: any */
    const char *gpu;      /* its name, a part of it, or its environment */
    const char *scenario; /* the hash's first digits */
} cli_measured_name;

/* Reads every trial of a kernel into *out. `history`: of every version of its template. Returns
 * CLI_CONTINUE or an exit code after printing what is wrong. */
int cli_measured_read(cli_measured_list *out, const cli_session *session, const char *kernel,
                      bool history);

/* The only scenario of that name. CLI_EXIT_USAGE, after listing the scenarios with the options that
 * name each, where there are several, and where there is none (the list is not empty). */
int cli_measured_choose(const cli_measured **out, const cli_measured_list *list,
                        const cli_measured_name *name);

#endif
