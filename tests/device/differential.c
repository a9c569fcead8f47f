/* Runs the same PTX with the same inputs on a GPU and in the emulator: opcode families, small
 * programs, and variants of every template that comes with gputune. Results must be bit-equal if
 * PTX defines them, and otherwise within the documented error of the approximation.
 *
 *   differential [--self] [--only TEXT] [--dump FOLDER] [--templates FOLDER]
 *
 * --self compares the emulator with itself, for machines without a GPU. The exit code is 0 if all
 * results agree or there is no GPU ("skipped"), 1 if some differ, 2 for usage. Details go to
 * stderr. */
#include "op_cases.h"
#include "programs.h"
#include "template_cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct session {
    pair both;
    const char *only, *templates;
    bool self, failed;
    tally total;
} session;

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static bool wanted(const session *s, const char *name)
{
    return !s->only || strstr(name, s->only);
}

static void begin(const char *name)
{
    fprintf(stderr, "%s\n", name);
}

static void report(session *s, const char *name, const tally *counts, double began)
{
    bool good = counts->mismatches == 0 && counts->refused == 0;
    printf("%-28s %6llu %10llu %10llu %8llu %10llu %9.1e %6.1f  %s\n", name,
           (unsigned long long)counts->cases, (unsigned long long)counts->results,
           (unsigned long long)counts->mismatches, (unsigned long long)counts->refused,
           (unsigned long long)counts->nan_bits, counts->largest, seconds() - began,
           good ? "ok" : "DIFFERS");
    if (counts->first[0]) {
        printf("    first: %s\n", counts->first);
    }
    if (counts->refusal[0]) {
        printf("    refused: %s\n", counts->refusal);
    }
    fflush(stdout);
    s->failed |= !good;
    s->total.cases += counts->cases;
    s->total.results += counts->results;
    s->total.mismatches += counts->mismatches;
    s->total.refused += counts->refused;
}

static void run_families(session *s)
{
    for (size_t i = 0; i < op_family_count; i++) {
        const op_family *family = &op_families[i];
        if (!wanted(s, family->name) || s->both.sides[SIDE_GPU].device.cc < family->least_cc ||
            s->both.sides[SIDE_EMULATOR].device.cc < family->least_cc) {
            continue;
        }
        tally counts = {0};
        double began = seconds();
        begin(family->name);
        op_family_run(&s->both, family, &counts);
        report(s, family->name, &counts, began);
    }
}

static void run_programs(session *s)
{
    if (!wanted(s, "programs")) {
        return;
    }
    GT_FREED char *ptx = NULL;
    if (programs_compile(&ptx, &s->both) < 0) {
        printf("programs: skipped: %s\n", gt_message());
        return;
    }
    for (size_t i = 0; i < program_count; i++) {
        char name[64];
        snprintf(name, sizeof name, "program %s", programs[i].name);
        if (s->both.sides[SIDE_GPU].device.cc < programs[i].least_cc) {
            continue;
        }
        tally counts = {0};
        double began = seconds();
        begin(name);
        program_run(&s->both, ptx, &programs[i], &counts);
        report(s, name, &counts, began);
    }
}

static void on_template(void *user, const char *name, const tally *counts, double began)
{
    report(user, name, counts, began);
}

static void run_templates(session *s)
{
    if (wanted(s, "templates") && templates_run(&s->both, s->templates, on_template, s) < 0) {
        printf("templates: skipped: %s\n", gt_message());
    }
}

static bool parse(session *s, int count, char **words)
{
    for (int i = 1; i < count; i++) {
        const char **value = !strcmp(words[i], "--only")        ? &s->only
                             : !strcmp(words[i], "--dump")      ? &s->both.dump
                             : !strcmp(words[i], "--templates") ? &s->templates
                                                                : NULL;
        if (!strcmp(words[i], "--self")) {
            s->self = true;
        } else if (value && i + 1 < count) {
            *value = words[++i];
        } else {
            return false;
        }
    }
    return true;
}

int main(int count, char **words)
{
    static session s;
    if (!parse(&s, count, words)) {
        fprintf(stderr, "usage: differential [--self] [--only TEXT] [--dump FOLDER] "
                        "[--templates FOLDER]\n");
        return 2;
    }
    double began = seconds();
    side *gpu = &s.both.sides[SIDE_GPU], *emulator = &s.both.sides[SIDE_EMULATOR];
    if (side_open(gpu, s.self ? "emu:h200" : "cuda") < 0) {
        printf("no GPU here: skipped (%s)\n", gt_message());
        return 0;
    }
    if (side_open(emulator, gpu->device.cc >= 90 ? "emu:h200" : "emu:a100") < 0) {
        fprintf(stderr, "differential: %s\n", gt_message());
        return 1;
    }
    printf("%s against %s\n", gpu->device.name, emulator->device.name);
    printf("%-28s %6s %10s %10s %8s %10s %9s %6s\n", "family", "cases", "results", "mismatches",
           "refused", "NaN bits", "largest", "s");
    run_families(&s);
    run_programs(&s);
    run_templates(&s);
    printf("%llu cases, %llu results, %llu mismatches, %llu refused, %.1f s\n",
           (unsigned long long)s.total.cases, (unsigned long long)s.total.results,
           (unsigned long long)s.total.mismatches, (unsigned long long)s.total.refused,
           seconds() - began);
    return s.failed;
}
