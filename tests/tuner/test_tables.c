/* Tests that the tables that come with gputune match the templates. Each winner's code must be
 * found by the source that its configuration generates, so no compiler is needed. */
#include "gpu/device.h"
#include "kernel/bind/source.h"
#include "kernel/space/space.h"
#include "support/test.h"
#include "tuner/catalog.h"
#include "tuner/tune.h"

#include <glob.h>

enum { LINE = 1 << 16, VALUE = 512 };

/* Returns the value of a key in the line, as in key="value" or key=value. */
static const char *value_of(char out[VALUE], const char *line, const char *key)
{
    char start[64];
    snprintf(start, sizeof start, " %s=", key);
    const char *from = strstr(line, start);
    if (!from) {
        fail_msg("no %s in: %.200s", key, line);
    }
    from += strlen(start);
    from += *from == '"';
    snprintf(out, VALUE, "%.*s", (int)strcspn(from, from[-1] == '"' ? "\"" : " \n"), from);
    return out;
}

static const gt_template *template_at(gt_device *device, gt_catalog *catalog, const char *place)
{
    char name[VALUE], arch[VALUE], version[VALUE];
    const gt_template *template;
    ASSERT_OK(gt_device_for_arch(device, value_of(arch, place, "g.arch")));
    gt_device_set_nvrtc(device, (int)strtol(value_of(version, place, "g.nvrtc_version"), NULL, 10));
    ASSERT_OK(gt_catalog_find(&template, catalog, value_of(name, place, "k.name")));
    return template;
}

/* Returns true if the winner was chosen in the template's current space. */
static bool is_of_space(const gt_template *template, const gt_problem *problem,
                        const gt_device *device, const char *winner)
{
    char stored[VALUE], hex[GT_HASH_HEX];
    gt_workload workload;
    gt_space *space;
    ASSERT_OK(gt_workload_bind(&workload, template, problem, device, 16, NULL, 0));
    ASSERT_OK(gt_space_open(&space, template, problem, &workload, device, NULL, 0));
    gt_hash_hex(hex, gt_space_signature(space));
    gt_space_free(space);
    return strcmp(hex, value_of(stored, winner, "space")) == 0;
}

/* Returns true if the winner was chosen in the template's current space, and its code was compiled
 * from the source that its configuration generates. */
static bool is_found(gt_catalog *catalog, const char *place, const char *winner)
{
    char sizes[VALUE], configuration[VALUE], stored[VALUE], hex[GT_HASH_HEX];
    gt_device device;
    gt_problem problem;
    gt_config config;
    gt_source source;
    const gt_template *template = template_at(&device, catalog, place);
    ASSERT_OK(gt_problem_parse(&problem, template, value_of(sizes, place, "s.problem")));
    ASSERT_OK(gt_config_parse(&config, template, value_of(configuration, winner, "config"), true));
    ASSERT_OK(gt_source_generate(&source, template, &problem, &config, &device,
                                 gt_catalog_prelude(catalog)));
    bool found = !strcmp(gt_hash_hex(hex, source.hash), value_of(stored, winner, "code_source")) &&
                 is_of_space(template, &problem, &device, winner);
    if (!found) {
        print_error("%s %s: %s is of another source or space\n", template->name, sizes,
                    configuration);
    }
    gt_source_free(&source);
    return found;
}

/* Unescapes a quoted value in the line, and returns the value. */
static const char *cut(char *line, const char *key)
{
    char *from = strstr(line, key) + strlen(key), *to = from;
    for (const char *at = from; *at != '"'; at++) {
        *to++ = at[0] == '\\' && *++at == 'n' ? '\n' : *at;
    }
    *to = '\0';
    return from;
}

static void check_rule(gt_catalog *catalog, const char *place, char *line)
{
    gt_device device;
    gt_rule *rule;
    const gt_template *template = template_at(&device, catalog, place);
    const char *sources = cut(line, " sources=\"");
    ASSERT_OK(gt_rule_parse(&rule, template, cut(line, " text=\"")));
    ASSERT_OK(gt_rule_check_sources(rule, sources, template, &device, gt_catalog_prelude(catalog)));
    gt_rule_free(rule);
}

static void check_table(const char *path)
{
    static char line[LINE], place[LINE];
    gt_catalog *catalog;
    int winners = 0, lost = 0, images = 0, rules = 0;
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    ASSERT_OK(gt_catalog_open(&catalog, NULL, NULL));
    while (fgets(line, sizeof line, file)) {
        if (!strncmp(line, "place ", 6)) {
            memcpy(place, line, sizeof place);
        } else if (!strncmp(line, "winner ", 7)) {
            winners++;
            lost += !is_found(catalog, place, line);
        } else if (!strncmp(line, "rule ", 5)) {
            rules++;
            check_rule(catalog, place, line);
        } else {
            images += !strncmp(line, "code ", 5);
        }
    }
    gt_catalog_close(catalog);
    fclose(file);
    assert_true(winners + rules > 0);
    assert_int_equal(lost, 0);
    assert_int_equal(images, winners);
}

TEST(test_all_that_come_with_gputune)
{
    char pattern[VALUE];
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s/../db/*.wisdom", getenv("GPUTUNE_TEMPLATES"));
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    assert_true(found.gl_pathc > 1);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        check_table(found.gl_pathv[i]);
    }
    globfree(&found);
}

TESTS_WITHIN(NULL, NULL)
