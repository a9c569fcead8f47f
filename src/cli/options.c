/* Parses options by a command's table of options, and prints the help from the same table. */
#include "cli/options.h"

#include "cli/console.h"
#include "cli/table.h"

#include "base/number.h"
#include "base/text.h"

#include <ctype.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct cli_given cli_given;

enum { MOST_OPTIONS = 48, FIRST_VALUE = 256, LIST_OPTIONS = 1, PAGE_COLUMNS = 80 };

/* Returns, for example, "-s, --size NAME=V[,V...]". */
static char *option_heading(const cli_option *option)
{
    char *text = option->letter ? cli_format("-%c, --%s", option->letter, option->name)
                                : cli_format("    --%s", option->name);
    if (option->argument) {
        cli_append(&text, " %s", option->argument);
    }
    for (size_t i = 0; option->choices && option->choices[i]; i++) {
        cli_append(&text, "%s%s", i ? "|" : " ", option->choices[i]);
    }
    return text;
}

void cli_print_folded(const char *text, size_t at)
{
    for (size_t taken, skipped; *text; text += taken + skipped) {
        taken = cli_fold(text, PAGE_COLUMNS - at, &skipped);
        printf("%.*s\n", (int)taken, text);
        printf("%*s", text[taken + skipped] ? (int)at : 0, "");
    }
}

static void print_option(const char *heading, const char *help)
{
    enum { INDENT = 28 };
    printf("  %-*s", INDENT - 2, heading);
    if (strlen(heading) > INDENT - 3) {
        printf("\n%*s", INDENT, "");
    }
    cli_print_folded(help, INDENT);
}

static char *usage_of(const cli_command *command)
{
    return cli_format("usage: gputune %s [options]%s%s", command->name,
                      command->arguments[0] ? " " : "", command->arguments);
}

void cli_help(const cli_command *command)
{
    cli_print_folded(usage_of(command), 0);
    putchar('\n');
    cli_print_folded(command->summary, 0);
    puts("\noptions:");
    for (const cli_option *option = command->options; option->name; option++) {
        print_option(option_heading(option), option->help);
    }
    print_option("-h, --help", "this text");
    const char *text = command->more ? command->more : "";
    fputs(*text ? "\n" : "", stdout);
    for (size_t length; *text; text += length + (text[length] == '\n')) {
        /* in an indented line, fold only the description that follows the word */
        length = strcspn(text, "\n");
        char *line = cli_copy_part(text, length), *gap = strstr(line + strspn(line, " "), "  ");
        size_t indent = line[0] == ' ' && gap ? (size_t)(gap - line) + strspn(gap, " ") : 0;
        printf("%.*s", (int)indent, line);
        cli_print_folded(line + indent, indent);
    }
}

/* Prints a line for each option: name, letter, argument, choices and purpose (the first part of the
 * help), separated by tabs.
 * The last line describes the command's arguments. Shell completions read this list. */
static void list_options(const cli_command *command)
{
    for (const cli_option *option = command->options; option->name; option++) {
        const char letter[] = {'-', option->letter, '\0'};
        printf("--%s\t%s\t%s\t", option->name, option->letter ? letter : "",
               option->argument ? option->argument : "");
        for (size_t i = 0; option->choices && option->choices[i]; i++) {
            printf("%s%s", i ? " " : "", option->choices[i]);
        }
        printf("\t%.*s\n", (int)strcspn(option->help, ";"), option->help);
    }
    printf("--help\t-h\t\t\tthis text\n\t\t%s\t\t\n", command->arguments);
}

static int set_integer(const cli_option *option, const char *text)
{
    int64_t value;
    bool bytes = option->kind == CLI_OPTION_BYTES;
    bool is_good = gt_read_int(&value, text) == GT_INT_READ && value >= bytes &&
                   (bytes || value <= UINT32_MAX);
    CLI_REFUSE(!is_good, CLI_EXIT_USAGE, "--%s: '%s' is not %s", option->name, text,
               bytes ? "a number of bytes; write 100M or 1G" : "a count from 0 to 4294967295");
    if (bytes) {
        *(uint64_t *)option->value = (uint64_t)value;
    } else {
        *(uint32_t *)option->value = (uint32_t)value;
    }
    return CLI_CONTINUE;
}

static int set_number(const cli_option *option, const char *text)
{
    char *end;
    double value = gt_strtod(text, &end);
    bool is_bad = end == text || *end || !isfinite(value) || value <= 0;
    CLI_REFUSE(is_bad, CLI_EXIT_USAGE, "--%s: '%s' is %s", option->name, text,
               value == INFINITY ? "out of range; expected less than 1e308"
                                 : "not a positive number");
    *(double *)option->value = value;
    return CLI_CONTINUE;
}

static int set_choice(const cli_option *option, const char *text)
{
    size_t count = 0;
    while (option->choices[count]) {
        count++;
    }
    size_t index = gt_index_of(text, option->choices, count);
    if (index < count) {
        *(int *)option->value = (int)index;
        return CLI_CONTINUE;
    }
    return cli_unknown(cli_format("value of --%s", option->name), text, option->choices, count);
}

static cli_list given;

bool cli_is_given(const char *name)
{
    return gt_index_of(name, given.items, given.count) < given.count;
}

static int set_option(const cli_option *option, const char *text)
{
    cli_list *list;
    cli_add(&given, option->name);
    switch (option->kind) {
    case CLI_OPTION_FLAG:
        *(bool *)option->value = true;
        return CLI_CONTINUE;
    case CLI_OPTION_TEXT:
        *(const char **)option->value = text;
        return CLI_CONTINUE;
    case CLI_OPTION_LIST:
        list = option->value;
        cli_add(list, text);
        return CLI_CONTINUE;
    case CLI_OPTION_COUNT:
    case CLI_OPTION_BYTES:
        return set_integer(option, text);
    case CLI_OPTION_NUMBER:
        return set_number(option, text);
    case CLI_OPTION_CHOICE:
        return set_choice(option, text);
    }
    return CLI_CONTINUE;
}

static int unknown_option(const cli_command *command, const char *given)
{
    const char *names[MOST_OPTIONS];
    size_t count = 0, dashes = strspn(given, "-");
    for (; command->options[count].name; count++) {
        names[count] = command->options[count].name;
    }
    names[count++] = "help";
    char *word = cli_copy_part(given + dashes, strcspn(given, "=") - dashes);
    const char *nearest = gt_nearest(word, names, count);
    return cli_stop(CLI_EXIT_USAGE, "%s: unknown option '%s'; %s %s%s'%s", command->name, given,
                    nearest ? "did you mean" : "see", nearest ? "'--" : "'gputune help ",
                    nearest ? nearest : command->name, nearest ? "?" : "");
}

/* Fills the tables of getopt_long(). The value of the i-th option is FIRST_VALUE + i. */
static void fill_getopt(struct option *longs, char *letters, const cli_option *options)
{
    size_t count = 0;
    *letters++ = ':';
    *letters++ = 'h';
    for (size_t i = 0; options[i].name; i++, count++) {
        int has = options[i].kind == CLI_OPTION_FLAG ? no_argument : required_argument;
        longs[i] = (struct option){options[i].name, has, NULL, FIRST_VALUE + (int)i};
        if (options[i].letter) {
            *letters++ = options[i].letter;
            *letters = ':';
            letters += has == required_argument;
        }
    }
    *letters = '\0';
    longs[count] = (struct option){"help", no_argument, NULL, 'h'};
    longs[count + 1] = (struct option){"options", no_argument, NULL, LIST_OPTIONS};
    longs[count + 2] = (struct option){NULL, 0, NULL, 0};
}

static int parse_options(const cli_command *command, int argc, char **argv)
{
    struct option longs[MOST_OPTIONS + 3];
    char letters[2 * MOST_OPTIONS + 4];
    fill_getopt(longs, letters, command->options);
    optind = 0;
    opterr = 0;
    for (;;) {
        int value = getopt_long(argc, argv, letters, longs, NULL);
        if (value < 0) {
            return CLI_CONTINUE;
        }
        if (value == 'h') {
            cli_help(command);
            return CLI_EXIT_OK;
        }
        if (value == LIST_OPTIONS) {
            list_options(command);
            return CLI_EXIT_OK;
        }
        CLI_REFUSE(value == ':', CLI_EXIT_USAGE, "%s: '%s' needs a value", command->name,
                   argv[optind - 1]);
        const cli_option *option = command->options;
        while (option->name && option->letter != value &&
               value != FIRST_VALUE + (int)(option - command->options)) {
            option++;
        }
        if (!option->name) { /* in a word such as -qx, only optopt names the unknown letter */
            bool is_letter = optopt < FIRST_VALUE && isgraph(optopt) && optopt != 'h';
            return unknown_option(command,
                                  is_letter ? cli_format("-%c", optopt) : argv[optind - 1]);
        }
        CLI_TRY(set_option(option, optarg));
    }
}

int cli_parse(cli_list *out, const cli_command *command, int argc, char **argv)
{
    CLI_TRY(parse_options(command, argc, argv));
    cli_list arguments = {(const char **)argv + optind, (size_t)(argc - optind)};
    CLI_REFUSE(arguments.count < command->takes.least || arguments.count > command->takes.most,
               CLI_EXIT_USAGE, "%s: %s; %s", command->name,
               arguments.count < command->takes.least ? "an argument is missing"
                                                      : "too many arguments",
               usage_of(command));
    *out = arguments;
    return CLI_CONTINUE;
}
