/* Tests which results answer which requests, for each of the terms. */
#include "store_support.h"

#include "store/answer.h"

/* A change of one of the terms, of the result or of the request. */
typedef struct change {
    const char *what;
    void (*made)(gt_terms *terms);
    void (*asked)(gt_terms *terms);
    bool answers, answers_for;
} change;

static void as_it_is(gt_terms *terms)
{
    (void)terms;
}

static void estimated(gt_terms *terms)
{
    terms->effort = GPUTUNE_ESTIMATE;
}

static void exhaustive(gt_terms *terms)
{
    terms->effort = GPUTUNE_EXHAUSTIVE;
}

static void of_five(gt_terms *terms)
{
    terms->limit = 5;
}

static void of_nine(gt_terms *terms)
{
    terms->limit = 9;
}

static void cut_short(gt_terms *terms)
{
    terms->final = false;
}

static void given_five_seconds(gt_terms *terms)
{
    terms->final = false;
    terms->limit_s = 5;
}

static void given_nine_seconds(gt_terms *terms)
{
    terms->final = false;
    terms->limit_s = 9;
}

static void unproved(gt_terms *terms)
{
    terms->proved = false;
}

static void complete(gt_terms *terms)
{
    terms->complete = true;
}

static void of_another_space(gt_terms *terms)
{
    terms->space = hash_of(78);
}

static void by_another_driver(gt_terms *terms)
{
    terms->driver_version = 13010;
}

static void on_a_thread(gt_terms *terms)
{
    terms->isolation = GPUTUNE_ISOLATION_THREAD;
}

static const change changes[] = {
    {"the same", as_it_is, as_it_is, true, true},
    {"more effort than asked", exhaustive, as_it_is, true, true},
    {"less effort than asked", as_it_is, exhaustive, false, false},
    {"an estimate", estimated, as_it_is, false, false},
    {"an estimate was asked for", as_it_is, estimated, true, true},
    {"as many variants as asked", of_five, of_five, true, true},
    {"more variants than asked", of_nine, of_five, true, true},
    {"fewer variants than asked", of_five, of_nine, false, false},
    {"some variants, all asked", of_five, as_it_is, false, false},
    {"all variants, some asked", as_it_is, of_five, true, true},
    {"cut short", cut_short, as_it_is, false, false},
    {"cut short, and so is the other", cut_short, cut_short, false, true},
    {"given as much time as asked", given_five_seconds, given_five_seconds, true, true},
    {"given more time than asked", given_nine_seconds, given_five_seconds, true, true},
    {"given less time than asked", given_five_seconds, given_nine_seconds, false, false},
    {"given some time, a decision asked", given_nine_seconds, as_it_is, false, false},
    {"cut short at once, time asked", cut_short, given_five_seconds, false, false},
    {"a decision, time asked", as_it_is, given_five_seconds, true, true},
    {"unproved", unproved, as_it_is, false, false},
    {"unproved, and so is the other", unproved, unproved, false, true},
    {"content with what was found, all asked", as_it_is, complete, false, false},
    {"complete", complete, as_it_is, true, true},
    {"another space", of_another_space, as_it_is, false, false},
    {"another driver", by_another_driver, as_it_is, false, false},
    {"on a thread, in a process asked", on_a_thread, as_it_is, false, false},
    {"on a thread, as asked", on_a_thread, on_a_thread, true, true},
    {"in a process, on a thread asked", as_it_is, on_a_thread, true, true},
};

TEST(each_part_of_the_terms_counts)
{
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        const change *c = &changes[i];
        gt_terms made = terms_of(GPUTUNE_MEASURE), asked = made;
        made.isolation = asked.isolation = GPUTUNE_ISOLATION_PROCESS;
        c->made(&made);
        c->asked(&asked);
        if (gt_answers(&made, &asked) != c->answers ||
            gt_answers_for(&made, &asked) != c->answers_for) {
            fail_msg("%s: answers a request %d, stands for the other %d", c->what,
                     gt_answers(&made, &asked), gt_answers_for(&made, &asked));
        }
    }
}

/* With an effort below MEASURE, any result is better than none. */
TEST(anything_answers_who_does_not_measure)
{
    gt_terms made = terms_of(GPUTUNE_MEASURE), asked = terms_of(GPUTUNE_CACHED_ONLY);
    made.final = made.proved = false;
    made.space = hash_of(78);
    assert_true(gt_answers(&made, &asked));
    asked.effort = GPUTUNE_ESTIMATE;
    assert_true(gt_answers(&made, &asked));
    made.effort = GPUTUNE_CACHED_ONLY;
    assert_false(gt_answers(&made, &asked));
}
