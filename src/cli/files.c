/* Writes output files, finds includes of templates, and formats JSON values. */
#include "cli/files.h"

#include "cli/console.h"

#include "base/number.h"
#include "base/text.h"

#include <errno.h>
#include <string.h>

int cli_output_open(cli_output *out, const char *path, bool replace)
{
    *out = (cli_output){stdout, {NULL}};
    if (!path) {
        return CLI_CONTINUE;
    }
    CLI_REFUSE(!replace && gt_file_exists(path), CLI_EXIT_USAGE,
               "'%s' already exists; --force replaces it", path);
    CLI_REFUSE(gt_output_open(&out->named, path) != GPUTUNE_OK, CLI_EXIT_NOTHING, "%s",
               gt_message());
    out->file = out->named.file;
    return CLI_CONTINUE;
}

int cli_output_close(cli_output *output)
{
    CLI_REFUSE(output->named.file && gt_output_close(&output->named) != GPUTUNE_OK,
               CLI_EXIT_NOTHING, "%s", gt_message());
    return CLI_EXIT_OK;
}

int cli_output_write(const char *path, bool replace, const void *bytes, size_t count)
{
    cli_output output;
    CLI_TRY(cli_output_open(&output, path, replace));
    (void)fwrite(bytes, 1, count, output.file);
    return cli_output_close(&output);
}

char *cli_next_include(const char **text)
{
    const char *at = *text + strspn(*text, " \t");
    *text += strcspn(*text, "\n");
    *text += **text == '\n';
    if (*at != '#') {
        return NULL;
    }
    at += 1 + strspn(at + 1, " \t");
    if (strncmp(at, "include", strlen("include")) != 0) {
        return NULL;
    }
    at += strlen("include");
    at += strspn(at, " \t");
    size_t length = *at == '"' ? strcspn(at + 1, "\"\n") : 0;
    return length && at[1 + length] == '"' ? cli_copy_part(at + 1, length) : NULL;
}

char *cli_path_beside(const char *from, const char *name)
{
    const char *slash = strrchr(from, '/');
    return name[0] == '/' || !slash ? cli_copy(name)
                                    : cli_format("%.*s/%s", (int)(slash - from), from, name);
}

char *cli_json_number(double value)
{
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        gt_snprintf(text, sizeof text, "%.*g", digits, value);
        if (gt_strtod(text, NULL) == value) {
            break;
        }
    }
    return cli_copy(text);
}

char *cli_json_text(const char *text)
{
    static const char escaped[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
    const char *at = text ? text : "", *end = at + strlen(at);
    char *out = cli_allocate(6 * strlen(at) + 3, 1), *to = out;
    *to++ = '"';
    for (int length; at < end; at += length) {
        const char *known = strchr(escaped, *at);
        length = gt_utf8_length(at, end);
        if (length == 0) {
            return cli_copy("\"\"");
        }
        if (known) {
            *to++ = '\\';
            *to++ = letters[known - escaped];
        } else if ((unsigned char)*at < 0x20) {
            to += snprintf(to, 7, "\\u%04X", (unsigned)*at);
        } else {
            to = (char *)memcpy(to, at, (size_t)length) + length;
        }
    }
    *to = '"';
    return out;
}
