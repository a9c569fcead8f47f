/* Compares the sizes and GPUs of stored results with those that a user requests. */
#include "base/selection.h"

#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct part {
    const char *name, *value;
    size_t name_length, value_length;
} part;

/* Reads the next value and advances *at. Both values of "n=1,2" have the name n. */
static bool next_part(part *out, const char **at)
{
    *at += strspn(*at, " ,");
    size_t length = gt_setting_length(*at, true);
    const char *equals = memchr(*at, '=', length);
    out->value = equals ? equals + 1 : *at;
    out->value_length = length - (size_t)(out->value - *at);
    if (equals) {
        out->name = *at;
        out->name_length = (size_t)(equals - *at);
    }
    *at += length;
    return length > 0;
}

static bool same_text(const char *a, size_t a_length, const char *b, size_t b_length)
{
    return a_length == b_length && strncmp(a, b, a_length) == 0;
}

static bool read_number(int64_t *out, const part *from)
{
    char text[48];
    int length = snprintf(text, sizeof text, "%.*s", (int)from->value_length, from->value);
    return length < (int)sizeof text && gt_read_int(out, text) == GT_INT_READ;
}

/* Skips the prefix of CUDA's type names: __half becomes half, __nv_bfloat16 becomes bfloat16. */
static part skip_prefix(const part *from)
{
    static const char vendor[] = "nv_";
    const char *end = from->value + from->value_length, *at = from->value;
    while (at < end && *at == '_') {
        at++;
    }
    at += end - at > 3 && strncmp(at, vendor, 3) == 0 ? 3 : 0;
    return (part){.value = at, .value_length = (size_t)(end - at)};
}

static bool is_in_range(const part *range, const part *wanted)
{
    char *colon;
    int64_t value, least = strtoll(range->value, &colon, 10);
    return *colon == ':' && read_number(&value, wanted) && least <= value &&
           value <= strtoll(colon + 1, NULL, 10);
}

static bool has_value(const char *sizes, const part *wanted, bool within)
{
    part own = {"", "", 0, 0};
    int64_t one, other;
    const part theirs = skip_prefix(wanted);
    while (next_part(&own, &sizes)) {
        const part mine = skip_prefix(&own);
        if (same_text(own.name, own.name_length, wanted->name, wanted->name_length) &&
            (same_text(mine.value, mine.value_length, theirs.value, theirs.value_length) ||
             (read_number(&one, &own) && read_number(&other, wanted) && one == other) ||
             (within && is_in_range(&own, wanted)))) {
            return true;
        }
    }
    return false;
}

bool gt_sizes_match(const char *sizes, const char *wanted, bool within)
{
    part one = {"", "", 0, 0};
    const char *name = NULL;
    bool fits = true; /* true if `sizes` has one of the wanted values of `name` */
    while (next_part(&one, &wanted)) {
        if (one.name != name && !fits) {
            return false;
        }
        fits = has_value(sizes, &one, within) || (one.name == name && fits);
        name = one.name;
    }
    return fits;
}

bool gt_gpu_matches(const char *gpu, const char *environment, const char *wanted)
{
    return strcmp(environment, wanted) == 0 || strcasestr(gpu, wanted);
}
