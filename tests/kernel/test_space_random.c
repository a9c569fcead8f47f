/* Compares spaces that have random constraints with brute force: counts, order, and draws. */
#include "random_template.h"

#include "base/array.h"

enum { TEMPLATES = 400, AXES_MAX = 5 };

typedef struct truth {
    GT_ARRAY(gt_config) valid;
    uint64_t combinations;
    bool used[GT_AXIS_MAX][GT_AXIS_VALUES];
    size_t sources;
} truth;

static bool same(const gt_config *a, const gt_config *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

static gt_config in_source(const gt_template *template, const gt_config *config)
{
    gt_config source = *config;
    for (uint32_t i = 0; i < template->axis_count; i++) {
        source.choice[i] = template->axes[i].in_source ? source.choice[i] : 0;
    }
    return source;
}

static void count_sources(truth *t, const gt_template *template)
{
    for (size_t i = 0; i < t->valid.count; i++) {
        gt_config own = in_source(template, &t->valid.items[i]);
        bool fresh = true;
        for (size_t j = 0; j < i && fresh; j++) {
            gt_config other = in_source(template, &t->valid.items[j]);
            fresh = !same(&own, &other);
        }
        t->sources += fresh;
    }
}

static void find_truth(truth *t, const setup *b)
{
    gt_config config = {{0}};
    *t = (truth){0};
    do {
        t->combinations++;
        if (brute_valid(b, &config)) {
            ASSERT_OK(gt_array_push(&t->valid, config));
            for (uint32_t i = 0; i < b->template->axis_count; i++) {
                t->used[i][config.choice[i]] = true;
            }
        }
    } while (brute_next(b->template, &config));
    count_sources(t, b->template);
}

static void check_walk(const truth *t, const setup *b)
{
    gt_config config;
    for (size_t i = 0; i < t->valid.count; i++) {
        assert_true(gt_space_next(b->space, &config));
        assert_true(same(&config, &t->valid.items[i]));
    }
    assert_false(gt_space_next(b->space, &config));
    assert_false(gt_space_next(b->space, &config));
}

static void check_counts(const truth *t, const setup *b)
{
    const gt_exclusion_count *list;
    gt_space_size size = gt_space_count(b->space), sources = gt_space_sources(b->space);
    uint64_t excluded = 0;
    assert_int_equal(size.certainty, GT_EXACT);
    assert_int_equal(size.count, t->valid.count);
    assert_int_equal(sources.certainty, GT_EXACT);
    assert_int_equal(sources.count, t->sources);
    size_t count = gt_space_exclusions(b->space, &list);
    for (size_t i = 0; i < count; i++) {
        excluded += list[i].count;
        assert_int_equal(list[i].certainty, GT_EXACT);
    }
    assert_int_equal(excluded + size.count, t->combinations);
    for (uint32_t i = 0; i < b->template->axis_count; i++) {
        for (uint32_t v = 0; v < b->template->axes[i].count; v++) {
            assert_int_equal(gt_space_uses(b->space, i, (uint8_t)v), t->used[i][v]);
        }
    }
}

static void check_one_by_one(const setup *b)
{
    gt_config config = {{0}};
    do {
        bool valid = brute_valid(b, &config);
        assert_int_equal(gt_space_excludes(b->space, &config) == NULL, valid);
        assert_int_equal(gt_space_has(b->space, &config), valid);
    } while (brute_next(b->template, &config));
}

static void check_draws(const truth *t, const setup *b, gt_random *random)
{
    gt_config config;
    for (int i = 0; i < 20; i++) {
        bool found = gt_space_draw(b->space, random, &config);
        assert_int_equal(found, t->valid.count > 0);
        assert_true(!found || brute_valid(b, &config));
    }
}

static void check_template(gt_random *random, size_t *some, size_t *none)
{
    GT_SCOPED(gt_text_free) gt_text text = {0};
    truth t;
    write_template(&text, random, 1 + pick(random, AXES_MAX));
    SETUP(b, gt_text_string(&text), "sm_90");
    find_truth(&t, &b);
    check_one_by_one(&b);
    check_walk(&t, &b);
    check_counts(&t, &b);
    check_draws(&t, &b, random);
    gt_space_rewind(b.space);
    check_walk(&t, &b);
    *(t.valid.count ? some : none) += 1;
    gt_array_free(&t.valid);
}

TEST(test_random_templates)
{
    gt_random random = {2024};
    size_t some = 0, none = 0;
    for (int i = 0; i < TEMPLATES; i++) {
        check_template(&random, &some, &none);
    }
    assert_true(some > TEMPLATES / 4 && none > TEMPLATES / 20);
}
