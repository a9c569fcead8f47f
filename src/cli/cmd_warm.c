/* The command warm: its options; warm_tune.c, warm_compile.c and warm_watch.c do the work. */
#include "cli/commands.h"

#include "cli/check.h"
#include "cli/console.h"
#include "cli/locks.h"
#include "cli/report.h"
#include "cli/table.h"
#include "cli/warm.h"

static int find_all(cli_scenarios *out, const cli_warm *warm, const cli_session *session)
{
    const cli_selection *selection = &warm->selection;
    cli_catalogue catalogue;
    if (warm->canonical) {
        return cli_scenarios_canonical(out, session, selection);
    }
    if (!warm->from) {
        int code =
            cli_catalogue_find(&catalogue, session, selection->kernels, selection->kernel_count);
        return code == CLI_CONTINUE ? cli_scenarios_make(out, &catalogue, selection, session)
                                    : code;
    }
    int code = cli_scenarios_wanted(out, warm->from, session, selection, warm->any_gpu);
    if (code == CLI_CONTINUE && !out->count) {
        cli_note("%s has nothing to tune here", warm->from);
        return CLI_EXIT_NOTHING;
    }
    return code;
}

static int find_scenarios(cli_scenarios *out, const cli_warm *warm, const cli_session *session)
{
    int code = find_all(out, warm, session);
    if (code == CLI_CONTINUE) {
        cli_shard_keep(&warm->shard, out);
    }
    return code;
}

/* Another tuner has the templates that these scenarios need. */
static int share_templates(const cli_scenarios *scenarios, const cli_session *session)
{
    const cli_kernel *last = NULL;
    for (size_t i = 0; i < scenarios->count; i++) {
        const cli_kernel *kernel = scenarios->items[i].kernel;
        int status = kernel == last ? 0 : gputune_add_template(session->tuner, kernel->path);
        if (status < 0) {
            return cli_fail(status);
        }
        last = kernel;
    }
    return CLI_CONTINUE;
}

/* The scenarios of the GPU `at`: those of an equal one before it, or what is asked for. */
static int find_for(cli_scenarios *all, const cli_warm *warm, const cli_gpus *gpus, size_t at)
{
    const cli_session *session = &gpus->items[at].session;
    for (size_t i = 0; i < at; i++) {
        if (cli_gpus_are_equal(&gpus->items[i], &gpus->items[at])) {
            all[at] = all[i];
            return share_templates(&all[i], session);
        }
    }
    return find_scenarios(&all[at], warm, session);
}

static int work(const cli_warm *warm, const cli_gpus *gpus)
{
    cli_scenarios *scenarios = cli_allocate(gpus->count, sizeof *scenarios);
    size_t count = 0;
    for (size_t i = 0; i < gpus->count; i++) {
        int code = find_for(scenarios, warm, gpus, i);
        count += scenarios[i].count;
        if (code != CLI_CONTINUE && code != CLI_EXIT_NOTHING) {
            return code;
        }
    }
    if (!count && !warm->shard.count) {
        return CLI_EXIT_NOTHING;
    }
    cli_catch_interrupt();
    return warm->compile_only ? cli_warm_compile(warm, &gpus->items[0].session, &scenarios[0])
                              : cli_warm_tune(warm, gpus, scenarios);
}

static int refuse_pair(const char *one, const char *other)
{
    if (other) {
        cli_error("warm: %s and %s do not go together", one, other);
    }
    return other ? CLI_EXIT_USAGE : CLI_CONTINUE;
}

static int check_gpus(const cli_warm *warm)
{
    return refuse_pair("--gpus", !warm->gpus            ? NULL
                                 : warm->compile_only   ? "--compile-only"
                                 : warm->common.device  ? "--device"
                                 : warm->tuning.samples ? "--samples"
                                                        : NULL);
}

static int check_measure_on(const cli_warm *warm)
{
    return refuse_pair("--measure-on", !warm->common.measure_on ? NULL
                                       : warm->compile_only     ? "--compile-only"
                                       : warm->gpus             ? "--gpus"
                                                                : NULL);
}

static int check_watch(const cli_warm *warm)
{
    const cli_selection *selection = &warm->selection;
    for (size_t i = 0; warm->watch && !warm->from && i < selection->kernel_count; i++) {
        if (!cli_is_path(selection->kernels[i])) {
            return cli_stop(CLI_EXIT_USAGE,
                            "warm: --watch: found '%s'; expected the path of a template, as in "
                            "./mine.cu",
                            selection->kernels[i]);
        }
    }
    return refuse_pair("--watch", !warm->watch         ? NULL
                                  : warm->gpus         ? "--gpus"
                                  : warm->shard_text   ? "--shard"
                                  : warm->from         ? "--from"
                                  : warm->compile_only ? "--compile-only"
                                                       : NULL);
}

static int check(const cli_warm *warm)
{
    const cli_selection *selection = &warm->selection;
    if (warm->arch && !warm->compile_only) {
        return cli_stop(CLI_EXIT_USAGE,
                        "--arch goes with --compile-only; measuring is for the GPU at hand");
    }
    if (warm->total_limit_s > 0 && warm->compile_only) {
        return cli_stop(CLI_EXIT_USAGE,
                        "--total-limit goes with measuring; leave out --compile-only");
    }
    if (!warm->from && !warm->canonical && !selection->kernel_count) {
        return cli_stop(
            CLI_EXIT_USAGE,
            "warm: an argument is missing: a KERNEL, a PATH, --from FILE or --canonical; "
            "'gputune warm --help' says more");
    }
    if (warm->check && !selection->kernel_count) {
        return cli_stop(CLI_EXIT_USAGE, "warm: --check needs the KERNELs to check");
    }
    if ((warm->from || warm->canonical) && (selection->sizes.count || selection->only.count)) {
        return cli_stop(CLI_EXIT_USAGE,
                        "warm: %s says the sizes and restrictions; leave out --size and --only",
                        warm->from ? "--from" : "--canonical");
    }
    int code = refuse_pair("--canonical", !warm->canonical ? NULL
                                          : warm->from     ? "--from"
                                          : warm->watch    ? "--watch"
                                                           : NULL);
    code = code == CLI_CONTINUE ? check_gpus(warm) : code;
    code = code == CLI_CONTINUE ? check_measure_on(warm) : code;
    return code == CLI_CONTINUE ? check_watch(warm) : code;
}

static int run(const cli_warm *warm)
{
    int checked = warm->check ? cli_check_first(&warm->common, &warm->selection) : CLI_CONTINUE;
    if (checked != CLI_CONTINUE) {
        return checked;
    }
    cli_gpus gpus;
    cli_open_mode mode = warm->arch           ? CLI_OPEN_NO_DEVICE
                         : warm->compile_only ? CLI_OPEN_DEVICE
                                              : CLI_OPEN_TUNING;
    int code = cli_gpus_open(&gpus, &warm->common, mode, warm->gpus);
    if (code == CLI_CONTINUE) {
        code = work(warm, &gpus);
        cli_gpus_close(&gpus);
    }
    return code;
}

static int tune(cli_warm *warm)
{
    return warm->watch ? cli_warm_watch(warm, run) : run(warm);
}

static int tune_live(cli_warm *warm)
{
    cli_live_report live;
    int code = cli_report_begin_live(&live, &warm->common);
    if (code == CLI_CONTINUE) {
        code = tune(warm);
        cli_report_end_live(&live);
    }
    return code;
}

static cli_warm given;

static int check_and_run(const cli_arguments *kernels)
{
    cli_warm *warm = &given;
    warm->selection.kernels = kernels->items;
    warm->selection.kernel_count = kernels->count;
    CLI_TRY(cli_tuning_inputs(&warm->tuning));
    CLI_TRY(cli_shard_read(&warm->shard, warm->shard_text));
    CLI_TRY(cli_compile_on_read(&warm->common.compile_on, &warm->compile_on));
    CLI_TRY(check(warm));
    cli_locks_begin(warm->common.database, &warm->shard);
    return cli_locks_end(warm->live ? tune_live(warm) : tune(warm));
}

static const char more[] =
    "Every kernel is tuned at every combination of the sizes given, from the smallest to the "
    "largest, since a search begins with what was best at other sizes. Rows are printed in the "
    "order given. A winner that is stored already is not measured again. Ctrl-C keeps what is "
    "finished; running again goes on from there. With --gpus, equal GPUs divide the scenarios "
    "between them, and each model gets winners of its own. What fails on a GPU is tried on an "
    "equal one, and where that has success, the first gets no more work. With --shard, runs with "
    "the same scenarios divide them between them; 'gputune merge' joins their databases. --watch "
    "looks at the files that PATHs include in quotes too. A save while it tunes begins anew. "
    "Ctrl-C while it only waits gives 0.\nExit code: 0 every scenario has a winner, 1 nothing "
    "found, 2 usage, 3 no NVRTC, driver or GPU, 4 template or compile error, 5 wrong results of "
    "all variants, of the default or of most of them, 6 database, 7 --check found a mistake, 130 "
    "stopped by Ctrl-C or SIGTERM. A default that crashes or does not compile gives 1 or 4, "
    "although another variant has won.";

static const cli_option options[] = {
    CLI_SIZE_OPTION(&given.selection),
    CLI_ONLY_OPTION(&given.selection),
    {"objective", 'o', CLI_OPTION_CHOICE, &given.tuning.objective, NULL,
     "what counts; default: rate for a kernel whose launches do different work, launch for one "
     "whose parameters can be passed in several ways, else kernel",
     cli_objective_words},
    CLI_INPUT_OPTION(&given.tuning),
    CLI_CACHE_OPTION(&given.tuning),
    CLI_LIMIT_OPTION(&given.tuning),
    {"total-limit", 0, CLI_OPTION_NUMBER, &given.total_limit_s, "SECONDS",
     "for all scenarios together, at least a second for each: the first search of a kernel "
     "gets three times what each later one gets, and time that is not used goes to the later "
     "ones [none]",
     NULL},
    CLI_ALIGNMENT_OPTION(&given.tuning),
    {"max-variants", 'm', CLI_OPTION_COUNT, &given.tuning.max_variants, "COUNT",
     "try no more than these [all]", NULL},
    {"strategy", 0, CLI_OPTION_CHOICE, &given.tuning.strategy, NULL,
     "which variants of a large space are tried first; auto: all of them where the time limit "
     "suffices [auto]",
     cli_strategy_words},
    {"seed", 0, CLI_OPTION_COUNT, &given.tuning.seed, "NUMBER",
     "of generated inputs, the search and the race [1]", NULL},
    {"effort", 0, CLI_OPTION_CHOICE, &given.tuning.effort, NULL,
     "exhaustive: no variant is dropped early; estimate: rank without measuring [measure]",
     cli_effort_words},
    {"epsilon", 0, CLI_OPTION_SHARE, &given.tuning.epsilon, "FRACTION",
     "the smallest gain worth looking for, above 0 and below 1 [0.005]", NULL},
    {"check", 0, CLI_OPTION_FLAG, &given.check, NULL,
     "check each kernel first, as the command check does: a kernel with a mistake ends it, and "
     "nothing is tuned",
     NULL},
    {"force", 0, CLI_OPTION_FLAG, &given.tuning.force, NULL,
     "measure again what is stored; other sizes still say what to try first", NULL},
    CLI_SAMPLES_OPTION(&given.tuning),
    {"from", 0, CLI_OPTION_TEXT, &given.from, "FILE",
     "what programs asked for and did not find, as GPUTUNE_RECORD notes it: the most wanted "
     "first; KERNELs choose among them",
     NULL},
    {"canonical", 0, CLI_OPTION_FLAG, &given.canonical, NULL,
     "the scenarios that come tuned, as canonical.txt beside the templates lists them; KERNELs "
     "choose among them",
     NULL},
    {"any-gpu", 0, CLI_OPTION_FLAG, &given.any_gpu, NULL,
     "with --from: also what was asked for on other kinds of GPU", NULL},
    {"compile-only", 0, CLI_OPTION_FLAG, &given.compile_only, NULL,
     "compile and store every variant, measure nothing", NULL},
    {"arch", 0, CLI_OPTION_TEXT, &given.arch, "sm_XX",
     "with --compile-only: for this architecture, without a GPU", NULL},
    {"watch", 0, CLI_OPTION_FLAG, &given.watch, NULL,
     "tune PATHs again whenever they are saved, until Ctrl-C", NULL},
    {"live", 0, CLI_OPTION_FLAG, &given.live, NULL,
     "serve the page of the command report on this machine meanwhile", NULL},
    CLI_GPUS_OPTION(&given.gpus),
    CLI_SHARD_OPTION(&given.shard_text),
    CLI_ELSEWHERE_OPTIONS(&given.compile_on, &given.common.measure_on),
    CLI_FORMAT_OPTION(&given.common),
    CLI_TUNER_OPTIONS(&given.common),
    CLI_MESSAGE_OPTIONS(&given.common),
    CLI_OPTIONS_END,
};

const cli_command cmd_warm = {"warm",
                              "tune kernels and remember the winners",
                              "[KERNEL|PATH...]",
                              "Tunes kernels and remembers the winners.",
                              more,
                              0,
                              (size_t)-1,
                              options,
                              check_and_run};
