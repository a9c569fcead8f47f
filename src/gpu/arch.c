/* The properties of architectures that have a name but no GPU here. */
#include "gpu/arch.h"

#include "base/hash.h"
#include "base/text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { KB = 1024, MB = 1024 * 1024 };

/* Carveout sizes in KB (CUDA programming guide, "Compute Capabilities": shared memory capacity). */
static const int carveout_75[] = {32, 64};
static const int carveout_100kb[] = {0, 8, 16, 32, 64, 100};
static const int carveout_164kb[] = {0, 8, 16, 32, 64, 100, 132, 164};
static const int carveout_228kb[] = {0, 8, 16, 32, 64, 100, 132, 164, 196, 228};
#define SIZES(list) list, sizeof(list) / sizeof *(list)

/* The same guide's table of technical specifications; multiprocessors and level-2 cache of one
 * product (T4, A100, A40, Orin, L40, H100, B200, B300, Thor, RTX PRO 6000, GB10). */
static const struct arch {
    int cc, threads_per_sm, blocks_per_sm, shared_per_sm_kb, shared_optin_kb, reserved_kb;
    const int *carveout;
    size_t carveouts;
    int max_cluster, sm_count, l2_mb;
} table[] = {
    {75, 1024, 16, 64, 64, 0, SIZES(carveout_75), 1, 40, 4},
    {80, 2048, 32, 164, 163, 1, SIZES(carveout_164kb), 1, 108, 40},
    {86, 1536, 16, 100, 99, 1, SIZES(carveout_100kb), 1, 84, 6},
    {87, 1536, 16, 164, 163, 1, SIZES(carveout_164kb), 1, 16, 4},
    {88, 1536, 16, 100, 99, 1, SIZES(carveout_100kb), 1, 16, 4},
    {89, 1536, 24, 100, 99, 1, SIZES(carveout_100kb), 1, 142, 96},
    {90, 2048, 32, 228, 227, 1, SIZES(carveout_228kb), 16, 132, 50},
    {100, 2048, 32, 228, 227, 1, SIZES(carveout_228kb), 16, 148, 126},
    {103, 2048, 32, 228, 227, 1, SIZES(carveout_228kb), 16, 148, 126},
    {110, 1536, 24, 228, 227, 1, SIZES(carveout_228kb), 16, 20, 32},
    {120, 1536, 24, 100, 99, 1, SIZES(carveout_100kb), 8, 188, 128},
    {121, 1536, 24, 100, 99, 1, SIZES(carveout_100kb), 8, 48, 24},
};
enum { ARCHES = sizeof table / sizeof *table };

/* The row of `cc`, else the newest of the same major version, else the newest older one, else the
 * oldest. */
static const struct arch *nearest_arch(int cc)
{
    const struct arch *best = &table[0];
    for (size_t i = 0; i < ARCHES; i++) {
        if (table[i].cc == cc) {
            return &table[i];
        }
        if (table[i].cc / 10 == cc / 10 || table[i].cc < cc) {
            best = &table[i];
        }
    }
    return best;
}

void gt_arch_exact(char *out, size_t bytes, int cc)
{
    enum { FIRST_WITH_FEATURES = 90 };
    snprintf(out, bytes, "sm_%d%s", cc, cc >= FIRST_WITH_FEATURES ? "a" : "");
}

void gt_device_add_arch_facts(gt_device *device)
{
    const struct arch *arch = nearest_arch(device->cc);
    device->max_cluster =
        device->cluster_launch ? (arch->max_cluster > 1 ? arch->max_cluster : 8) : 1;
    device->carveout_count = 0;
    for (size_t i = 0; i < arch->carveouts; i++) {
        if (arch->carveout[i] * KB <= device->shared_per_sm_bytes) {
            device->carveout_kb[device->carveout_count++] = arch->carveout[i];
        }
    }
}

static void fill(gt_device *device, const struct arch *arch)
{
    *device = (gt_device){
        .ordinal = -1,
        .cc = arch->cc,
        .sm_count = arch->sm_count,
        .warp_size = 32,
        .max_threads_per_block = 1024,
        .max_threads_per_sm = arch->threads_per_sm,
        .max_blocks_per_sm = arch->blocks_per_sm,
        .registers_per_sm = 65536,
        .registers_per_block = 65536,
        .shared_per_block_bytes = 48 * KB,
        .shared_per_block_optin_bytes = arch->shared_optin_kb * KB,
        .shared_per_sm_bytes = arch->shared_per_sm_kb * KB,
        .shared_reserved_per_block_bytes = arch->reserved_kb * KB,
        .constant_bytes = INT64_C(64) * KB,
        .l2_bytes = (int64_t)arch->l2_mb * MB,
        /* as an A100 has it; an H200 sets 62.5% aside */
        .l2_persist_bytes = arch->cc >= 80 ? arch->l2_mb * MB / 4 * 3 : 0,
        .l2_window_bytes = arch->cc >= 80 ? 128 * MB : 0,
        .memory_bytes = (int64_t)1 << 40,
        .max_block = {1024, 1024, 64},
        .max_grid = {INT32_MAX, 65535, 65535},
        .cluster_launch = arch->max_cluster > 1,
        .max_parameter_bytes = 32764,
    };
    gt_device_add_arch_facts(device);
}

static gputune_status unknown_arch(const char *arch)
{
    gt_text known = {0};
    for (size_t i = 0; i < ARCHES; i++) {
        gt_text_printf(&known, " sm_%d", table[i].cc);
    }
    gputune_status status = gt_fail(GPUTUNE_EINVAL, "unknown architecture \"%s\"; known:%s", arch,
                                    gt_text_string(&known));
    gt_text_free(&known);
    return status;
}

gputune_status gt_device_for_arch(gt_device *out, const char *arch)
{
    enum { PREFIX = 3, MOST_DIGITS = 4 };
    int cc = 0, used = strncmp(arch, "sm_", PREFIX) == 0 ? PREFIX : 0;
    while (used && used < PREFIX + MOST_DIGITS && isdigit((unsigned char)arch[used])) {
        cc = cc * 10 + (arch[used++] - '0');
    }
    const char *suffix = arch + used;
    bool known_suffix =
        !*suffix || (!suffix[1] && ((*suffix == 'a' && cc >= 90) || (*suffix == 'f' && cc >= 100)));
    const struct arch *row = nearest_arch(cc);
    if (!used || row->cc != cc || !known_suffix) {
        return unknown_arch(arch);
    }
    fill(out, row);
    snprintf(out->name, sizeof out->name, "%s (no GPU)", arch);
    if (*suffix == 'f') {
        snprintf(out->arch, sizeof out->arch, "%s", arch);
    } else {
        gt_arch_exact(out->arch, sizeof out->arch, cc);
    }
    snprintf(out->origin, sizeof out->origin, "arch");
    gt_device_environment(out);
    return GPUTUNE_OK;
}

void gt_device_environment(gt_device *device)
{
    char text[512];
    snprintf(text, sizeof text,
             "cc=%d sm=%d l2=%lld shared_sm=%d shared_optin=%d bus=%d memory_clock=%d sm_clock=%d "
             "mig=%s origin=%s",
             device->cc, device->sm_count, (long long)device->l2_bytes, device->shared_per_sm_bytes,
             device->shared_per_block_optin_bytes, device->bus_width_bits, device->memory_clock_khz,
             device->sm_clock_khz, device->mig_profile, device->origin);
    gt_hash_hex(device->environment, gt_hash_string(text));
}
