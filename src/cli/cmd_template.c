/* The commands template and embed: write a first template, and a template as a C header. */
#include "cli/files.h"
#include "cli/scenarios.h"
#include "cli/session.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool force; /* the option */
static cli_list defines, hosts;

/* Prints the lines that begin with `mark`, but not the mark itself. Returns their number. */
static size_t print_questions(const char *text)
{
    static const char mark[] = "// ? ";
    size_t count = 0;
    for (const char *line = text; line && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, mark, sizeof mark - 1) == 0) {
            line += sizeof mark - 1;
            cli_error("open question: %.*s", (int)strcspn(line, "\n"), line);
            count++;
        }
    }
    return count;
}

static const char clause[] = "#pragma gputune kernel(";

/* Returns the first error message, or "" if all kernels compile or there is no compiler. */
static const char *check_draft(const char *path, const char *draft)
{
    CLI_SCOPED(cli_close) cli_session session = {0};
    const bool quiet = cli_given.quiet;
    cli_given.quiet = true;
    int code = cli_open(&session, CLI_OPEN_NO_DEVICE);
    cli_given.quiet = quiet;
    if (code != CLI_CONTINUE) {
        return "";
    }
    int status = gputune_add_source(session.tuner, gt_base_name(path), draft, NULL);
    for (const char *at = draft; status == GPUTUNE_OK && (at = strstr(at, clause)) != NULL;) {
        char *code = NULL;
        size_t bytes;
        at += sizeof clause - 1;
        status = gputune_emit(&code, &bytes, session.tuner, cli_copy_part(at, strcspn(at, "<)")),
                              (gputune_sizes){0}, NULL, "sm_80", GPUTUNE_FORM_PTX);
        gputune_free(code);
    }
    return status == GPUTUNE_OK || status == GPUTUNE_ENOCOMPILER || status == GPUTUNE_ETIMEOUT
               ? ""
               : cli_copy(gputune_error());
}

static int collect_arguments(cli_list *out)
{
    for (size_t i = 0; i < cli_given.include_paths.count; i++) {
        const char *folder = cli_given.include_paths.items[i];
        CLI_REFUSE(access(cli_format("%s/.", folder), X_OK) != 0, CLI_EXIT_USAGE,
                   "include path '%s' is not a folder; expected one that exists", folder);
        cli_add(out, cli_format("-I%s", folder));
    }
    for (size_t i = 0; i < defines.count; i++) {
        cli_add(out, cli_format("-D%s", defines.items[i]));
    }
    for (size_t i = 0; i < hosts.count; i++) {
        CLI_REFUSE(access(hosts.items[i], R_OK) != 0, CLI_EXIT_USAGE, "cannot read '%s': %s",
                   hosts.items[i], strerror(errno));
        cli_add(out, cli_format("--host=%s", hosts.items[i]));
    }
    cli_add(out, NULL);
    return CLI_CONTINUE;
}

static int write_template(const cli_list *arguments)
{
    const char *path = arguments->items[0];
    const char *kernel = arguments->count > 1 ? arguments->items[1] : NULL;
    cli_list given = {NULL, 0};
    size_t bytes;
    CLI_TRY(collect_arguments(&given));
    char *text = cli_read_text(path, &bytes), *draft;
    CLI_REFUSE(!text, errno == ENOENT ? CLI_EXIT_USAGE : CLI_EXIT_NOTHING, "cannot read '%s': %s",
               path, strerror(errno));
    cli_console_progress("reading %s", path);
    const int status =
        gputune_draft_template(&draft, path, text, kernel, (const char *const *)given.items);
    cli_console_progress_end();
    CLI_TRY(cli_passed(status));
    cli_console_progress("compiling the draft");
    const char *mistake = check_draft(path, draft);
    cli_console_progress_end();
    if (*mistake) {
        draft = cli_format("// ? this draft does not compile yet:  %s\n%s", mistake, draft);
    }
    CLI_TRY(cli_output_write(cli_given.output, force, draft, strlen(draft)) == CLI_EXIT_OK
                ? CLI_CONTINUE
                : CLI_EXIT_USAGE);
    const size_t open = print_questions(draft);
    size_t guesses = 0;
    for (const char *at = draft; (at = strstr(at, "// guess:")); at++) {
        guesses++;
    }
    /* suggest a command for the first kernel */
    const char *first = strstr(draft, clause);
    const char *name = first ? first + sizeof clause - 1 : "";
    bool several = strstr(name, clause) != NULL;
    const char *file = cli_given.output ? cli_given.output : "FILE";
    const char *folder = cli_given.output && !cli_is_path(file) ? "./" : "";
    const char *draft_kernel = cli_format("%s%s%s%.*s", folder, file, several ? ":" : "",
                                          several ? (int)strcspn(name, "<,)") : 0, name);
    cli_note(
        "%zu open question%s ('// ?'), %zu guess%s ('// guess:'); complete the draft, then try: "
        "gputune space %s",
        open, open == 1 ? "" : "s", guesses, guesses == 1 ? "" : "es",
        cli_shell_word(draft_kernel));
    return open ? CLI_EXIT_OPEN : CLI_EXIT_OK;
}

static const cli_option options[] = {
    CLI_OUTPUT_OPTION,
    {"force", 'f', CLI_OPTION_FLAG, &force, NULL, NULL, "replace that file"},
    CLI_INCLUDE_OPTION,
    {"define", 'D', CLI_OPTION_LIST, &defines, "NAME[=VALUE]", NULL,
     "a macro that the program is compiled with; may be repeated"},
    {"host", 0, CLI_OPTION_LIST, &hosts, "FILE", NULL,
     "another file that launches the kernels; may be repeated"},
    CLI_OPTIONS_END,
};

const cli_command cmd_template = {
    "template",
    "draft a template from a CUDA program",
    "FILE [KERNEL]",
    "Writes a first template for the CUDA kernels of a program.",
    "libclang reads the program. The draft has the code that the kernels need, and pragmas for how "
    "the program launches them: block, grid, lengths, values, and axes. '// guess:' marks values "
    "that gputune chose; '// ?' marks questions that the program does not answer. The questions "
    "are also printed, and the exit code is then 8. The draft is compiled once. KERNEL: only this "
    "kernel [every kernel that the file launches]. 'gputune help template' describes the language.",
    {1, 2},
    options,
    write_template};

typedef struct embedded_file {
    char *name; /* the name in the #include, or the template's file name */
    char *path, *text;
    size_t bytes;
} embedded_file;

typedef CLI_LIST(embedded_file) embedded_files;

static bool add_file(embedded_files *out, const char *name, const char *path)
{
    size_t bytes;
    char *text = cli_read_text(path, &bytes);
    if (text) {
        cli_add(out, (embedded_file){cli_copy(name), cli_copy(path), text, bytes});
    }
    return text != NULL;
}

/* Adds an included file. Fails if a different file with the same name was added. */
static int add_include(embedded_files *out, const char *from, const char *name)
{
    if (strcmp(name, "gputune.cuh") == 0) {
        return CLI_CONTINUE; /* gputune.cuh is part of the library */
    }
    size_t bytes;
    char *path = cli_path_beside(from, name);
    const embedded_file *known = NULL;
    for (size_t i = 1; i < out->count; i++) {
        known = strcmp(out->items[i].name, name) == 0 ? &out->items[i] : known;
    }
    const char *text = known ? cli_read_text(path, &bytes) : NULL;
    CLI_REFUSE(text && (bytes != known->bytes || memcmp(text, known->text, bytes) != 0),
               CLI_EXIT_USAGE,
               "%s and %s differ, and both are included as \"%s\"; give them different names",
               known->path, path, known->name);
    CLI_REFUSE(!known && !add_file(out, name, path) && errno != ENOENT, CLI_EXIT_NOTHING,
               "cannot read '%s': %s", path, strerror(errno));
    return CLI_CONTINUE;
}

/* Reads a template and, recursively, the files in its folder that it includes in quotes. */
static int read_template(embedded_files *out, const char *path)
{
    *out = (embedded_files){NULL, 0};
    CLI_REFUSE(!add_file(out, gt_base_name(path), path), CLI_EXIT_USAGE, "cannot read '%s': %s",
               path, strerror(errno));
    for (size_t i = 0; i < out->count; i++) { /* the list grows in the loop */
        char *from = cli_copy(out->items[i].path);
        for (const char *at = out->items[i].text; *at;) {
            char *name = cli_next_include(&at);
            if (name) {
                CLI_TRY(add_include(out, from, name));
            }
        }
    }
    return CLI_CONTINUE;
}

/* Writes an array of characters, because compilers limit the length of string literals. */
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

static void write_header(const embedded_files *embedded, FILE *file)
{
    const char *name = embedded->items[0].name;
    char *id = cli_format("%s%s", isdigit((unsigned char)name[0]) ? "_" : "", name);
    for (char *at = id; *at; at++) {
        *at = (char)(isalnum((unsigned char)*at) ? *at : '_');
    }
    fprintf(file,
            "/* %s and its includes. Generated by `gputune embed`; edit that file instead. */\n"
            "#ifndef EMBEDDED_%s\n#define EMBEDDED_%s\n\n#include <gputune.h>\n\n",
            name, id, id);
    for (size_t i = 0; i < embedded->count; i++) {
        char *array = i ? cli_format("%s_include_%zu", id, i) : cli_format("%s_text", id);
        write_array(&embedded->items[i], array, file);
    }
    fprintf(file, "static const gputune_include %s_includes[] = {\n", id);
    for (size_t i = 1; i < embedded->count; i++) {
        fprintf(file, "    {\"%s\", %s_include_%zu},\n", embedded->items[i].name, id, i);
    }
    fprintf(file,
            "    {0, 0}};\n\n/* Adds the kernel to the tuner. */\n"
            "static inline int %s_add(gputune *tuner)\n{\n"
            "    return gputune_add_source(tuner, \"%s\", %s_text, %s_includes);\n}\n\n#endif\n",
            id, name, id, id);
}

static const cli_option embed_options[] = {
    CLI_OUTPUT_OPTION,
    CLI_OPTIONS_END,
};

static int embed_templates(const cli_list *arguments)
{
    embedded_files embedded;
    cli_output to;
    CLI_TRY(read_template(&embedded, arguments->items[0]));
    CLI_TRY(cli_output_open(&to, cli_given.output, true));
    write_header(&embedded, to.file);
    return cli_output_close(&to);
}

const cli_command cmd_embed = {
    "embed",
    "write a template as a C header, to compile into a program",
    "PATH",
    "Prints a template as a C header that a program is compiled with.",
    "Files that the template includes in quotes are embedded too, if they are beside it. A "
    "function of the header, axpy_cu_add(tuner) for axpy.cu, passes them to gputune_add_source().",
    {1, 1},
    embed_options,
    embed_templates};
