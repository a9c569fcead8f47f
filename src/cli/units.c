/* Writes times, rates and counts in units that a person reads. */
#include "cli/units.h"

#include "cli/memory.h"

#include "base/text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <time.h>

/* Four significant digits, no exponent. */
static char *scaled(double value, const char *const units[4])
{
    size_t unit = 0;
    while (unit < 3 && fabs(value) >= 999.95) {
        value /= 1e3;
        unit++;
    }
    double size = fabs(value);
    int decimals = size >= 999.95 ? 0 : size >= 99.995 ? 1 : size >= 9.9995 ? 2 : 3;
    return cli_format("%.*f %s", decimals, value, units[unit]);
}

char *cli_duration(double ns)
{
    return scaled(ns, (const char *const[]){"ns", "µs", "ms", "s"});
}

char *cli_energy(double nj)
{
    return scaled(nj, (const char *const[]){"nJ", "µJ", "mJ", "J"});
}

char *cli_value(double value, gputune_objective objective)
{
    return objective == GPUTUNE_OBJECTIVE_ENERGY ? cli_energy(value) : cli_duration(value);
}

char *cli_speedup(double speedup, double low, double high)
{
    return low > 0 ? cli_format("%.3fx [%.3f, %.3f]", speedup, low, high)
                   : cli_format("%.3fx", speedup);
}

char *cli_rate(double bytes_per_s)
{
    double gigabytes = bytes_per_s / 1e9;
    return cli_format("%.*f GB/s", gigabytes >= 100 ? 0 : gigabytes >= 10 ? 1 : 2, gigabytes);
}

char *cli_bytes(double bytes)
{
    static const char *const units[] = {"B", "KB", "MB", "GB", "TB"};
    size_t unit = 0;
    while (unit < 4 && bytes >= 1024) {
        bytes /= 1024;
        unit++;
    }
    return cli_format("%.*f %s", bytes == floor(bytes) ? 0 : 1, bytes, units[unit]);
}

/* "64M" for 67108864; the text itself when no suffix fits. */
static const char *short_number(const char *text)
{
    int64_t value;
    if (text[strspn(text, "0123456789")] || gt_read_int(&value, text) != GT_INT_READ) {
        return text;
    }
    int suffix = -1;
    while (value && value % 1024 == 0 && suffix < 3) {
        value /= 1024;
        suffix++;
    }
    return suffix < 0 ? text : cli_format("%" PRId64 "%c", value, "KMGT"[suffix]);
}

bool cli_next_pair(const char **text, char **name, char **value)
{
    const char *word = *text + strspn(*text, " ");
    size_t length = strcspn(word, " "), end = strcspn(word, "= ");
    *text = word + length;
    *name = cli_copy_part(word, end);
    *value = cli_copy_part(word + end + (end < length), length - end - (end < length));
    return length > 0;
}

char *cli_short_sizes(const char *sizes)
{
    char *out = cli_copy(""), *name, *value;
    while (cli_next_pair(&sizes, &name, &value)) {
        cli_append(&out, "%s%s%s%s", out[0] ? " " : "", name, value[0] ? "=" : "",
                   short_number(value));
    }
    return out;
}

int64_t cli_seconds(const char *created)
{
    struct tm utc = {0};
    return created && strptime(created, "%Y-%m-%dT%H:%M:%SZ", &utc) ? timegm(&utc) : 0;
}

char *cli_bar(double share, size_t cells)
{
    static const char *const ends[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    size_t eighths = share > 0 ? (size_t)ceil(fmin(share, 1) * (double)cells * 8 - 1e-9) : 0;
    char *out = cli_copy("");
    for (size_t i = 0; i < eighths / 8; i++) {
        cli_append(&out, "█");
    }
    cli_append(&out, "%s", ends[eighths % 8]);
    return out;
}

size_t cli_columns(const char *text)
{
    size_t columns = 0;
    for (; *text; text++) {
        columns += ((unsigned char)*text & 0xC0) != 0x80;
    }
    return columns;
}
