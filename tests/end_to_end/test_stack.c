/* Tests that calls need little stack, because threads of applications may have small stacks. */
#include "world.h"

#include <sys/mman.h>

enum { STACK_BYTES = 1 << 20, MOST_BYTES = 48 << 10, FILLER = 0xa5 };

static gputune *tuner;

static void *tune(void *unused)
{
    gputune_options options = few_variants();
    gputune_plan *plan = NULL;
    CU(CtxSetCurrent(world.context));
    OK(tune_kernel(&plan, tuner, "axpy", GPUTUNE_SIZES({"n", 4099}), &options));
    gputune_plan_release(plan);
    return unused;
}

static void *rank(void *unused)
{
    gputune_options options = few_variants();
    gputune_plan *plan = NULL;
    options.effort = GPUTUNE_ESTIMATE;
    OK(tune_kernel(&plan, tuner, "axpy", GPUTUNE_SIZES({"n", 5003}), &options));
    gputune_plan_release(plan);
    return unused;
}

static int see_record(void *user, const gputune_record *record)
{
    return 0;
}

static int see_compiled(void *user, const gputune_compiled *compiled)
{
    return 0;
}

static void *run(void *unused)
{
    gputune_options options = few_variants();
    OK(gputune_run(tuner, "axpy", GPUTUNE_SIZES({"n", 4099}), NULL, 0, &options, see_record, NULL));
    return unused;
}

static void *compile(void *unused)
{
    gputune_options options = few_variants();
    OK(gputune_compile(tuner, "axpy", GPUTUNE_SIZES({"n", 4099}), NULL, &options, see_compiled,
                       NULL));
    return unused;
}

static void *show(void *unused)
{
    gputune_space *space;
    char *code;
    size_t bytes;
    OK(gputune_records(tuner, NULL, see_record, NULL));
    OK(gputune_describe_space(&space, tuner, "gemm", GPUTUNE_NO_SIZES, NULL, NULL));
    gputune_space_free(space);
    OK(gputune_emit(&code, &bytes, tuner, "axpy", GPUTUNE_NO_SIZES, NULL, NULL, GPUTUNE_FORM_PTX));
    gputune_free(code);
    return unused;
}

static void *open_and_close(void *unused)
{
    gputune *other = tuner_open(world.database);
    gputune_close(other);
    return unused;
}

/* Makes the call on a thread whose stack is filled with a pattern. Returns the number of bytes
 * used. */
static size_t stack_of(void *(*call)(void *))
{
    pthread_attr_t attributes;
    pthread_t thread;
    unsigned char *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    assert_ptr_not_equal(stack, MAP_FAILED);
    memset(stack, FILLER, STACK_BYTES);
    pthread_attr_init(&attributes);
    assert_int_equal(pthread_attr_setstack(&attributes, stack, STACK_BYTES), 0);
    assert_int_equal(pthread_create(&thread, &attributes, call, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    pthread_attr_destroy(&attributes);
    size_t untouched = 0;
    while (untouched < STACK_BYTES && stack[untouched] == FILLER) {
        untouched++;
    }
    munmap(stack, STACK_BYTES);
    return STACK_BYTES - untouched;
}

TEST(calls_need_little_stack)
{
    const struct {
        const char *name;
        void *(*call)(void *);
    } calls[] = {{"open", open_and_close}, {"tune", tune}, {"rank", rank}, {"run", run},
                 {"compile", compile},     {"show", show}};
    size_t most = 0;
    if (getenv("GPUTUNE_SANITIZED")) {
        skip();
    }
    tuner = tuner_open(":memory:");
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        size_t used = stack_of(calls[i].call);
        print_message("%s: %zu bytes of stack\n", calls[i].name, used);
        most = used > most ? used : most;
    }
    gputune_close(tuner);
    assert_in_range(most, 1, MOST_BYTES);
}

TESTS_WITHIN(open_h200, world_close)
