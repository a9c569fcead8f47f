/* Names of status codes, and each thread's last message. */
#include "base/status.h"

#include "base/number.h"

#include <errno.h>
#include <string.h>

static _Thread_local char message[1024];

static void put_on_one_line(char *text)
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
    char text[sizeof message]; /* a copy, because the arguments may contain the old message */
    va_list args;
    va_start(args, format);
    gt_vsnprintf(text, sizeof text, format, args);
    va_end(args);
    put_on_one_line(text);
    memcpy(message, text, sizeof text);
    errno = kept;
}

void gt_message_prefix(const char *format, ...)
{
    int kept = errno;
    char prefix[256];
    va_list args;
    va_start(args, format);
    gt_vsnprintf(prefix, sizeof prefix, format, args);
    va_end(args);
    errno = kept;
    gt_message_set("%s: %s", prefix, gt_message());
}

const char *gt_message(void)
{
    return message;
}

void gt_log_line(const gt_log *log, gputune_log_level level, const char *format, ...)
{
    if (!log || !log->call) {
        return;
    }
    char line[1024];
    va_list args;
    va_start(args, format);
    gt_vsnprintf(line, sizeof line, format, args);
    va_end(args);
    put_on_one_line(line);
    char kept[sizeof message]; /* the callback may call functions that set the message */
    memcpy(kept, message, sizeof kept);
    log->call(log->user, level, line);
    memcpy(message, kept, sizeof kept);
}

typedef struct code {
    int value;
    const char *name, *text;
} code;

static code find_code(int status)
{
    static const code table[] = {
#define ROW(name, value, text) {value, #name, text},
        GPUTUNE_STATUS_LIST(ROW)
#undef ROW
    };
    size_t i = 0;
    while (i < sizeof table / sizeof *table && table[i].value != status) {
        i++;
    }
    return i < sizeof table / sizeof *table ? table[i] : (code){0, "?", "unknown status"};
}

const char *gt_status_name(int status)
{
    return find_code(status).name;
}

const char *gputune_status_text(int status)
{
    return find_code(status).text;
}

const char *gputune_error(void)
{
    return gt_message();
}
