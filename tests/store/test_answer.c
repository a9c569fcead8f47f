/* Tests for each of the terms whether a stored result may be used for a request. */
#include "store_support.h"

#include "store/answer.h"

/* How the terms of a result or request differ from those of a finished and verified tuning. */
typedef struct change {
    gputune_effort effort; /* 0 means GPUTUNE_MEASURE */
    uint32_t limit;
    double limit_s; /* time limit that ended the tuning; implies cut_short */
    bool cut_short, unproved, complete, other_space, other_driver;
} change;

static gt_terms terms_with(const change *c)
{
    gt_terms terms = terms_of(c->effort ? c->effort : GPUTUNE_MEASURE);
    terms.limit = c->limit;
    terms.limit_s = c->limit_s;
    terms.final = !c->cut_short && c->limit_s == 0;
    terms.proved = !c->unproved;
    terms.complete = c->complete;
    terms.space = hash_of(c->other_space ? 78 : 77);
    terms.driver_version += c->other_driver;
    return terms;
}

static const struct {
    const char *what;
    change made, asked;
    bool answers, answers_for;
} cases[] = {
    {"the same", {0}, {0}, true, true},
    {"more effort than asked", {.effort = GPUTUNE_EXHAUSTIVE}, {0}, true, true},
    {"less effort than asked", {0}, {.effort = GPUTUNE_EXHAUSTIVE}, false, false},
    {"an estimate", {.effort = GPUTUNE_ESTIMATE}, {0}, false, false},
    {"an estimate was asked for", {0}, {.effort = GPUTUNE_ESTIMATE}, true, true},
    {"as many variants as asked", {.limit = 5}, {.limit = 5}, true, true},
    {"more variants than asked", {.limit = 9}, {.limit = 5}, true, true},
    {"fewer variants than asked", {.limit = 5}, {.limit = 9}, false, false},
    {"some variants, all asked", {.limit = 5}, {0}, false, false},
    {"all variants, some asked", {0}, {.limit = 5}, true, true},
    {"cut short", {.cut_short = true}, {0}, false, false},
    {"cut short, and so is the other", {.cut_short = true}, {.cut_short = true}, false, true},
    {"given as much time as asked", {.limit_s = 5}, {.limit_s = 5}, true, true},
    {"given more time than asked", {.limit_s = 9}, {.limit_s = 5}, true, true},
    {"given less time than asked", {.limit_s = 5}, {.limit_s = 9}, false, false},
    {"given some time, a decision asked", {.limit_s = 9}, {0}, false, false},
    {"cut short at once, time asked", {.cut_short = true}, {.limit_s = 5}, false, false},
    {"a decision, time asked", {0}, {.limit_s = 5}, true, true},
    {"unproved", {.unproved = true}, {0}, false, false},
    {"unproved, and so is the other", {.unproved = true}, {.unproved = true}, false, true},
    {"content with what was found, all asked", {0}, {.complete = true}, false, false},
    {"complete", {.complete = true}, {0}, true, true},
    {"another space", {.other_space = true}, {0}, false, false},
    {"another driver", {.other_driver = true}, {0}, false, false},
};

TEST(each_part_of_the_terms_counts)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const gt_terms made = terms_with(&cases[i].made), asked = terms_with(&cases[i].asked);
        bool answers = gt_answers(&made, &asked), answers_for = gt_answers_for(&made, &asked);
        if (answers != cases[i].answers || answers_for != cases[i].answers_for) {
            fail_msg("%s: answers a request %d, stands for the other %d", cases[i].what, answers,
                     answers_for);
        }
    }
}

TEST(any_result_answers_a_request_that_does_not_measure)
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
