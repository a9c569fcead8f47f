/* A template with the files that it includes, as C arrays. */
#ifndef CLI_EMBED_H
#define CLI_EMBED_H

#include <stddef.h>
#include <stdio.h>

typedef struct cli_embedded_file {
    char *name; /* of an include: as between its quotes; of the template: the file's own */
    char *path, *text;
    size_t bytes;
} cli_embedded_file;

typedef struct cli_embedded {
    cli_embedded_file *files; /* the template first */
    size_t count;
} cli_embedded;

/* Reads a template and the files that it and they include in quotes and that stand beside the
 * including file. Returns CLI_CONTINUE, or an exit code after saying what is wrong. */
int cli_embed_read(cli_embedded *out, const char *path);

/* Writes the header. The caller checks the file for errors. */
void cli_embed_write(const cli_embedded *embedded, FILE *file);

#endif
