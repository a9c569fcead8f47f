/* Helpers for the tests of src/kernel: devices, and templates from text. */
#pragma once

#include "base/file.h"
#include "base/text.h"
#include "gpu/device.h"
#include "kernel/bind/source.h"
#include "kernel/space/space.h"
#include "support/test.h"

static inline const gt_axis *axis_of(const gt_template *template, const char *name)
{
    const int index = gt_template_axis_index(template, name);
    return index < 0 ? NULL : &template->axes[index];
}

static inline gt_device device_of(const char *arch)
{
    gt_device device;
    ASSERT_OK(gt_device_for_arch(&device, arch));
    return device;
}

static inline gt_template *parse(const char *text)
{
    gt_template *template = NULL;
    ASSERT_OK(gt_template_parse(&template, "kernel.cu", text, NULL, NULL, NULL));
    return template;
}

static inline void template_end(gt_template **template)
{
    gt_template_free(*template);
}

/* Checks that parsing the template fails with this message. */
static inline void expect_mistake(const char *path, const char *text, const char *message)
{
    gt_template *template = NULL;
    if (gt_template_parse(&template, path, text, NULL, NULL, NULL) != GPUTUNE_ETEMPLATE) {
        fail_msg("accepted: %s", text);
    }
    assert_string_equal(gt_message(), message);
    assert_null(template);
}

/* Checks the message for each mistake {text, message}. The text is inserted into `format`. */
static inline void expect_mistakes(const char *path, const char *format,
                                   const char *const (*mistakes)[2], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        GT_SCOPED(gt_text_free) gt_text text = {0};
        gt_text_printf(&text, format, mistakes[i][0]);
        expect_mistake(path, gt_text_string(&text), mistakes[i][1]);
    }
}

#define EXPECT_MISTAKES(path, format, mistakes)                                                    \
    expect_mistakes(path, format, mistakes, sizeof(mistakes) / sizeof *(mistakes))

/* A template that is bound to its default sizes, and its space. */
typedef struct setup {
    gt_template *template;
    gt_device device;
    gt_problem problem;
    gt_workload workload;
    gt_space *space;
} setup;

static inline void setup_open_at(setup *b, const char *text, const char *arch, gputune_sizes sizes,
                                 uint32_t alignment, const char *const *only, size_t count)
{
    b->template = parse(text);
    b->device = device_of(arch);
    ASSERT_OK(gt_problem_bind(&b->problem, b->template, sizes));
    ASSERT_OK(
        gt_workload_bind(&b->workload, b->template, &b->problem, &b->device, alignment, NULL, 0));
    ASSERT_OK(
        gt_space_open(&b->space, b->template, &b->problem, &b->workload, &b->device, only, count));
}

static inline void setup_open(setup *b, const char *text, const char *arch)
{
    setup_open_at(b, text, arch, (gputune_sizes){0, NULL}, 0, NULL, 0);
}

static inline void setup_close(setup *b)
{
    gt_space_free(b->space);
    gt_template_free(b->template);
}

/* Declares and opens a setup, which is closed at the end of the block. */
#define SETUP(b, ...)                                                                              \
    GT_SCOPED(setup_close) setup b = {0};                                                          \
    setup_open(&b, __VA_ARGS__)

static inline size_t count_valid(gt_space *space)
{
    gt_config config;
    size_t count = 0;
    gt_space_rewind(space);
    while (gt_space_next(space, &config)) {
        count++;
    }
    return count;
}

static inline gt_config config_of(const gt_template *template, const char *text)
{
    gt_config config;
    ASSERT_OK(gt_config_parse(&config, template, text, true));
    return config;
}

static inline const char *text_of(const gt_template *template, const gt_config *config)
{
    static char kept[512];
    GT_FREED char *text = NULL;
    ASSERT_OK(gt_config_text(&text, template, config));
    (void)snprintf(kept, sizeof kept, "%s", text);
    return kept;
}

/* Returns the launch of a configuration such as "B=64"; "" is the default. */
static inline gt_launch launch_of(const setup *b, const char *config)
{
    gt_launch launch;
    const gt_config parsed = config_of(b->template, config);
    ASSERT_OK(gt_launch_bind(&launch, b->template, &b->problem, &parsed, &b->device));
    return launch;
}

static inline gt_source source_with(const setup *b, const char *config, const char *prelude)
{
    gt_source source;
    const gt_config parsed = config_of(b->template, config);
    ASSERT_OK(gt_source_generate(&source, b->template, &b->problem, &parsed, &b->device, prelude));
    return source;
}

static inline gt_source source_of(const setup *b, const char *config)
{
    return source_with(b, config, "");
}

static inline gt_source default_source(const gt_template *template)
{
    gt_source source;
    gt_problem problem;
    const gt_device device = device_of("sm_90");
    const gt_config config = gt_config_default(template);
    ASSERT_OK(gt_problem_bind(&problem, template, GPUTUNE_NO_SIZES));
    ASSERT_OK(gt_source_generate(&source, template, &problem, &config, &device, ""));
    return source;
}

static inline gt_hash identity_of(const char *text)
{
    gt_template *template = parse(text);
    gt_hash identity = template->identity;
    gt_template_free(template);
    return identity;
}

/* Reads a template that comes with gputune. Tests run in the repository's root. */
static inline char *read_text(const char *path)
{
    char *text;
    ASSERT_OK(gt_file_read(&text, NULL, path));
    return text;
}
