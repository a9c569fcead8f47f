/* Passes lines to the caller's log function. */
#include "base/log.h"

#include "base/number.h"

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
    gt_one_line(line);
    log->call(log->user, level, line);
}
