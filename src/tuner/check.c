/* Checks variants with the emulator's sanitizer. */
#include "base/text.h"
#include "tuner/session.h"
#include "tuner/strategy_proposer.h"
#include "tuner/tune.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_VARIANTS = 1 << 16, PARTS = 9 };

typedef struct report {
    const gt_session *session;
    char *sizes[GT_WORKLOAD_MAX];
    gt_finding_fn each;
    void *user;
} report;

/* Returns how messages show `file`: the template's own source by the template's path. */
static const char *find_path(const report *r, const char *file)
{
    const char *path = r->session->request->template->path;
    return strcmp(gt_base_name(path), gt_base_name(file)) == 0 ? path : file;
}

/* Parses a line of the sanitizer's report and reports its finding. For the line "size N", sets the
 * size for later findings instead: the requested one if N is 0, otherwise the odd-tail size. */
static int report_line(gputune_finding *finding, const report *r, char *line)
{
    char *parts[PARTS];
    uint32_t count = 0;
    while (count < PARTS && (parts[count] = strsep(&line, "\t"))) {
        count++;
    }
    if (count == 2) {
        finding->sizes = r->sizes[strtoul(parts[1], NULL, 10) ? 1 : 0];
        return 0;
    }
    if (count != PARTS) {
        return 0;
    }
    /* in PTX, a constant that is set to zero cannot be distinguished from one that is not set */
    if (!strcmp(parts[0], "unset") &&
        gt_template_gives_constant(r->session->request->template, parts[5])) {
        return 0;
    }
    finding->kind = parts[0];
    finding->file = find_path(r, parts[1]);
    finding->line = (uint32_t)strtoul(parts[2], NULL, 10);
    finding->other_line = (uint32_t)strtoul(parts[3], NULL, 10);
    finding->count = strtoull(parts[4], NULL, 10);
    finding->where = parts[5];
    finding->thread = parts[6];
    finding->other_thread = parts[7];
    finding->message = parts[8];
    return r->each(r->user, finding);
}

static int report_text(gputune_finding *finding, const report *r, char *text)
{
    int answer = 0;
    for (char *line; !answer && (line = strsep(&text, "\n"));) {
        answer = report_line(finding, r, line);
    }
    return answer;
}

static int report_variant(const report *r, const gt_variant *variant)
{
    const gt_request *request = r->session->request;
    const bool is_checked = variant->stage == GT_STAGE_READY && variant->verified.findings;
    const bool has_message = !is_checked && variant->message;
    GT_FREED char *config = NULL;
    GT_TRY(gt_config_text(&config, request->template, &variant->config));
    const gputune_finding last = {.size = sizeof(gputune_finding),
                                  .kernel = request->template->name,
                                  .configuration = config,
                                  .sizes = r->sizes[0],
                                  .file = request->template->path,
                                  .where = "",
                                  .thread = "",
                                  .other_thread = "",
                                  .message = has_message ? variant->message : "",
                                  .kind = is_checked ? "checked" : gt_variant_status(variant)};
    gputune_finding each = last;
    int answer = is_checked ? report_text(&each, r, variant->verified.findings) : 0;
    return answer ? answer : r->each(r->user, &last);
}

static gputune_status report_all(const gt_session *session, gt_finding_fn each, void *user)
{
    const gt_request *request = session->request;
    const report r = {session, {request->problem_text, request->odd_tail_text}, each, user};
    int answer = 0;
    for (const gt_variant *variant = session->field.first; variant && !answer;
         variant = variant->next) {
        bool ended = variant->stage == GT_STAGE_READY || variant->failure != GPUTUNE_OK;
        answer = ended ? report_variant(&r, variant) : 0;
    }
    return answer;
}

/* Warns about integer scalars for which only one value was checked. Floats are not mentioned,
 * because they rarely affect which elements are accessed. */
static void log_single_values(const gt_request *request)
{
    enum { NAMED = 6 };
    const gt_workload *workload = &request->workload;
    GT_SCOPED(gt_text_free) gt_text text = {0};
    char name[GT_COMPONENT_TEXT];
    uint32_t count = 0;
    for (uint32_t i = 0; i < workload->number_count; i++) {
        const gt_number *number = &workload->numbers[i];
        if (number->open && !gt_type_is_float(number->type) && count++ < NAMED) {
            gt_text_printf(&text, "%s%s %swith %lld only", count > 1 ? ", " : "",
                           gt_number_title(name, workload, i), count > 1 ? "" : "was checked ",
                           (long long)number->integer);
        }
    }
    if (count) {
        gt_log_line(&request->log, GPUTUNE_LOG_WARNING, "%s: %s%s", request->template->name,
                    gt_text_string(&text), count > NAMED ? ", and so were other scalars" : "");
    }
}

/* Returns true if the default took too long. The check then ends, as others would take as long. */
static bool is_too_slow(const gt_session *session)
{
    const gt_variant *standard = session->field.standard;
    return standard && standard->failure == GPUTUNE_ETIMEOUT &&
           standard->unit->stage == GT_STAGE_READY;
}

static bool is_done(const gt_session *session)
{
    return gt_session_is_done(session) || is_too_slow(session);
}

static gputune_status check_proposals(gt_request *request, gt_proposer *proposer, uint32_t limit,
                                      gt_finding_fn each, void *user)
{
    static const gt_policy policy = {.measures = true, .done = is_done};
    const gt_field_options options = {.proposer = proposer,
                                      .with_default =
                                          gt_space_has(request->space, &request->standard),
                                      .limit = limit};
    GT_SCOPED(gt_session_close) gt_session session;
    int status = gt_session_open(&session, &policy, NULL, request, &options);
    GT_THEN(status, gt_session_run(&session));
    bool cut = !status && session.stop != GT_STOP_NONE;
    if (cut) { /* also report the variant that was running when the time limit ended the check */
        GT_TRY(gt_field_note_running(&session.field, gt_session_busy_s(&session)));
        status = gt_session_ended(&session, "all variants were checked");
    } else if (!status && is_too_slow(&session)) {
        status = gt_fail(GPUTUNE_ETIMEOUT,
                         "%s: the default takes too long at %s, so the check ends here; choose "
                         "smaller sizes",
                         request->template->name, request->problem_text);
    }
    if (session.field.in[GT_STAGE_READY] || (status && session.field.in[GT_STAGE_FAILED])) {
        log_single_values(request);
        int reported = report_all(&session, each, user);
        status = status ? status : reported;
    } else if (!status) {
        status = gt_field_verdict(&session.field);
    }
    return status;
}

gputune_status gt_check(gt_request *request, gt_finding_fn each, void *user)
{
    GT_REFUSE(!request->device->emulated, GPUTUNE_EUNSUPPORTED,
              "%s can be checked only on the emulator: open the tuner with the driver emu",
              request->template->name);
    request->check = request->options.force = true;
    GT_TRY(gt_request_space_to_try(request));
    const uint32_t most = request->options.max_variants, limit = most ? most : MOST_VARIANTS;
    const bool all = gt_space_count(request->space).count <= limit;
    GT_SCOPED(gt_strategy_proposer_close) gt_strategy_proposer proposer = {.request = request};
    GT_TRY(gt_strategy_proposer_open(
        &proposer, request, all ? GPUTUNE_STRATEGY_EXHAUSTIVE : GPUTUNE_STRATEGY_RANDOM, NULL));
    return check_proposals(request, &proposer.proposer, limit, each, user);
}
