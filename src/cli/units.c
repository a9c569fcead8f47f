/* Writes times, rates and counts in units that a person reads. */
#include "cli/units.h"

#include "cli/memory.h"

#include "base/text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <time.h>

/* Four significant digits, no exponent. */
static char *scaled(double value, double step, const char *const *units, size_t count)
{
    size_t unit = 0;
    while (unit + 1 < count && fabs(value) >= step * 0.99995) {
        value /= step;
        unit++;
    }
    double size = fabs(value);
    int decimals = size >= 999.95 ? 0 : size >= 99.995 ? 1 : size >= 9.9995 ? 2 : 3;
    return cli_format("%.*f %s", decimals, value, units[unit]);
}

char *cli_duration(double ns)
{
    static const char *const units[] = {"ns", "µs", "ms", "s"};
    return scaled(ns, 1e3, units, 4);
}

char *cli_energy(double nj)
{
    static const char *const units[] = {"nJ", "µJ", "mJ", "J"};
    return scaled(nj, 1e3, units, 4);
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

/* "64M" for the digits of 67108864, or NULL when no suffix fits. */
static char *short_number(const char *digits, size_t length)
{
    char text[24];
    int64_t value;
    if (length == 0 || length >= sizeof text || strspn(digits, "0123456789") < length) {
        return NULL;
    }
    memcpy(text, digits, length);
    text[length] = '\0';
    if (gt_read_int(&value, text) != GT_INT_READ) {
        return NULL;
    }
    int suffix = -1;
    while (value && value % 1024 == 0 && suffix < 3) {
        value /= 1024;
        suffix++;
    }
    return suffix < 0 ? NULL : cli_format("%" PRId64 "%c", value, "KMGT"[suffix]);
}

char *cli_short_sizes(const char *sizes)
{
    char *out = cli_copy("");
    while (*sizes) {
        size_t name = strcspn(sizes, "= ") + (sizes[strcspn(sizes, "= ")] == '=');
        size_t value = strcspn(sizes + name, " ");
        char *number = short_number(sizes + name, value);
        cli_append(&out, "%.*s", (int)name, sizes);
        cli_append(&out, "%.*s", number ? (int)strlen(number) : (int)value,
                   number ? number : sizes + name);
        sizes += name + value;
        size_t blanks = strspn(sizes, " ");
        cli_append(&out, "%.*s", (int)blanks, sizes);
        sizes += blanks;
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
