/* Tests configurations as text. */
#include "kernel_support.h"

static const char text[] =
    "#pragma gputune kernel(k) problem(n = 4096) args(inout float y[n], size_t n)\n"
    "#pragma gputune vector(VEC = 4, 1, 2 : y) tune(T = float, unsigned int) tune(B = 64, 128)\n"
    "#pragma gputune pass(c : float[4] = value, global) carveout(CARVE = auto, 8)\n"
    "#pragma gputune default(B = 128) block(B) grid(1)\n"
    "__global__ void k(GPUTUNE_PARAM(c) float *y, size_t n) { y[0] = VEC * sizeof(T); }\n";

TEST(test_round_trip)
{
    static const struct {
        const char *given, *full;
    } cases[] = {
        {"", "VEC=4 T=float B=128 c=value CARVE=auto"},
        {"  B=64 ", "VEC=4 T=float B=64 c=value CARVE=auto"},
        {"c=global,CARVE=8", "VEC=4 T=float B=128 c=global CARVE=8"},
        {"T=unsigned int VEC=1", "VEC=1 T=unsigned int B=128 c=value CARVE=auto"},
        {"B=4K, VEC=8", "VEC=8 T=float B=4096 c=value CARVE=auto"},
        {"T=half c=constant", "VEC=4 T=half B=128 c=constant CARVE=auto"},
    };
    GT_SCOPED(template_end) gt_template *t = parse(text);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const gt_config config = config_of(t, cases[i].given);
        assert_string_equal(text_of(t, &config), cases[i].full);
        const gt_config again = config_of(t, cases[i].full);
        assert_memory_equal(&config, &again, sizeof config);
    }
}

TEST(test_mistakes)
{
    static const struct {
        const char *given, *message;
    } cases[] = {
        {"VECC=4", "k has no axis 'VECC'; expected 'VEC'"},
        {"VEC=3", "VEC has no value '3'; expected 1, 2, 4 or 8"},
        {"VEC", "'VEC' is not a setting; expected AXIS=value"},
        {"=4", "'=4' is not a setting; expected AXIS=value"},
        {"B=64 B=128", "axis 'B' is given twice; expected it once"},
        {"B=x", "B has no value 'x'; expected an integer"},
        {"c=fast", "c has no value 'fast'; expected value, split, constant or global"},
        {"CARVE=-2", "CARVE has no value '-2'; expected auto, or KB"},
    };
    GT_SCOPED(template_end) gt_template *t = parse(text);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gt_config config = gt_config_default(t), before = config;
        assert_int_equal(gt_config_parse(&config, t, cases[i].given, true), GPUTUNE_EINVAL);
        assert_string_equal(gt_message(), cases[i].message);
        assert_memory_equal(&config, &before, sizeof config);
    }
}

TEST(test_many_new_values)
{
    int refused = 0;
    GT_SCOPED(template_end) gt_template *t = parse(text);
    for (int i = 1000; i < 1400; i++) {
        char setting[32];
        gt_config config;
        (void)snprintf(setting, sizeof setting, "B=%d", i);
        if (gt_config_parse(&config, t, setting, true) == GPUTUNE_OK) {
            assert_int_equal(t->axes[2].values[config.choice[2]].number, i);
        } else {
            refused++;
        }
    }
    assert_int_equal(refused, 400 - 253);
    assert_string_equal(gt_message(), "B: more than 255 values tried; expected fewer");
}

TEST(test_scalar_fallback)
{
    GT_SCOPED(template_end) gt_template *t = parse(text);
    const gt_config config = config_of(t, "VEC=4 B=64");
    gt_config scalar = gt_config_scalar(t, &config);
    assert_string_equal(text_of(t, &scalar), "VEC=1 T=float B=128 c=value CARVE=auto");
    const gt_config narrow = config_of(t, "VEC=1");
    scalar = gt_config_scalar(t, &narrow);
    assert_memory_equal(&scalar, &narrow, sizeof narrow);
}
