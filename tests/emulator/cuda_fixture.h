/* Compiles CUDA sources with NVRTC and runs them. Tests are skipped without NVRTC. */
#pragma once

#include "machine_fixture.h"

#include "gpu/nvrtc.h"
#include "gpu/toolkit.h"

static const gt_nvrtc *nvrtc;

static inline int find_nvrtc(void **state)
{
    if (gt_nvrtc_open(&nvrtc, 0) != GPUTUNE_OK) {
        print_message("nothing is compiled: %s\n", gt_message());
        nvrtc = NULL;
    }
    return 0;
}

enum { FIXTURE_FOLDERS = 8 };

static inline void load(machine *m, const char *source)
{
    gt_compiled result;
    gt_toolkit toolkit;
    char text[FIXTURE_FOLDERS][512];
    const char *options[FIXTURE_FOLDERS];
    gt_nvrtc_request request = {.text = source, .arch = "sm_90a", .options = options, .ptx = true};
    SKIP_IF(!nvrtc);
    ASSERT_OK(gt_toolkit_find(&toolkit));
    for (; request.option_count < toolkit.folders.count; request.option_count++) {
        size_t i = request.option_count;
        assert_true(i < FIXTURE_FOLDERS);
        snprintf(text[i], sizeof text[i], "-I%s", toolkit.folders.items[i]);
        options[i] = text[i];
    }
    ASSERT_OK(gt_nvrtc_compile(&result, nvrtc, &request, NULL));
    machine_load(m, result.image.data);
    gt_compiled_free(&result);
    gt_toolkit_free(&toolkit);
}
