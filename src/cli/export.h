/* Reads what is stored by scenario: the trials of one kernel at one problem, under one objective,
 * on one kind of GPU. Takes a scenario apart, and writes it as files of other tools, or as a report
 * (report.h). */
#pragma once

#include "cli/session.h"
#include "cli/table.h"

#include <stdio.h>

typedef struct cli_measured {
    gputune_record shared; /* one of its trials, for what all of them have in common */
    /* The winner of the whole space, where that was tuned, else the fastest winner. Without one its
     * texts are "". */
    gputune_record winner;
    gputune_record *trials; /* in the order of gputune_records() */
    size_t count;
} cli_measured;

/* Which scenario a row is of, where the row begins with a gputune_record. */
#define CLI_PLACE_COLUMNS                                                                          \
    CLI_FIELD(gputune_record, kernel, "", CLI_TEXT, CLI_IN_DATA),                                  \
        CLI_FIELD(gputune_record, sizes, "", CLI_TEXT, CLI_IN_DATA),                               \
        CLI_FIELD(gputune_record, objective, "", CLI_OBJECTIVE, CLI_IN_DATA),                      \
        CLI_FIELD(gputune_record, gpu, "", CLI_TEXT, CLI_IN_DATA),                                 \
        CLI_FIELD(gputune_record, environment, "", CLI_TEXT, CLI_IN_DATA),                         \
        CLI_FIELD(gputune_record, scenario, "", CLI_TEXT, CLI_IN_DATA)

typedef struct cli_measured_list {
    cli_measured *items;
    size_t count;
} cli_measured_list;

/* What a user names a scenario by; NULL, 0 and -1: any. */
typedef struct cli_measured_name {
    const char *sizes;    /* by gt_sizes_match() */
    int objective;        /* a gputune_objective; 0: any */
    int cache;            /* a gputune_cache; -1: any */
    const char *gpu;      /* its name, a part of it, or its environment */
    const char *scenario; /* the first digits of its hash */
} cli_measured_name;

/* A callback for gputune_records(): adds the trial to `list`, a cli_measured_list. Returns 0. */
int cli_measured_add(void *list, const gputune_record *record);

/* Whether a trial was measured and is right. */
bool cli_trial_has_time(const gputune_record *trial);
/* Whether a trial is the winner's. */
bool cli_measured_is_winner(const cli_measured *of, const gputune_record *trial);
/* The best time of all trials; INFINITY without one. */
double cli_measured_best(const cli_measured *of);

/* Sets *out to the only scenario that fits `name`. Where several fit, or none, returns
 * CLI_EXIT_USAGE after listing the scenarios with the options that name each. The list must not be
 * empty. */
int cli_measured_choose(const cli_measured **out, const cli_measured_list *list,
                        const cli_measured_name *name);

typedef enum cli_export_format { CLI_EXPORT_T4, CLI_EXPORT_KERNEL_TUNER } cli_export_format;

/* One axis, or a size whose values are words, with the values that were tried, in their order. */
typedef struct cli_export_axis {
    char *name;
    char **values;
    size_t count;
    bool words; /* some value is no integer: all are written as strings */
} cli_export_axis;

typedef struct cli_export_entry {
    const gputune_record *trial;
    const size_t *choice; /* the index of the value on each axis */
    size_t axis_count;
} cli_export_entry;

/* A scenario taken apart. It borrows texts and trials from `from`, which must outlive it. */
typedef struct cli_export {
    const cli_measured *from;
    cli_export_axis *axes;
    size_t axis_count;
    size_t *choices;
    cli_export_entry *entries; /* each configuration once, in the order of the axes */
    size_t entry_count;
    size_t unmeasured; /* trials without a time that did not fail: left out */
} cli_export;

/* Takes the scenario `from` apart into axes and entries. */
void cli_export_make(cli_export *out, const cli_measured *from);

/* Writes the scenario in the format. The caller checks the file for errors. */
void cli_export_write(const cli_export *data, cli_export_format format, FILE *file);
/* Notes, once, what the format cannot say of this scenario. */
void cli_export_say_limits(const cli_export *data, cli_export_format format);
