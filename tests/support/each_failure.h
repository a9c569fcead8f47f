/* Lets what is tested fail once for each call that could fail in it: the first allocation, the
 * second, and so on, until it makes no more. For programs that are linked with fault/failing.c. */
#ifndef TESTS_EACH_FAILURE_H
#define TESTS_EACH_FAILURE_H

#include "base/status.h"
#include "fault/failing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* What is tested. It frees what it got, whatever became of it, and asserts what must hold. */
typedef gputune_status (*each_act)(void *user);
/* Asserts what must hold once nothing fails any more. */
typedef void (*each_check)(void *user);

/* `call` is one of FAILING_CALLS. Whatever fails, `act` must not crash or keep memory, and where it
 * fails, it must say why; of memory that is short, it must say that. `step`: how far apart the
 * numbers are that are tried, 1 for all. `afterwards` may be NULL. Returns how many failures there
 * were. */
static inline long each_failure(const char *call, long step, each_act act, each_check afterwards,
                                void *user)
{
    long calls = 0, tried = 0;
    if (act(user) != GPUTUNE_OK) { /* what is made once in a process is made here */
        fail_msg("with nothing failing: %s", gt_message());
    }
    for (int always = 0; always < 2; always++) {
        calls = 1;
        for (long n = 1; n <= calls; n += step) {
            long live = failing_live();
            failing_begin(call, n, always);
            gputune_status status = act(user);
            calls = failing_end() < n ? 0 : n + step; /* it came to this one: there may be more */
            tried += calls > 0;
            if (failing_live() != live) {
                fail_msg("%s %ld: %ld allocations are left", call, n, failing_live() - live);
            }
            if (status < 0 && !gt_message()[0]) {
                fail_msg("%s %ld: status %s, and no message", call, n, gt_status_name(status));
            }
            if (status < 0 && status != GPUTUNE_ENOMEM && call[0] == 'a' && call[1] == 'l') {
                fail_msg("%s %ld: %s: %s", call, n, gt_status_name(status), gt_message());
            }
            if (afterwards) {
                afterwards(user);
            }
        }
    }
    return tried;
}

#endif
