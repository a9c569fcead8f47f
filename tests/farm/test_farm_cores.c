/* Tests how the farms of one or more processes share the cores. */
#include "farm/farm_host.h"
#include "support/test.h"

#include <sys/mman.h>

enum { CORES = 8 };

/* A farm on a machine with eight cores, without worker processes. */
typedef struct fake {
    gt_compile_host host;
    gt_slot slots[CORES];
    gt_farm_request request;
} fake;

static void open_fake(fake *f)
{
    memset(f, 0, sizeof *f);
    f->host.slots = f->slots;
    f->host.slot_count = f->host.limit = CORES;
    gt_cores_join(&f->host);
}

/* Returns how many cores the farm may use if `at_work` of its workers have a job. */
static uint32_t allowed(fake *f, uint32_t at_work)
{
    for (uint32_t i = 0; i < CORES; i++) {
        f->slots[i].link.open = true;
        f->slots[i].queue.first = &f->request;
        f->slots[i].queue.count = i < at_work;
    }
    gt_cores_divide(&f->host);
    return f->host.allowed;
}

TEST(each_farm_has_its_share_and_idle_cores)
{
    fake one, other;
    open_fake(&one);
    assert_true(one.host.cores >= 10); /* the lock file must not be descriptor 0 to 2 */
    assert_int_equal(allowed(&one, 0), 8);
    assert_int_equal(allowed(&one, 8), 8);
    open_fake(&other);
    assert_int_equal(allowed(&other, 0), 4);
    assert_int_equal(allowed(&other, 2), 4);
    assert_int_equal(allowed(&one, 8), 6);
    assert_int_equal(allowed(&other, 4), 4);
    assert_int_equal(allowed(&one, 6), 4);
    assert_int_equal(allowed(&other, 0), 4);
    assert_int_equal(allowed(&one, 4), 8);
    gt_cores_leave(&one.host);
    assert_int_equal(allowed(&other, 0), 8);
    gt_cores_leave(&other.host);
}

TEST(forgotten_jobs_take_no_core)
{
    fake one, other;
    open_fake(&one);
    open_fake(&other);
    assert_int_equal(allowed(&one, 8), 8);
    assert_int_equal(allowed(&other, 0), 4);
    one.request.forgotten = true;
    assert_int_equal(allowed(&one, 8), 8);
    assert_int_equal(allowed(&other, 0), 8);
    gt_cores_leave(&one.host);
    gt_cores_leave(&other.host);
}

/* A child that the application forks shares the farm's open file, and may outlive the farm. */
TEST(a_forked_child_keeps_no_cores)
{
    fake one, other;
    open_fake(&one);
    open_fake(&other);
    (void)allowed(&one, 6);
    pid_t child = fork();
    if (child == 0) {
        pause();
    }
    uint32_t before = allowed(&other, 0);
    gt_cores_leave(&one.host);
    uint32_t after = allowed(&other, 0);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    assert_int_equal(before, 4);
    assert_int_equal(after, 8);
    gt_cores_leave(&other.host);
}

TEST(more_farms_than_cores_have_one_each)
{
    fake farms[CORES + 2];
    for (int i = 0; i < CORES + 2; i++) {
        open_fake(&farms[i]);
    }
    assert_int_equal(allowed(&farms[0], 8), 8);
    assert_int_equal(allowed(&farms[1], 0), 1);
    for (int i = 0; i < CORES + 2; i++) {
        gt_cores_leave(&farms[i].host);
    }
}

TEST(processes_share_them_by_a_file)
{
    fake one;
    int ready[2];
    char byte, path[32];
    int file = memfd_create("cores", 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    setenv("GPUTUNE_CORES", path, 1);
    open_fake(&one);
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        fake other;
        open_fake(&other);
        (void)allowed(&other, 3);
        (void)!write(ready[1], "", 1);
        pause();
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(allowed(&one, 0), 5);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    assert_int_equal(allowed(&one, 0), 8);
    gt_cores_leave(&one.host);
    unsetenv("GPUTUNE_CORES");
    close(file);
    close(ready[0]);
    close(ready[1]);
}
