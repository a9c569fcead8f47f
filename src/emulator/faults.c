/* Parses GPUTUNE_EMU_FAULTS and counts driver calls. */
#include "emulator/faults.h"

#include "emulator/profile.h"

#include "base/number.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct rule {
    char name[64];
    int device; /* -1: any device */
    unsigned long nth;
    bool every;
    int code;
    double delay_ns;
    atomic_ulong uses;
} rule;

struct emu_faults {
    size_t count;
    rule rules[];
};

static const struct {
    const char *unit;
    double ns;
} units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};

static char *trim_blanks(char *text)
{
    while (isspace((unsigned char)*text)) {
        text++;
    }
    size_t length = strlen(text);
    while (length && isspace((unsigned char)text[length - 1])) {
        text[--length] = '\0';
    }
    return text;
}

static bool parse_count(unsigned long *out, const char *text)
{
    char *end;
    errno = 0;
    *out = isdigit((unsigned char)*text) ? strtoul(text, &end, 10) : 0;
    return *out > 0 && !errno && !*end;
}

static bool parse_delay(double *out, const char *text)
{
    char *end;
    double value = gt_strtod(text, &end);
    if (end == text || !(value >= 0 && value < 1e6)) {
        return false;
    }
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (!strcmp(end, units[i].unit)) {
            *out = value * units[i].ns;
            return true;
        }
    }
    return false;
}

static bool parse_effect(rule *out, const char *text)
{
    if (*text == '~') {
        return parse_delay(&out->delay_ns, text + 1);
    }
    unsigned long code;
    if (!parse_count(&code, text) || code > 999) {
        return false;
    }
    out->code = (int)code;
    return true;
}

/* Removes a device, such as "@1", from the end of a call's name. */
static bool parse_device(rule *out, char *name)
{
    char *sign = strchr(name, '@'), *end;
    out->device = -1;
    if (!sign) {
        return true;
    }
    *sign = '\0';
    out->device = (int)strtoul(sign + 1, &end, 10);
    return isdigit((unsigned char)sign[1]) && !*end && out->device < EMU_DEVICES_MAX;
}

static bool refuse_rule(char *why, size_t why_bytes, const char *item, const char *problem)
{
    snprintf(why, why_bytes, "GPUTUNE_EMU_FAULTS: '%s': %s", item, problem);
    return false;
}

static bool parse_rule(rule *out, char *text, bool (*knows)(const char *), char *why,
                       size_t why_bytes)
{
    char item[96];
    snprintf(item, sizeof item, "%s", text);
    char *colon = strchr(text, ':'), *equals = colon ? strchr(colon, '=') : NULL;
    if (!equals) {
        return refuse_rule(why, why_bytes, item,
                           "expected name:n=code, name:*n=code or name:n=~250ms");
    }
    *colon = *equals = '\0';
    const char *name = trim_blanks(text), *when = trim_blanks(colon + 1);
    if (!parse_device(out, text)) {
        return refuse_rule(why, why_bytes, item, "expected a device's number, from 0, after the @");
    }
    if (strlen(name) >= sizeof out->name || !knows(name)) {
        return refuse_rule(why, why_bytes, item, "no such driver call (use the name without _v2)");
    }
    memcpy(out->name, name, strlen(name) + 1);
    out->every = *when == '*';
    if (!parse_count(&out->nth, when + out->every)) {
        return refuse_rule(why, why_bytes, item,
                           "expected which call fails, a number from 1, or * and a number");
    }
    if (!parse_effect(out, trim_blanks(equals + 1))) {
        return refuse_rule(why, why_bytes, item,
                           "expected an error code from 1 to 999, or ~ and a time (~250ms)");
    }
    return true;
}

static size_t count_items(const char *script)
{
    size_t count = 1;
    for (; *script; script++) {
        count += *script == ',';
    }
    return count;
}

static bool parse_rules(emu_faults *faults, char *copy, bool (*knows)(const char *), char *why,
                        size_t why_bytes)
{
    for (char *rest = copy; rest;) {
        char *item = trim_blanks(strsep(&rest, ","));
        if (*item && !parse_rule(&faults->rules[faults->count++], item, knows, why, why_bytes)) {
            return false;
        }
    }
    return true;
}

bool emu_faults_parse(emu_faults **out, const char *script, bool (*knows)(const char *name),
                      char *why, size_t why_bytes)
{
    *out = NULL;
    if (!script || !script[strspn(script, " \t\n")]) {
        return true;
    }
    emu_faults *faults = calloc(1, sizeof *faults + count_items(script) * sizeof faults->rules[0]);
    char *copy = strdup(script);
    bool ok = faults && copy;
    if (!ok) {
        snprintf(why, why_bytes, "GPUTUNE_EMU_FAULTS: out of memory");
    }
    ok = ok && parse_rules(faults, copy, knows, why, why_bytes);
    free(copy);
    if (!ok) {
        free(faults);
        return false;
    }
    *out = faults;
    return true;
}

void emu_faults_free(emu_faults *faults)
{
    free(faults);
}

static bool rule_applies(rule *rule)
{
    unsigned long use = atomic_fetch_add(&rule->uses, 1) + 1;
    return rule->every ? use % rule->nth == 0 : use == rule->nth;
}

static void report_reached(void)
{
    const char *path = getenv("GPUTUNE_EMU_REACHED");
    int file = path ? open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600) : -1;
    if (file >= 0) {
        close(file);
    }
}

int emu_faults_next(emu_faults *faults, const char *name, int device, double *delay_ns)
{
    int code = 0;
    *delay_ns = 0;
    for (size_t i = 0; faults && i < faults->count; i++) {
        rule *rule = &faults->rules[i];
        bool is_here = rule->device < 0 || rule->device == device;
        if (strcmp(rule->name, name) != 0 || !is_here || !rule_applies(rule)) {
            continue;
        }
        report_reached();
        *delay_ns += rule->delay_ns;
        code = code ? code : rule->code;
    }
    return code;
}
