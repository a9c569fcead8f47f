/* Measures the cost of plans that an application gets from a rule: the host time for a new size and
 * for a repeated size on one thread, and the memory that many sizes take. Nothing is tuned.
 *
 * rule_cost [-n SIZES] [-d DRIVER] [-k gemm_bf16], whose rule comes with gputune */
#include "api/tuner.h"
#include "program.h"

#include <getopt.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *kernel = "gemm";
static const char rule_text[] = "region m=1:65536 n=1:65536 k=1:65536\n"
                                "loss mean=1 p90=1 worst=1 sizes=0\n"
                                "variant BM=64 BN=64 TN=4\n"
                                "variant BM=64 BN=128 TN=8\n"
                                "variant BM=64 BN=64 TN=4 STAGES=3 VK=4 STEP=4 VN=4\n"
                                "variant BM=64 BN=128 TN=8 STAGES=3 VK=4 STEP=4 VN=4\n"
                                "if n % 4 == 0 && k % 4 == 0\n"
                                "  if m * n <= 262144\n    use 2\n  else\n    if ceil_div(m, 64) * "
                                "ceil_div(n, 128) <= 2 * sm_count\n"
                                "      use 2\n    else\n      use 3\n"
                                "else\n"
                                "  if m * n <= 262144\n    use 0\n  else\n    use 1\n";

static void put_rule(gputune *tuner)
{
    const gputune_options options = GPUTUNE_OPTIONS_INIT;
    gt_request *request;
    gt_rule *rule;
    char *sources;
    must(gt_request_make(&request, &tuner->services, &tuner->device, "gemm", GPUTUNE_NO_SIZES,
                         &options),
         "gemm");
    must(gt_rule_parse(&rule, request->template, rule_text), "the rule");
    must(gt_rule_sources(&sources, rule, request->template, request->device,
                         gt_catalog_prelude(tuner->catalog)),
         "the rule");
    const gt_site site = gt_site_of(&request->scenario, request->device, request->host_text);
    const gt_stored_rule stored = {.text = (char *)rule_text,
                                   .sources = sources,
                                   .driver_version = request->device->driver_version,
                                   .proved = true};
    const gt_rule_outcome outcome = {.site = &site, .rule = &stored};
    must(gt_store_put_rule(tuner->store, &outcome, NULL), "storing the rule");
    gt_rule_free(rule);
    gt_request_free(request);
    free(sources);
}

/* Requests plans for different sizes. Every second row length is a multiple of four. */
static void request_new(gputune *tuner, const gputune_options *options, int64_t i)
{
    gputune_plan *plan;
    const int64_t m = 64 + i % 1000, n = 4 * (64 + i / 1000), k = i % 2 ? 256 : 255;
    must(tune_kernel(&plan, tuner, kernel, GPUTUNE_SIZES({"m", m}, {"n", n}, {"k", k}), options),
         "tune_kernel");
    gputune_plan_release(plan);
}

/* Returns the processor time of this thread, which does not depend on other programs. */
static double cpu_s(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static double cost(gputune *tuner, const gputune_options *options, int64_t first, int64_t count)
{
    double start = cpu_s();
    for (int64_t i = first; i < first + count; i++) {
        request_new(tuner, options, i);
    }
    return (cpu_s() - start) / (double)count * 1e9;
}

static void measure(const char *driver, uint32_t max_plans, int64_t sizes)
{
    enum { BATCH = 1000 };
    gputune *tuner;
    gputune_open_options open = GPUTUNE_OPEN_OPTIONS_INIT;
    gputune_options options = GPUTUNE_OPTIONS_INIT;
    gputune_info info = GPUTUNE_INFO_INIT;
    gputune_plan *plan;
    double least = 1e9, known = 1e9, all = 0;
    open.driver = driver;
    open.database = strcmp(kernel, "gemm") == 0 ? ":memory:" : NULL; /* NULL: with its rule */
    open.max_plans = max_plans;
    options.unseen = GPUTUNE_RULE;
    must(gputune_open(&tuner, &open), "gputune_open");
    if (strcmp(kernel, "gemm") == 0) {
        put_rule(tuner);
    }
    double start = now_s();
    must(
        tune_kernel(&plan, tuner, kernel, GPUTUNE_SIZES({"m", 64}, {"n", 64}, {"k", 64}), &options),
        kernel);
    double first = now_s() - start;
    must(gputune_plan_info(&info, plan), "gputune_plan_info");
    const size_t before = mallinfo2().uordblks;
    for (int64_t i = 0; i < sizes; i += BATCH) {
        double one = cost(tuner, &options, i, BATCH);
        double again = cost(tuner, &options, i, BATCH);
        least = one < least ? one : least;
        known = again < known ? again : known;
        all += one * BATCH / (double)sizes;
    }
    printf("source %s, room for %u plans: first call %.1f ms; a new size %.0f ns (least of batches "
           "%.0f), a known size %.0f ns (least); %.1f MB for %lld sizes\n",
           gputune_source_name(info.source), max_plans ? max_plans : GT_PLAN_TABLE_LIMIT,
           first * 1e3, all, least, known, (double)(mallinfo2().uordblks - before) / 1e6,
           (long long)sizes);
    gputune_close(tuner);
}

int main(int argc, char **argv)
{
    const char *driver = "cuda";
    int64_t sizes = 100000;
    int letter;
    while ((letter = getopt(argc, argv, "n:d:k:")) != -1) {
        if (letter == 'n') {
            sizes = strtol(optarg, NULL, 10);
        } else if (letter == 'd') {
            driver = optarg;
        } else if (letter == 'k') {
            kernel = optarg;
        } else {
            return 2;
        }
    }
    measure(driver, 0, sizes);
    measure(driver, (uint32_t)(2 * sizes + 2), sizes);
    return 0;
}
