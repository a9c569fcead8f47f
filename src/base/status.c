/* Names of status codes, and the last message of each thread. */
#include "base/status.h"

#include "base/number.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char message[1024];

void gt_one_line(char *text)
{
    for (char *c = text; *c; c++) {
        if (*c == '\n' || *c == '\r') {
            *c = ' ';
        }
    }
}

void gt_message_set(const char *format, ...)
{
    int kept = errno;
    char text[sizeof message]; /* the arguments may hold the old message */
    va_list args;
    va_start(args, format);
    gt_vsnprintf(text, sizeof text, format, args);
    va_end(args);
    gt_one_line(text);
    memcpy(message, text, sizeof message);
    errno = kept;
}

void gt_message_prefix(const char *format, ...)
{
    int kept = errno;
    char prefix[256], text[sizeof prefix + sizeof message + 2];
    va_list args;
    va_start(args, format);
    gt_vsnprintf(prefix, sizeof prefix, format, args);
    va_end(args);
    snprintf(text, sizeof text, "%s: %s", prefix, message);
    gt_one_line(text);
    text[sizeof message - 1] = '\0';
    memcpy(message, text, sizeof message);
    errno = kept;
}

const char *gt_message(void)
{
    return message;
}

static const struct {
    int value;
    const char *name, *text;
} table[] = {
#define ROW(name, value, text) {value, #name, text},
    GPUTUNE_STATUS_LIST(ROW)
#undef ROW
};

const char *gt_status_name(int status)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (table[i].value == status) {
            return table[i].name;
        }
    }
    return "?";
}

const char *gputune_status_text(int status)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (table[i].value == status) {
            return table[i].text;
        }
    }
    return "unknown status";
}

const char *gputune_error(void)
{
    return message;
}
