/* Reads the quoted includes of a text. */
#include "cli/included.h"

#include "cli/memory.h"

#include <string.h>

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
