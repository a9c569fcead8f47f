/* Orders a run's scenarios, and divides the run's time among them. */
#include "cli/turns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIRST   3.0 /* weight of the first search of a kernel */
#define LEAST_S 1.0 /* minimum time, enough to compile and verify a default */

double cli_turn_cost(const char *sizes)
{
    double cost = 1;
    for (const char *sign = strchr(sizes, '='); sign; sign = strchr(sign + 1, '=')) {
        int64_t number;
        const char *value = cli_copy_part(sign + 1, strcspn(sign + 1, " "));
        cost *= cli_size_number(&number, value) ? 1 : (double)number;
    }
    return cost;
}

typedef struct search {
    cli_turn *turns;
    size_t count;
    const cli_turn *like; /* the scenario whose kernel is being looked up */
} search;

bool cli_turns_are_alike(const cli_turn *a, const cli_turn *b)
{
    /* compare names, because each miss in a file has its own copy of the kernel's struct */
    return strcmp(a->scenario->kernel->given, b->scenario->kernel->given) == 0;
}

static int take_winner(void *user, const gputune_record *record)
{
    const search *at = user;
    for (size_t i = 0; i < at->count && !record->outdated; i++) {
        const cli_scenario *scenario = at->turns[i].scenario;
        if (!cli_turns_are_alike(&at->turns[i], at->like)) {
            continue;
        }
        at->turns[i].started = true;
        at->turns[i].known |=
            !record->unfinished && !record->unproved && cli_is_of_scenario(record, scenario);
    }
    return 0;
}

cli_turn *cli_turns_make(const cli_session *session, const cli_scenarios *scenarios)
{
    cli_turn *turns = cli_allocate(scenarios->count + 1, sizeof *turns);
    search at = {.turns = turns, .count = scenarios->count};
    for (size_t i = 0; i < scenarios->count; i++) {
        const cli_scenario *scenario = &scenarios->items[i];
        turns[i] = (cli_turn){
            .scenario = scenario, .place = i, .cost = cli_turn_cost(scenario->size_text)};
    }
    for (size_t i = 0; i < scenarios->count && scenarios->count > 1; i++) {
        if (at.like && cli_turns_are_alike(&turns[i], at.like)) {
            continue; /* the last look-up was for the same kernel */
        }
        at.like = &turns[i];
        const gputune_record_filter filter = {.size = sizeof filter,
                                              .kernel = scenarios->items[i].kernel->given};
        /* ignore errors, because the tuning will report them */
        (void)gputune_records(session->tuner, &filter, take_winner, &at);
    }
    return turns;
}

/* Returns |log(a / b)|, rounded, because equal ratios must give equal results. */
static double distance(double a, double b)
{
    return round(fabs(log(fmax(a, 1) / fmax(b, 1))) * 1e6);
}

/* Returns the cost that is nearest to the geometric mean of a kernel's costs. The size with this
 * cost is tuned first and gets the most time, because searches at other sizes begin with its
 * results. Measurements: tools/bench/notes/search.md. */
static double find_middle(const cli_turn *turns, size_t count, size_t kernel_place)
{
    double sum = 0, middle = INFINITY;
    size_t sizes = 0;
    for (size_t i = 0; i < count; i++) {
        bool is_its = turns[i].kernel_place == kernel_place && !turns[i].known;
        sum += is_its ? log(fmax(turns[i].cost, 1)) : 0;
        sizes += is_its;
    }
    const double mean = sizes ? exp(sum / (double)sizes) : 1;
    for (size_t i = 0; i < count; i++) {
        bool is_its = turns[i].kernel_place == kernel_place && !turns[i].known;
        double cost = turns[i].cost;
        double nearer = distance(middle, mean) - distance(cost, mean);
        if (is_its && (nearer > 0 || (nearer == 0 && cost < middle))) {
            middle = cost;
        }
    }
    return middle;
}

static int compare_turns(const void *left, const void *right)
{
    const cli_turn *a = left, *b = right;
    int order = b->known - a->known;
    order =
        order ? order : (a->kernel_place > b->kernel_place) - (a->kernel_place < b->kernel_place);
    order = order ? order : (a->far > b->far) - (a->far < b->far);
    order = order ? order : (a->cost > b->cost) - (a->cost < b->cost);
    return order ? order : (a->place > b->place) - (a->place < b->place);
}

static size_t first_of_kernel(const cli_turn *turns, size_t at)
{
    size_t first = 0;
    while (!cli_turns_are_alike(&turns[first], &turns[at])) {
        first++;
    }
    return first;
}

void cli_turns_sort(cli_turn *turns, size_t count)
{
    double middle = 0;
    for (size_t i = 0; i < count; i++) {
        turns[i].kernel_place = turns[first_of_kernel(turns, i)].place;
    }
    for (size_t i = 0; i < count; i++) {
        size_t place = turns[i].kernel_place;
        bool is_same = i > 0 && turns[i - 1].kernel_place == place;
        middle = is_same ? middle : find_middle(turns, count, place);
        turns[i].far = turns[i].known ? 0 : distance(turns[i].cost, middle);
    }
    qsort(turns, count, sizeof *turns, compare_turns);
}

void cli_turns_weigh(cli_turn *turns, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bool is_first = first_of_kernel(turns, i) == i && !turns[i].started;
        turns[i].weight = is_first ? FIRST : 1;
    }
}

double cli_turns_share_s(const cli_turn *turns, size_t count, size_t at, double left_s,
                         size_t side_by_side)
{
    double all = 0;
    for (size_t i = at; i < count; i++) {
        all += turns[i].weight;
    }
    double share = turns[at].weight / all * (double)side_by_side;
    return fmax(left_s * fmin(share, 1), LEAST_S);
}

void cli_turns_note(cli_turn *turns, size_t count, size_t at, const cli_turn *done, double took_s)
{
    for (size_t i = at; i < count && !done->known; i++) {
        turns[i].took_s = cli_turns_are_alike(&turns[i], done) ? took_s : turns[i].took_s;
    }
}

size_t cli_turns_longest(const cli_turn *turns, size_t count, size_t at)
{
    size_t longest = at;
    for (size_t i = at; i < count; i++) {
        if (!(turns[i].took_s > 0)) {
            return i;
        }
        const cli_turn *turn = &turns[i], *most = &turns[longest];
        bool takes_longer =
            cli_turns_are_alike(turn, most) ? turn->cost > most->cost : turn->took_s > most->took_s;
        longest = takes_longer ? i : longest;
    }
    return longest;
}
