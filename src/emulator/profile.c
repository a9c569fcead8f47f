/* Reads a profile from text: the built-in ones, and what the environment changes in them. */
#include "emulator/profile.h"

#include "base/number.h"
#include "emulator/attributes.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Made by tools/embed from profiles/, ended by a NULL name. */
extern const struct embedded {
    const char *name, *text;
} emu_profiles[];

typedef enum field_kind { FIELD_NUMBER, FIELD_TEXT, FIELD_LIST } field_kind;

typedef struct field {
    const char *key;
    field_kind kind;
    size_t offset, bytes;
} field;

#define FIELD(kind, name)                                                                          \
    {                                                                                              \
#name, kind, offsetof(emu_profile, name), sizeof((emu_profile *)0)->name                   \
    }
#define NUMBER(name) FIELD(FIELD_NUMBER, name)

static const field fields[] = {FIELD(FIELD_TEXT, gpu_name),
                               FIELD(FIELD_LIST, carveout_kb),
                               FIELD(FIELD_LIST, gpc_multiprocessors),
                               NUMBER(driver_version),
                               NUMBER(total_memory_bytes),
                               NUMBER(unified_cache_bytes),
                               NUMBER(register_granularity),
                               NUMBER(cluster_size_portable),
                               NUMBER(cluster_size_max),
                               NUMBER(cluster_blocks_per_multiprocessor),
                               NUMBER(clock_hz),
                               NUMBER(dram_bytes_per_second),
                               NUMBER(l2_bytes_per_second),
                               NUMBER(l1_bytes_per_cycle),
                               NUMBER(copy_device_bytes_per_second),
                               NUMBER(copy_host_bytes_per_second),
                               NUMBER(copy_pageable_bytes_per_second),
                               NUMBER(dram_latency_cycles),
                               NUMBER(l2_latency_cycles),
                               NUMBER(l1_latency_cycles),
                               NUMBER(shared_latency_cycles),
                               NUMBER(cluster_latency_cycles),
                               NUMBER(cluster_bytes_per_cycle),
                               NUMBER(cluster_atomics_per_cycle),
                               NUMBER(constant_latency_cycles),
                               NUMBER(l2_port_bytes_per_cycle),
                               NUMBER(warp_launch_cycles),
                               NUMBER(block_latency_cycles),
                               NUMBER(alu_per_cycle),
                               NUMBER(fma_per_cycle),
                               NUMBER(fp64_per_cycle),
                               NUMBER(sfu_per_cycle),
                               NUMBER(ldst_per_cycle),
                               NUMBER(issue_per_cycle),
                               NUMBER(instruction_latency_cycles),
                               NUMBER(barrier_cycles),
                               NUMBER(cluster_barrier_cycles),
                               NUMBER(atomic_sectors_per_second),
                               NUMBER(atomic_same_address_ns),
                               NUMBER(shared_atomic_cycles),
                               NUMBER(block_launch_cycles),
                               NUMBER(cluster_launch_cycles),
                               NUMBER(kernel_fixed_ns),
                               NUMBER(graph_gap_ns),
                               NUMBER(graph_fixed_ns),
                               NUMBER(stream_gap_ns),
                               NUMBER(event_ns),
                               NUMBER(copy_fixed_ns),
                               NUMBER(set_fixed_ns),
                               NUMBER(host_call_ns),
                               NUMBER(host_launch_ns),
                               NUMBER(host_copy_ns),
                               NUMBER(host_sync_ns),
                               NUMBER(host_graph_launch_ns),
                               NUMBER(host_start_ns),
                               NUMBER(parameter_ns_per_kb)};

enum { FIELD_COUNT = sizeof fields / sizeof fields[0] };
_Static_assert(FIELD_COUNT <= 64, "one bit a field");

typedef struct attribute_name {
    const char *name;
    int number;
} attribute_name;

/* CUdevice_attribute, by the header's names. One that a profile leaves out answers 0, as a feature
 * that is absent does. */
static const attribute_name attributes[] = {
#define X(name, number) {#name, number},
    EMU_ATTRIBUTE_LIST(X)
#undef X
};
enum { ATTRIBUTE_COUNT = sizeof attributes / sizeof attributes[0] };

__attribute__((format(printf, 3, 4))) static bool fail(char *why, size_t why_bytes,
                                                       const char *format, ...)
{
    va_list args;
    va_start(args, format);
    gt_vsnprintf(why, why_bytes, format, args);
    va_end(args);
    return false;
}

static bool parse_number(double *out, const char *text)
{
    char *end;
    errno = 0;
    *out = gt_strtod(text, &end);
    while (isspace((unsigned char)*end)) {
        end++;
    }
    return end != text && !*end && !errno;
}

static bool parse_list(emu_list *out, const char *text)
{
    emu_list list = {0};
    char *end = NULL;
    for (const char *at = text; *at; at = end) {
        if (list.count == EMU_GPC_COUNT) {
            return false;
        }
        list.value[list.count++] = gt_strtod(at, &end);
        if (end == at) {
            return false;
        }
        while (isspace((unsigned char)*end)) {
            end++;
        }
    }
    *out = list;
    return list.count > 0;
}

static bool set_field(emu_profile *profile, const field *field, const char *value)
{
    void *at = (char *)profile + field->offset;
    if (field->kind == FIELD_NUMBER) {
        return parse_number(at, value);
    }
    if (field->kind == FIELD_LIST) {
        return parse_list(at, value);
    }
    size_t length = strlen(value);
    if (!length || length >= field->bytes) {
        return false;
    }
    memcpy(at, value, length + 1);
    return true;
}

static bool set_attribute(emu_profile *profile, int number, const char *value)
{
    double parsed;
    if (!parse_number(&parsed, value) || parsed < -2147483648.0 || parsed > 2147483647.0) {
        return false;
    }
    profile->attribute[number] = (int)parsed;
    return true;
}

static const field *find_field(const char *key)
{
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        if (!strcmp(fields[i].key, key)) {
            return &fields[i];
        }
    }
    return NULL;
}

static bool is_lower_case_of(const char *key, const char *name)
{
    while (*name && *key == (*name >= 'A' && *name <= 'Z' ? *name - 'A' + 'a' : *name)) {
        key++;
        name++;
    }
    return !*name && !*key;
}

static const attribute_name *find_attribute(const char *key)
{
    static const char prefix[] = "attribute.";
    if (strncmp(key, prefix, sizeof prefix - 1) != 0) {
        return NULL;
    }
    for (size_t i = 0; i < ATTRIBUTE_COUNT; i++) {
        if (is_lower_case_of(key + sizeof prefix - 1, attributes[i].name)) {
            return &attributes[i];
        }
    }
    return NULL;
}

static char *trim(char *text)
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

/* One `key = value`; `place` begins the message ("h200.profile:12"). */
static bool set(emu_profile *profile, const char *place, char *line, char *why, size_t why_bytes)
{
    char *equals = strchr(line, '=');
    if (!equals) {
        return fail(why, why_bytes, "%s: '%s' is not key = value", place, line);
    }
    *equals = '\0';
    const char *key = trim(line), *value = trim(equals + 1);
    const field *field = find_field(key);
    const attribute_name *attribute = field ? NULL : find_attribute(key);
    if (!field && !attribute) {
        return fail(why, why_bytes, "%s: no such key '%s'", place, key);
    }
    bool ok =
        field ? set_field(profile, field, value) : set_attribute(profile, attribute->number, value);
    if (field) {
        profile->fields_given |= UINT64_C(1) << (field - fields);
    }
    return ok || fail(why, why_bytes, "%s: '%s' is no value for %s", place, value, key);
}

static bool parse_lines(emu_profile *out, const char *name, char *text, char *why, size_t why_bytes)
{
    int number = 0;
    for (char *line = text; line; number++) {
        char *next = strchr(line, '\n');
        if (next) {
            *next++ = '\0';
        }
        line[strcspn(line, "#")] = '\0';
        char *content = trim(line);
        char place[80];
        snprintf(place, sizeof place, "%s.profile:%d", name, number + 1);
        if (*content && !set(out, place, content, why, why_bytes)) {
            return false;
        }
        line = next;
    }
    return true;
}

bool emu_profile_parse(emu_profile *out, const char *name, const char *text, char *why,
                       size_t why_bytes)
{
    char *copy = strdup(text);
    if (!copy) {
        return fail(why, why_bytes, "out of memory");
    }
    emu_profile profile = {0};
    snprintf(profile.name, sizeof profile.name, "%s", name);
    bool ok = parse_lines(&profile, name, copy, why, why_bytes);
    free(copy);
    if (ok) {
        *out = profile;
    }
    return ok;
}

static bool apply_overrides(emu_profile *profile, const char *overrides, char *why,
                            size_t why_bytes)
{
    char *copy = strdup(overrides), *rest = copy;
    if (!copy) {
        return fail(why, why_bytes, "out of memory");
    }
    bool ok = true;
    while (ok && rest && *trim(rest)) {
        char *item = strsep(&rest, ",");
        ok = set(profile, "GPUTUNE_EMU_SET", item, why, why_bytes);
    }
    free(copy);
    return ok;
}

static const struct embedded *find_text(const char *name)
{
    for (const struct embedded *text = emu_profiles; text->name; text++) {
        if (!strcasecmp(text->name, name)) {
            return text;
        }
    }
    return NULL;
}

static void list_names(char *out, size_t out_bytes)
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; emu_profiles[i].name && used < out_bytes; i++) {
        used += (size_t)snprintf(out + used, out_bytes - used, "%s%s", i ? ", " : "",
                                 emu_profiles[i].name);
    }
}

static bool check_complete(const emu_profile *profile, char *why, size_t why_bytes)
{
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        if (!(profile->fields_given >> i & 1)) {
            return fail(why, why_bytes, "%s.profile lacks '%s'", profile->name, fields[i].key);
        }
    }
    return true;
}

bool emu_profile_load(emu_profile *out, const char *name, const char *overrides, char *why,
                      size_t why_bytes)
{
    const char *wanted = name && *name ? name : "h200";
    const struct embedded *text = find_text(wanted);
    if (!text) {
        char names[128];
        list_names(names, sizeof names);
        return fail(why, why_bytes, "no emulator profile '%s'; there are: %s", wanted, names);
    }
    emu_profile profile = {0};
    if (!emu_profile_parse(&profile, text->name, text->text, why, why_bytes) ||
        !check_complete(&profile, why, why_bytes) ||
        (overrides && !apply_overrides(&profile, overrides, why, why_bytes))) {
        return false;
    }
    profile.slowness = 1;
    *out = profile;
    return true;
}

/* The devices of a list such as "h200,h200,a100". */
static int load_list(emu_profile *out, const char *list, char *why, size_t why_bytes)
{
    int count = 0;
    for (const char *rest = list; *rest; count++) {
        char name[32];
        size_t length = strcspn(rest, ",");
        if (count == EMU_DEVICES_MAX) {
            snprintf(why, why_bytes, "GPUTUNE_EMU_DEVICES: there are %d devices at most",
                     (int)EMU_DEVICES_MAX);
            return 0;
        }
        size_t name_length = strcspn(rest, ",*");
        snprintf(name, sizeof name, "%.*s", (int)name_length, rest);
        if (!emu_profile_load(&out[count], name, getenv("GPUTUNE_EMU_SET"), why, why_bytes)) {
            return 0;
        }
        if (name_length < length) {
            char *end;
            out[count].slowness = gt_strtod(rest + name_length + 1, &end);
            if (end != rest + length || !(out[count].slowness > 0)) {
                snprintf(why, why_bytes,
                         "GPUTUNE_EMU_DEVICES: found '%.*s'; expected a factor above 0 behind the "
                         "'*', as in h200*1.3",
                         (int)length, rest);
                return 0;
            }
        }
        rest += length + (rest[length] == ',');
    }
    return count;
}

int emu_profiles_from_environment(emu_profile out[EMU_DEVICES_MAX], const char *selected, char *why,
                                  size_t why_bytes)
{
    const char *name = selected && *selected ? selected : getenv("GPUTUNE_EMU_PROFILE");
    const char *driver = getenv("GPUTUNE_DRIVER"), *devices = getenv("GPUTUNE_EMU_DEVICES");
    if ((!name || !*name) && driver && !strncmp(driver, "emu:", 4)) {
        name = driver + 4;
    }
    if ((!name || !*name) && devices && *devices) {
        return load_list(out, devices, why, why_bytes);
    }
    return emu_profile_load(out, name, getenv("GPUTUNE_EMU_SET"), why, why_bytes);
}
