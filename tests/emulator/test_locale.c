/* The emulator in a locale with a decimal comma. */
#include "device.h"
#include "emulator/faults.h"
#include "emulator/profile.h"
#include "machine_fixture.h"

#include "support/comma_locale.h"

static void starts(void)
{
    open_device();
}

TEST(driver_starts)
{
    emu_profile profile;
    char why[200] = "";
    comma_locale_needed();
    if (!emu_profile_load(&profile, "h200", NULL, why, sizeof why)) {
        fail_msg("%s", why);
    }
    in_child(starts, "GPUTUNE_EMU_PROFILE=h200");
}

static bool knows(const char *name)
{
    return !strcmp(name, "cuMemAlloc");
}

TEST(delay_may_have_a_fraction)
{
    emu_faults *faults;
    char why[200] = "";
    double delay;
    comma_locale_needed();
    if (!emu_faults_parse(&faults, "cuMemAlloc:1=~1.5ms", knows, why, sizeof why)) {
        fail_msg("%s", why);
    }
    assert_int_equal(emu_faults_next(faults, "cuMemAlloc", 0, &delay), 0);
    assert_true(delay == 1.5e6);
    emu_faults_free(faults);
}

TEST(test_decimal_literals_of_ptx)
{
    static const char ptx[] = ".version 8.8\n.target sm_90\n.address_size 64\n"
                              ".visible .entry k(.param .u64 out)\n{\n"
                              ".reg .b64 %d; .reg .f64 %f; ld.param.u64 %d, [out];\n"
                              "mov.f64 %f, 2.75; st.global.f64 [%d], %f; ret;\n}\n";
    GT_SCOPED(machine_free) machine m = {.count = 0};
    comma_locale_needed();
    machine_load(&m, ptx);
    double *out = machine_alloc(&m, sizeof *out);
    machine_launch(&m, "k", 1, 1, &out);
    assert_true(*out == 2.75);
}

TESTS_WITHIN(comma_locale_set, comma_locale_reset)
