/* gputune's command line: finds the command and runs it. */
#include "cli/scenarios.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const char cli_template_page[], cli_template_text[]; /* made by tools/language */

/* The commands in the order of the help. */
static const struct {
    const char *group; /* title of a group that begins here; NULL: the previous group continues */
    const cli_command *command;
} commands[] = {{"tune", &cmd_warm},    {NULL, &cmd_run},         {NULL, &cmd_compare},
                {NULL, &cmd_template},  {"inspect", &cmd_show},   {NULL, &cmd_report},
                {NULL, &cmd_kernels},   {NULL, &cmd_space},       {NULL, &cmd_emit},
                {"verify", &cmd_check}, {NULL, &cmd_doctor},      {NULL, &cmd_devices},
                {"share", &cmd_wisdom}, {NULL, &cmd_merge},       {NULL, &cmd_export},
                {NULL, &cmd_embed},     {"maintain", &cmd_forget}};
enum { COMMANDS = sizeof commands / sizeof *commands };
static const char help_description[] = "print this text, or the help of a command";

static void print_usage(FILE *file)
{
    fputs("usage: gputune COMMAND [options] [arguments], or gputune --version\n\n", file);
    for (size_t i = 0; i < COMMANDS; i++) {
        const cli_command *one = commands[i].command;
        const char *group = commands[i].group;
        fprintf(file, "  %-8s  %-8s  %s\n", group ? group : "", one->name, one->description);
    }
    fprintf(file, "  %-8s  %-8s  %s\n", "", "help", help_description);
    fputs("\n'gputune help COMMAND' describes a command, 'gputune help template' the language of "
          "templates.\n",
          file);
}

/* Finds a command by its name. Prints a message and returns NULL if there is no such command. */
static const cli_command *find_command(const char *name)
{
    const char *names[COMMANDS + 1];
    for (size_t i = 0; i < COMMANDS; i++) {
        names[i] = commands[i].command->name;
        if (strcmp(names[i], name) == 0) {
            return commands[i].command;
        }
    }
    names[COMMANDS] = "help";
    cli_unknown("command", name, names, COMMANDS + 1);
    return NULL;
}

/* Prints the lines that describe a clause of the template language, and the lines indented below
 * them. */
static int help_clause(const char *clause)
{
    bool is_its = false, any = false;
    const size_t length = strlen(clause);
    if (strcmp(clause, "all") == 0) {
        fputs(cli_template_text, stdout);
        return CLI_EXIT_OK;
    }
    for (const char *line = cli_template_text, *end; *line; line = end) {
        end = line + strcspn(line, "\n");
        end += *end == '\n';
        if (strncmp(line, "    ", 4) != 0) {
            is_its = false;
            for (const char *at = line; strncmp(line, "  ", 2) == 0 && at < end; at++) {
                is_its |= at[-1] == ' ' && strncmp(at, clause, length) == 0 && at[length] == '(';
            }
        }
        any |= is_its;
        printf("%.*s", is_its ? (int)(end - line) : 0, line);
    }
    if (!any) {
        cli_error("no clause '%s'; 'gputune help template' lists them", clause);
    }
    return any ? CLI_EXIT_OK : CLI_EXIT_USAGE;
}

/* Prints the help of a command. Without a word, prints the list of commands; with "--options",
 * prints it for completions. */
static int print_help(const char *word, const char *clause)
{
    if (word && strcmp(word, "--options") == 0) {
        for (size_t i = 0; i < COMMANDS; i++) {
            printf("%s\t%s\n", commands[i].command->name, commands[i].command->description);
        }
        printf("help\t%s\n", help_description);
    } else if (!word || word[0] == '-' || strcmp(word, "help") == 0) {
        print_usage(stdout);
    } else if (strcmp(word, "template") == 0 && clause) {
        return help_clause(clause);
    } else if (strcmp(word, "template") == 0) {
        fputs(cli_template_page, stdout);
    } else {
        const cli_command *about = find_command(word);
        if (!about) {
            return CLI_EXIT_USAGE;
        }
        cli_help(about);
    }
    return CLI_EXIT_OK;
}

static int run_command(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "";
    if (argc < 2) {
        print_usage(stderr);
        return CLI_EXIT_USAGE;
    }
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
        printf("gputune %s\n", gputune_version());
        return CLI_EXIT_OK;
    }
    if (strcmp(word, "help") == 0 || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        return print_help(word[0] == 'h' ? argv[2] : NULL, argc > 3 ? argv[3] : NULL);
    }
    const cli_command *command = find_command(word);
    cli_list arguments;
    if (!command) {
        return CLI_EXIT_USAGE;
    }
    CLI_TRY(cli_parse(&arguments, command, argc - 1, argv + 1));
    return command->run(&arguments);
}

/* Opens standard descriptors that are closed. Otherwise the next file, perhaps a database, would
 * get such a number and receive output. Writing to such a stdout fails as on a full disk. */
static void fill_descriptors(void)
{
    for (int i = 0; i <= STDERR_FILENO; i++) {
        if (fcntl(i, F_GETFD) < 0 &&
            open("/dev/null", i == STDOUT_FILENO ? O_RDONLY : O_RDWR) < 0) {
            _exit(CLI_EXIT_NOTHING);
        }
    }
}

int main(int argc, char **argv)
{
    /* Variables for which commands have options. The doctor command reports them. */
    static const char *const unset[] = {"GPUTUNE_DEBUG",  "GPUTUNE_DISABLE", "GPUTUNE_FORCE",
                                        "GPUTUNE_EFFORT", "GPUTUNE_RECORD",  "GPUTUNE_LOG",
                                        "GPUTUNE_PINNED"};
    bool is_doctor = argc > 1 && strcmp(argv[1], "doctor") == 0;
    for (size_t i = 0; i < sizeof unset / sizeof *unset && !is_doctor; i++) {
        unsetenv(unset[i]);
    }
    fill_descriptors();
    cli_given.words = argv;
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_IGN); /* lets a write beyond the file size limit fail */
    cli_tuning_words();
    int code = run_command(argc, argv);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        cli_error("cannot write to standard output");
        code = code ? code : CLI_EXIT_NOTHING;
    }
    fflush(stderr);
    _exit(code); /* skips the exit handlers of the CUDA driver, which take tens of ms */
}
