/* Draws the progress of a tuning on stderr. */
#include "cli/progress.h"

#include "cli/console.h"
#include "cli/units.h"

#include <math.h>
#include <stdio.h>

enum { BAR_CELLS = 12, WIDTH_UNKNOWN = 80, LARGE = 10000 /* variants */ };
static const double redraw_s = 0.1, heartbeat_s = 5;

void cli_progress_start(cli_progress *progress, const char *label, size_t index)
{
    progress->label = label;
    progress->index = index;
    progress->shown_s = 0;
}

/* Cuts UTF-8 text to a number of columns. */
static void cut(char *text, size_t columns)
{
    for (; *text; text++) {
        if (((unsigned char)*text & 0xC0) != 0x80 && columns-- == 0) {
            *text = '\0';
            return;
        }
    }
}

/* One line for all GPUs: "GPU 0 (...): axpy ... | GPU 1 (...): ..."; "": nothing is at work. */
static char *join(const cli_progress *progress)
{
    char *text = cli_copy("");
    for (const cli_progress *one = progress->first; one; one = one->next) {
        if (one->shown[0]) {
            cli_append(&text, "%s%s", text[0] ? " | " : "", one->shown);
        }
    }
    return text;
}

static void draw(char *text)
{
    size_t columns = cli_console_columns(stderr);
    cut(text, (columns ? columns : WIDTH_UNKNOWN) - 1);
    cli_console_progress("%s", text);
}

void cli_progress_end(cli_progress *progress)
{
    progress->shown[0] = '\0';
    if (progress->gpu && cli_console_is_live()) {
        draw(join(progress));
    } else {
        cli_console_progress_end();
    }
}

/* Compiling and verifying fill the first part. How long the race takes is not known, so it fills
 * the rest as variants leave it. */
static double variants_done(const gputune_progress *at)
{
    if (at->variants == 0) {
        return 0;
    }
    double all = at->variants;
    double ready = fmin(1, (at->compiled + at->verified + at->failed * 2.0) / (2 * all));
    double raced = ready < 1 ? 0 : 1 - fmin(1, (at->racing > 1 ? at->racing - 1 : 0) / all);
    return 0.7 * ready + 0.3 * raced;
}

/* Seconds left: by the pace so far, at most what the limit allows. */
static double seconds_left(const gputune_progress *at)
{
    double limit = at->limit_s > 0 ? fmax(0, at->limit_s - at->elapsed_s) : INFINITY;
    double done = variants_done(at);
    double pace = done > 0.05 ? at->elapsed_s * (1 - done) / done : INFINITY;
    return fmin(limit, pace);
}

static void append_bar(char **text, double fraction)
{
    int full = (int)(fraction * BAR_CELLS + 0.5);
    for (int i = 0; i < BAR_CELLS; i++) {
        cli_append(text, "%s", i < full ? "█" : "░");
    }
}

/* Appends what may be cut off on a narrow terminal. */
static void append_details(char **text, const gputune_progress *at)
{
    if (at->failed) {
        cli_append(text, ", %u failed", at->failed);
    }
    if (at->racing > 1 && at->round > 0) {
        cli_append(text, ", round %u with %u", at->round, at->racing);
    }
}

/* Of a large space only how many were tried, and how fast: the rest is left to the limit. */
static void append_tried(char **text, const gputune_progress *at)
{
    uint32_t tried = at->verified + at->failed;
    if (at->variants <= LARGE) {
        cli_append(text, "%u/%u", tried < at->variants ? tried : at->variants, at->variants);
    } else if (tried == 0) {
        cli_append(text, "%s the first", at->compiled ? "proving" : "compiling");
    } else {
        cli_append(text, "%u tried, %.3g/s", tried, tried / at->elapsed_s);
    }
}

static void append_best(char **text, const gputune_progress *at)
{
    if (!(at->best_ns > 0)) {
        return;
    }
    cli_append(text, ", best %s", cli_value(at->best_ns, at->objective));
    if (at->default_ns > 0) {
        cli_append(text, " (%.2fx)", at->default_ns / at->best_ns);
    }
}

static void append_left(char **text, const gputune_progress *at)
{
    double left = seconds_left(at);
    if (isfinite(left)) {
        cli_append(text, ", %.0f s left", ceil(left));
    }
}

static char *describe(const cli_progress *progress, const gputune_progress *at, bool bar)
{
    char *text = cli_copy("");
    if (progress->count > 1) {
        cli_append(&text, "[%zu/%zu] ", progress->index + 1, progress->count);
    }
    if (progress->gpu) {
        cli_append(&text, "%s: ", progress->gpu);
    }
    cli_append(&text, "%s%s", progress->label, bar ? " " : ": ");
    if (bar) { /* a large space is left at the limit, with most of its variants untried */
        double of_limit = at->limit_s > 0 ? fmin(1, at->elapsed_s / at->limit_s) : 0;
        append_bar(&text, fmax(variants_done(at), of_limit));
        cli_append(&text, " ");
    }
    append_tried(&text, at);
    append_best(&text, at);
    append_left(&text, at);
    append_details(&text, at);
    return text;
}

void cli_progress_update(void *user, const gputune_progress *at)
{
    cli_progress *progress = user;
    bool live = cli_console_is_live();
    double since = at->elapsed_s - progress->shown_s;
    bool first = progress->shown_s == 0;
    if (cli_given.quiet || since < (live ? (first ? 0 : redraw_s) : heartbeat_s)) {
        return;
    }
    progress->shown_s = at->elapsed_s;
    void *mark = cli_mark();
    char *text = describe(progress, at, live && !progress->gpu);
    if (live && progress->gpu) {
        cut(text, WIDTH_UNKNOWN);
        snprintf(progress->shown, sizeof progress->shown, "%s", text);
        draw(join(progress));
    } else if (live) {
        draw(text);
    } else {
        cli_note("%s", text);
    }
    cli_release(mark);
}
