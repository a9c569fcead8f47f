/* The commands template and embed: a first template from a kernel that has none; and a template
 * with what it includes as arrays that a program is compiled with. */
#include "cli/files.h"
#include "cli/session.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool force; /* the option */

static size_t count_guesses(const char *text)
{
    size_t count = 0;
    while ((text = strstr(text, "// guess:"))) {
        count++;
        text++;
    }
    return count;
}

/* Says of the first file that the draft includes from beside `path` that the draft is elsewhere. */
static void note_left_behind(const char *path, const char *draft)
{
    while (cli_given.output && *draft) {
        char *name = cli_next_include(&draft);
        if (name && access(cli_path_beside(path, name), R_OK) == 0 &&
            access(cli_path_beside(cli_given.output, name), R_OK) != 0) {
            cli_note("'%s' is looked for beside %s, but is beside %s: have both in one folder",
                     name, cli_given.output, path);
            return;
        }
    }
}

/* Says of the first header that the draft puts aside what may be done about it. */
static void note_missing(const char *draft)
{
    static const char before[] = "// ? \"", behind[] = "\" is not below this file's folder";
    while ((draft = strstr(draft, before))) {
        draft += sizeof before - 1;
        const size_t length = strcspn(draft, "\"\n");
        if (strncmp(draft + length, behind, sizeof behind - 1) == 0) {
            cli_note("'%.*s' is not found, and put aside; if a kernel needs it, draft again with "
                     "its folder behind -I",
                     (int)length, draft);
            return;
        }
    }
}

/* Behind the path: which kernel of several a command takes first, as in ":stencil". */
static const char *first_of_several(const char *draft)
{
    static const char clause[] = "#pragma gputune kernel(";
    const char *first = strstr(draft, clause);
    const char *name = first ? first + sizeof clause - 1 : "";
    return first && strstr(name, clause) ? cli_format(":%.*s", (int)strcspn(name, "<,)"), name)
                                         : "";
}

/* A draft's includes are looked for in the folders of the environment. */
static int name_folders(void)
{
    const char *more = getenv("GPUTUNE_INCLUDE");
    char *folders = NULL;
    for (size_t i = 0; i < cli_given.include_paths.count; i++) {
        const char *folder = cli_given.include_paths.items[i];
        CLI_REFUSE(access(cli_format("%s/.", folder), X_OK) != 0, CLI_EXIT_USAGE,
                   "include path '%s' is no folder; expected one that exists", folder);
        cli_append(&folders, "%s:", folder);
    }
    return folders && setenv("GPUTUNE_INCLUDE", cli_format("%s%s", folders, more ? more : ""), 1)
               ? cli_stop(CLI_EXIT_NOTHING, "memory ran out")
               : CLI_CONTINUE;
}

static int write_template(const cli_list *arguments)
{
    const char *path = arguments->items[0];
    const char *kernel = arguments->count > 1 ? arguments->items[1] : NULL;
    size_t bytes;
    CLI_TRY(name_folders());
    char *text = cli_read_text(path, &bytes), *draft;
    CLI_REFUSE(!text, errno == ENOENT ? CLI_EXIT_USAGE : CLI_EXIT_NOTHING, "cannot read '%s': %s",
               path, strerror(errno));
    CLI_TRY(cli_passed(gputune_draft_template(&draft, path, text, kernel)));
    int code = cli_output_write(cli_given.output, force, draft, strlen(draft));
    if (code == CLI_EXIT_OK) {
        cli_note("%zu guesses are marked '// guess:'; correct what is wrong, then try: gputune "
                 "space %s%s",
                 count_guesses(draft), cli_given.output ? cli_given.output : "FILE",
                 first_of_several(draft));
        note_missing(draft);
        note_left_behind(path, draft);
    }
    return code;
}

static const cli_option options[] = {
    CLI_OUTPUT_OPTION,
    {"force", 'f', CLI_OPTION_FLAG, &force, NULL, NULL, "replace that file"},
    CLI_INCLUDE_OPTION,
    CLI_OPTIONS_END,
};

const cli_command cmd_template = {
    "template",
    "a first template from a kernel that has none",
    "FILE [KERNEL]",
    "Writes a first template for a CUDA kernel that has no pragmas yet, or only some.",
    "The code stays as it is; pragmas come in front of the kernel. They are read off the "
    "kernel and the program around it: its launch, its allocations and its local headers, where "
    "the file has no launch also those beside it and in the folder above; where one of these "
    "includes the file, what it needs of that stands in front. '// guess:' marks each guess, '// "
    "?' what was looked for in vain. KERNEL: that one alone "
    "[every kernel that the file launches]. 'gputune help template' describes the language.",
    {1, 2},
    options,
    write_template};

/* ---- embed ----------------------------------------------------------------------------------- */

typedef struct embedded_file {
    char *name; /* of an include: as between its quotes; of the template: the file's own */
    char *path, *text;
    size_t bytes;
} embedded_file;

typedef CLI_LIST(embedded_file) embedded_files; /* the template first */

/* ---- reading --------------------------------------------------------------------------------- */

/* False, with errno: the file cannot be read. */
static bool add_file(embedded_files *out, const char *name, const char *path)
{
    size_t bytes;
    char *text = cli_read_text(path, &bytes);
    if (text) {
        cli_add(out, (embedded_file){cli_copy(name), cli_copy(path), text, bytes});
    }
    return text != NULL;
}

static const embedded_file *find(const embedded_files *embedded, const char *name)
{
    for (size_t i = 1; i < embedded->count; i++) {
        if (strcmp(embedded->items[i].name, name) == 0) {
            return &embedded->items[i];
        }
    }
    return NULL;
}

/* A name that stands for two files cannot be told apart in the program. */
static int check_same(const embedded_file *known, const char *path)
{
    size_t bytes;
    char *text = cli_read_text(path, &bytes);
    bool other = text && (bytes != known->bytes || memcmp(text, known->text, bytes) != 0);
    if (other) {
        cli_error("%s and %s differ, and both are included as \"%s\"; give them different names",
                  known->path, path, known->name);
    }
    return other ? CLI_EXIT_USAGE : CLI_CONTINUE;
}

static int add_include(embedded_files *out, const char *from, const char *name)
{
    if (strcmp(name, "gputune.cuh") == 0) {
        return CLI_CONTINUE; /* comes with the library */
    }
    char *path = cli_path_beside(from, name);
    const embedded_file *known = find(out, name);
    int code = known ? check_same(known, path) : CLI_CONTINUE;
    CLI_REFUSE(!known && !add_file(out, name, path) && errno != ENOENT, CLI_EXIT_NOTHING,
               "cannot read '%s': %s", path, strerror(errno));
    return code;
}

/* Reads a template and the files that it and they include in quotes and that stand beside the
 * including file. Returns CLI_CONTINUE, or an exit code after saying what is wrong. */
static int read_template(embedded_files *out, const char *path)
{
    const char *slash = strrchr(path, '/');
    *out = (embedded_files){NULL, 0};
    CLI_REFUSE(!add_file(out, slash ? slash + 1 : path, path), CLI_EXIT_USAGE,
               "cannot read '%s': %s", path, strerror(errno));
    for (size_t i = 0; i < out->count; i++) { /* the list grows meanwhile */
        char *from = cli_copy(out->items[i].path);
        for (const char *at = out->items[i].text; *at;) {
            char *name = cli_next_include(&at);
            CLI_TRY(name ? add_include(out, from, name) : CLI_CONTINUE);
        }
    }
    return CLI_CONTINUE;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* The file's name as a C identifier. */
static char *identifier(const char *name)
{
    char *out = cli_format("%s%s", isdigit((unsigned char)name[0]) ? "_" : "", name);
    for (char *at = out; *at; at++) {
        *at = (char)(isalnum((unsigned char)*at) ? *at : '_');
    }
    return out;
}

/* Characters instead of a string: a compiler need not take strings of this length. */
static void write_array(const embedded_file *file, const char *name, FILE *out)
{
    fprintf(out, "static const char %s[] = {", name);
    for (size_t i = 0; i < file->bytes; i++) {
        unsigned char byte = (unsigned char)file->text[i];
        fprintf(out, i % 16 ? " " : "\n    ");
        fprintf(out, byte < 128 ? "%d," : "'\\x%02x',", byte);
    }
    fprintf(out, "%s0};\n", file->bytes % 16 ? " " : "\n    ");
}

static void write_includes(const embedded_files *embedded, const char *id, FILE *out)
{
    fprintf(out, "static const gputune_include %s_includes[] = {\n", id);
    for (size_t i = 1; i < embedded->count; i++) {
        fprintf(out, "    {\"%s\", %s_include_%zu},\n", embedded->items[i].name, id, i);
    }
    fprintf(out, "    {0, 0}};\n");
}

static void write_header(const embedded_files *embedded, FILE *file)
{
    const char *name = embedded->items[0].name;
    char *id = identifier(name);
    fprintf(file,
            "/* %s and what it includes. Made by `gputune embed`; edit that file instead. */\n"
            "#ifndef EMBEDDED_%s\n#define EMBEDDED_%s\n\n#include <gputune.h>\n\n",
            name, id, id);
    for (size_t i = 0; i < embedded->count; i++) {
        char *array = i ? cli_format("%s_include_%zu", id, i) : cli_format("%s_text", id);
        write_array(&embedded->items[i], array, file);
    }
    write_includes(embedded, id, file);
    fprintf(file,
            "\n/* Makes the tuner know the kernel. */\n"
            "static inline int %s_add(gputune *tuner)\n{\n"
            "    return gputune_add_source(tuner, \"%s\", %s_text, %s_includes);\n}\n\n#endif\n",
            id, name, id, id);
}

/* ---- the command ----------------------------------------------------------------------------- */

static const cli_option embed_options[] = {
    CLI_OUTPUT_OPTION,
    CLI_OPTIONS_END,
};

static int embed(const cli_list *arguments)
{
    embedded_files embedded;
    cli_output to;
    CLI_TRY(read_template(&embedded, arguments->items[0]));
    CLI_TRY(cli_output_open(&to, cli_given.output, true));
    write_header(&embedded, to.file);
    return cli_output_close(&to, CLI_EXIT_OK);
}

const cli_command cmd_embed = {"embed",
                               "a template as a header to compile a program with",
                               "PATH",
                               "Prints a template as a C header that a program is compiled with.",
                               "Files that the template includes in quotes come with it, as far as "
                               "they stand beside it. A function of the header, axpy_cu_add(tuner) "
                               "for axpy.cu, hands them to gputune_add_source().",
                               {1, 1},
                               embed_options,
                               embed};
