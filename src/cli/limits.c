/* Shows how near a winner is to the limits of its GPU, and how much could still be gained. */
#include "cli/records.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Threads per multiprocessor, and multiply-adds per clock and multiprocessor, by compute
 * capability. Threads and FP32 rates are from the CUDA C++ Programming Guide. Tensor core rates are
 * derived from the dense 16-bit peaks in NVIDIA's white papers. An A100 has 312 TFLOP/s (108 * 1024
 * * 2 * 1.41 GHz), an H100 SXM 989 TFLOP/s (132 * 2048 * 2 * 1.83 GHz). The rate is 0 if GPUs of
 * the same compute capability differ, such as the L40 and the L40S. */
static const struct {
    long capability;
    double threads, fp32, tensor;
} models[] = {{75, 1024, 64, 0},      {80, 2048, 64, 1024},  {86, 1536, 128, 0},
              {89, 1536, 128, 0},     {90, 2048, 128, 2048}, {100, 2048, 128, 4096},
              {103, 2048, 128, 4096}, {120, 1536, 128, 0}};
enum { MODELS = sizeof models / sizeof *models };

static size_t model_of(const gputune_record *record)
{
    size_t at = 0;
    long capability = strncmp(record->arch, "sm_", 3) == 0 ? strtol(record->arch + 3, NULL, 10) : 0;
    while (at < MODELS && models[at].capability != capability) {
        at++;
    }
    return at;
}

cli_peak cli_peak_of(const gputune_record *record)
{
    const size_t model = model_of(record);
    const double per_unit = 2e3 * record->sm_count * record->sm_clock_khz;
    const bool is_timed = record->objective == GPUTUNE_OBJECTIVE_KERNEL ||
                          record->objective == GPUTUNE_OBJECTIVE_RATE;
    if (model == MODELS || per_unit <= 0 || !is_timed || strstr(record->sizes, "double")) {
        return (cli_peak){"", 0};
    }
    const double fp32 = models[model].fp32 * per_unit, tensor = models[model].tensor * per_unit;
    return record->median_ns <= 0 || record->flops * 1e9 / record->median_ns <= fp32
               ? (cli_peak){"FP32 units", fp32}
           : tensor > 0 ? (cli_peak){"16-bit tensor cores", tensor}
                        : (cli_peak){"", 0};
}

/* Returns the occupancy, or a smaller value if the grid has too few threads for the whole GPU. */
static double share_of_threads(const gputune_record *record)
{
    const size_t model = model_of(record);
    double blocks = 1, threads = 1;
    for (int i = 0; i < 3; i++) {
        blocks *= record->grid[i];
        threads *= record->block[i];
    }
    double all = model < MODELS ? models[model].threads * record->sm_count : 0;
    return all > 0 ? fmin(record->occupancy, blocks * threads / all) : record->occupancy;
}

/* Returns, for example, "3.7% of a copy's bandwidth, 0.6% of the peak of the FP32 units". */
static char *text_of_shares(double memory, double arithmetic, const char *units)
{
    char *text =
        memory > 0 ? cli_format("%.1f%% of a copy's bandwidth", memory * 100) : cli_copy("");
    if (arithmetic > 0) {
        cli_join(&text, ", ", cli_format("%.1f%% of the peak of the %s", arithmetic * 100, units));
    }
    return text;
}

static const char *text_of_unknown(const gputune_record *record, bool of_memory)
{
    return (of_memory ? record->bytes : record->flops) <= 0
               ? cli_format("work() declares no %s", of_memory ? "bytes" : "flops")
               : cli_format("the GPU's peak %s is not known",
                            of_memory ? "bandwidth" : "arithmetic");
}

char *cli_hardware_text(const gputune_record *winner)
{
    /* a kernel that reaches 60% of a limit counts as bound by this limit, as in Nsight Compute */
    static const double near = 0.6, at = 0.995;
    const cli_peak peak = cli_peak_of(winner);
    const double per_s = winner->median_ns > 0 ? 1e9 / winner->median_ns : 0;
    const bool has_copy = winner->copy_bytes_per_s > 0, has_peak = peak.per_s > 0;
    const double memory = has_copy ? winner->bytes * per_s / winner->copy_bytes_per_s : 0;
    const double arithmetic = has_peak ? winner->flops * per_s / peak.per_s : 0;
    const double most = fmax(memory, arithmetic);
    /* state only the gain at this limit: work() may be incomplete, and other limits may exist */
    const char *gain = most >= at ? "this limit is reached"
                                  : cli_format("at %s limit it would be %.*fx as fast",
                                               most >= near ? "this" : "the nearer",
                                               most < 0.1 ? 0 : 2, 1 / fmax(most, 1e-9));
    char *text = cli_format("%u registers", winner->registers);
    if (winner->spill_bytes) {
        cli_append(&text, ", %u bytes spilled", winner->spill_bytes);
    }
    if (winner->occupancy > 0) {
        cli_append(&text, ", occupancy %.0f%%", winner->occupancy * 100);
    }
    if (winner->objective != GPUTUNE_OBJECTIVE_KERNEL &&
        winner->objective != GPUTUNE_OBJECTIVE_RATE) {
        return text; /* other objectives measure more than the kernel's time */
    }
    const char *shares = text_of_shares(memory, arithmetic, peak.units);
    const double warps = share_of_threads(winner);
    const char *with =
        warps > 0 && warps < at
            ? cli_format(", with only %.2g%% of the warps that fit on the GPU", warps * 100)
            : "";
    if (most >= near) {
        cli_append(&text, "; %s: %s; %s",
                   memory >= arithmetic ? "memory-bound" : "compute-bound if it uses these units",
                   shares, gain);
    } else if (memory > 0 && arithmetic > 0) {
        cli_append(&text, "; latency-bound%s: %s; %s", with, shares, gain);
    } else if (most > 0) {
        cli_append(&text, "; latency- or %s-bound%s: %s; the possible gain is unknown, because %s",
                   memory > 0 ? "compute" : "memory", with, shares,
                   text_of_unknown(winner, memory <= 0));
    } else {
        cli_append(&text, "; limit and possible gain are unknown, because %s",
                   text_of_unknown(winner, true));
    }
    return text;
}
