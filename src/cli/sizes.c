/* Parses the text of --size and --only. */
#include "cli/sizes.h"

#include "cli/console.h"
#include "cli/options.h"

#include "base/text.h"

#include <ctype.h>
#include <string.h>

static bool is_name(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (!isalnum((unsigned char)text[i]) && text[i] != '_') {
            return false;
        }
    }
    return length > 0 && !isdigit((unsigned char)text[0]);
}

static cli_value_list *list_named(cli_values *values, const char *name, size_t length)
{
    for (size_t i = 0; i < values->count; i++) {
        cli_value_list *list = &values->lists[i];
        if (strlen(list->name) == length && strncmp(list->name, name, length) == 0) {
            return list;
        }
    }
    values->lists = cli_grow(values->lists, values->count, sizeof *values->lists);
    cli_value_list *list = &values->lists[values->count++];
    *list = (cli_value_list){cli_copy_part(name, length), NULL, 0};
    return list;
}

/* Shows the same with a blank in place of each comma that a name follows. */
static int fail_comma(const char *option, const char *text, size_t length)
{
    char *parted = cli_copy_part(text, length);
    char *comma = NULL;
    for (char *at = parted; *at; at++) {
        if (*at == '=' && comma) {
            *comma = ' ';
        }
        comma = *at == ',' ? at : *at == '=' ? NULL : comma;
    }
    return cli_stop(CLI_EXIT_USAGE,
                    "%s: '%.*s' has a second name behind a comma; separate names by blanks: '%s'",
                    option, (int)length, text, parted);
}

/* One NAME=V,V of `length` bytes. */
static int parse_assignment(cli_values *out, const char *option, const char *text, size_t length)
{
    const char *end = text + length, *equals = memchr(text, '=', length);
    if (!equals || !is_name(text, (size_t)(equals - text))) {
        return cli_stop(CLI_EXIT_USAGE, "%s: found '%.*s'; expected NAME=VALUE[,VALUE...]", option,
                        (int)length, text);
    }
    cli_value_list *list = list_named(out, text, (size_t)(equals - text));
    const char *start = equals + 1;
    for (;;) {
        const char *stop = memchr(start, ',', (size_t)(end - start));
        stop = stop ? stop : end;
        if (stop == start) {
            return cli_stop(CLI_EXIT_USAGE,
                            "%s: a value is missing in '%.*s'; expected NAME=VALUE[,VALUE...]",
                            option, (int)length, text);
        }
        if (memchr(start, '=', (size_t)(stop - start))) {
            return fail_comma(option, text, length);
        }
        list->values = cli_grow(list->values, list->count, sizeof *list->values);
        list->values[list->count++] = cli_copy_part(start, (size_t)(stop - start));
        if (stop == end) {
            return CLI_CONTINUE;
        }
        start = stop + 1;
    }
}

int cli_values_parse(cli_values *out, const char *option, const char *text)
{
    const char *blanks = " \t\n;";
    text += strspn(text, blanks);
    if (!*text) {
        return cli_stop(CLI_EXIT_USAGE, "%s: a value is missing; expected NAME=VALUE[,VALUE...]",
                        option);
    }
    while (*text) {
        size_t length = strcspn(text, blanks);
        CLI_TRY(parse_assignment(out, option, text, length));
        text += length;
        text += strspn(text, blanks);
    }
    return CLI_CONTINUE;
}

int cli_values_read(cli_values *out, const char *option, const cli_list *texts)
{
    for (size_t i = 0; i < texts->count; i++) {
        CLI_TRY(cli_values_parse(out, option, texts->items[i]));
    }
    return CLI_CONTINUE;
}

const cli_value_list *cli_values_find(const cli_values *values, const char *name)
{
    for (size_t i = 0; i < values->count; i++) {
        if (strcmp(values->lists[i].name, name) == 0) {
            return &values->lists[i];
        }
    }
    return NULL;
}

bool cli_size_number(int64_t *out, const char **problem, const char *text)
{
    int64_t value;
    *problem = "";
    if (!isdigit((unsigned char)text[*text == '-'])) {
        return false;
    }
    gt_int_reading reading = gt_read_int(&value, text);
    if (reading == GT_INT_MALFORMED) {
        *problem = "is not a number; write 1048576, 1M or 2^20";
        return false;
    }
    if (reading == GT_INT_TOO_LARGE || value < 0 || value > GT_SIZE_MAX) {
        *problem = "is out of range; a size is from 0 to 2^40";
        return false;
    }
    *out = value;
    return true;
}

int cli_size_make(gputune_size *out, const char *name, const char *value)
{
    int64_t number;
    const char *problem;
    if (cli_size_number(&number, &problem, value)) {
        *out = (gputune_size){name, number};
        return CLI_CONTINUE;
    }
    if (problem[0]) {
        return cli_stop(CLI_EXIT_USAGE, "size '%s=%s' %s", name, value, problem);
    }
    *out = (gputune_size){cli_format("%s=%s", name, value), 0};
    return CLI_CONTINUE;
}

bool cli_sizes_read(gputune_sizes *out, const char *text)
{
    cli_values values = {NULL, 0};
    if (text[strspn(text, " ")] && cli_values_parse(&values, "sizes", text) != CLI_CONTINUE) {
        return false;
    }
    gputune_size *sizes = cli_allocate(values.count + 1, sizeof *sizes);
    for (size_t i = 0; i < values.count; i++) {
        const cli_value_list *list = &values.lists[i];
        if (cli_size_make(&sizes[i], list->name, list->values[0]) != CLI_CONTINUE) {
            return false;
        }
    }
    *out = (gputune_sizes){values.count, sizes};
    return true;
}
