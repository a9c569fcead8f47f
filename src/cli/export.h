/* A measured scenario as the files of other tools. */
#ifndef CLI_EXPORT_H
#define CLI_EXPORT_H

#include "cli/measured.h"

#include <stdio.h>

typedef enum cli_export_format { CLI_EXPORT_T4, CLI_EXPORT_KERNEL_TUNER } cli_export_format;

/* One axis, or a size that is a word, with the values that were tried, in their order. */
typedef struct cli_export_axis {
    char *name;
    char **values;
    size_t count;
    bool words; /* some value is no integer: all are written as strings */
} cli_export_axis;

typedef struct cli_export_entry {
    const cli_trial *trial;
    const size_t *choice; /* the index of the value on each axis */
    size_t axis_count;
} cli_export_entry;

/* A scenario taken apart. Borrows from `from`, which must outlive it. */
typedef struct cli_export {
    const cli_measured *from;
    cli_export_axis *axes;
    size_t axis_count;
    size_t *choices;
    cli_export_entry *entries; /* each configuration once, in the order of the axes */
    size_t entry_count;
    size_t unmeasured; /* trials without a time that did not fail: left out */
} cli_export;

/* Takes a scenario apart. */
void cli_export_make(cli_export *out, const cli_measured *from);

/* Writes it. The caller checks the file for errors. */
void cli_export_write(const cli_export *data, cli_export_format format, FILE *file);
/* Notes, once, what the format cannot say of this scenario. */
void cli_export_say_limits(const cli_export *data, cli_export_format format);

#endif
