/* gputune's command line: finds the command and runs it. */
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/exit_code.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *description;
} command;

static int cmd_help(int argc, char **argv);
extern const char cli_template_language[]; /* made by tools/language */

static const command commands[] = {
    {"warm", cmd_warm, "tune kernels and remember the winners"},
    {"show", cmd_show, "what is remembered"},
    {"run", cmd_run, "check and measure configurations of a kernel"},
    {"check", cmd_check, "mistakes of a kernel's variants, found without a GPU"},
    {"compare", cmd_compare, "which of two configurations is faster, or of two databases"},
    {"kernels", cmd_kernels, "what there is to tune"},
    {"space", cmd_space, "a kernel's axes, and what excludes variants"},
    {"emit", cmd_emit, "the code of one configuration"},
    {"embed", cmd_embed, "a template as a header to compile a program with"},
    {"template", cmd_template, "a first template from a kernel that has none"},
    {"devices", cmd_devices, "the GPUs there are"},
    {"doctor", cmd_doctor, "what is wrong here, and what to do about it"},
    {"forget", cmd_forget, "drop what is stored of a kernel"},
    {"prune", cmd_prune, "drop what was measured before templates were edited, or is old"},
    {"merge", cmd_merge, "several databases as one"},
    {"replay", cmd_replay, "run search strategies against recorded spaces"},
    {"wisdom", cmd_wisdom, "winners as text, from one database to another"},
    {"report", cmd_report, "what was measured, as a page to look at"},
    {"export", cmd_export, "what was measured, as other tools' files"},
    {"help", cmd_help, "this text, or a command's"},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static void print_usage(FILE *file)
{
    fputs("usage: gputune COMMAND [options] [arguments], or gputune --version\n\n", file);
    for (size_t i = 0; i < COMMANDS; i++) {
        fprintf(file, "  %-10s %s\n", commands[i].name, commands[i].description);
    }
    fputs("\n'gputune help COMMAND' says more; 'gputune help template': how one is written.\n",
          file);
}

static const command *find(const char *name)
{
    for (size_t i = 0; i < COMMANDS; i++) {
        if (strcmp(commands[i].name, name) == 0) {
            return &commands[i];
        }
    }
    const char *names[COMMANDS];
    for (size_t i = 0; i < COMMANDS; i++) {
        names[i] = commands[i].name;
    }
    cli_unknown("command", name, names, COMMANDS);
    return NULL;
}

/* For completions: each command with a tab before what it is for. */
static void list_commands(void)
{
    for (size_t i = 0; i < COMMANDS; i++) {
        printf("%s\t%s\n", commands[i].name, commands[i].description);
    }
}

static int cmd_help(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--options") == 0) {
        list_commands();
        return CLI_EXIT_OK;
    }
    if (argc < 2 || argv[1][0] == '-') {
        print_usage(stdout);
        return CLI_EXIT_OK;
    }
    if (strcmp(argv[1], "template") == 0) {
        fputs(cli_template_language, stdout);
        return CLI_EXIT_OK;
    }
    const command *about = find(argv[1]);
    if (!about) {
        return CLI_EXIT_USAGE;
    }
    char name[16], option[] = "--help";
    snprintf(name, sizeof name, "%s", about->name);
    char *arguments[] = {name, option, NULL};
    return about->run(2, arguments);
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        print_usage(stderr);
        return CLI_EXIT_USAGE;
    }
    const char *word = argv[1];
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
        printf("gputune %s\n", gputune_version());
        return CLI_EXIT_OK;
    }
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        print_usage(stdout);
        return CLI_EXIT_OK;
    }
    const command *command = find(word);
    return command ? command->run(argc - 1, argv + 1) : CLI_EXIT_USAGE;
}

/* Where a standard descriptor is closed, the next file that is opened (a database) would take its
 * number, and output would be written into it. Writing to a closed stdout is to fail as on a full
 * disk. */
static void fill_descriptors(void)
{
    for (int i = 0; i <= STDERR_FILENO; i++) {
        if (fcntl(i, F_GETFD) < 0 &&
            open("/dev/null", i == STDOUT_FILENO ? O_RDONLY : O_RDWR) < 0) {
            _exit(CLI_EXIT_NOTHING);
        }
    }
}

/* These are for programs that know nothing of them; here the command line says it. */
static void forget_orders(void)
{
    static const char *const names[] = {"GPUTUNE_DEBUG",  "GPUTUNE_DISABLE", "GPUTUNE_FORCE",
                                        "GPUTUNE_EFFORT", "GPUTUNE_RECORD",  "GPUTUNE_LOG"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        unsetenv(names[i]);
    }
}

int main(int argc, char **argv)
{
    fill_descriptors();
    if (argc < 2 || strcmp(argv[1], "doctor") != 0) { /* which tells of them */
        forget_orders();
    }
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_IGN); /* a file over its limit is a failed write */
    int code = dispatch(argc, argv);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        cli_error("cannot write to standard output");
        code = code ? code : CLI_EXIT_NOTHING;
    }
    fflush(stderr);
    _exit(code); /* everything is closed; a CUDA driver's own exit handlers take tens of ms */
}
