/* Tests the cache of precompiled heads: the code must be the same, and no files may be left. */
#include "farm/worker.h"

#include "base/text.h"
#include "support/folder.h"
#include "support/test.h"

#include <dirent.h>

static const gt_nvrtc *nvrtc;
static gt_head_cache cache;
static char *folder;
static char head[16 * 1024];
static uint64_t headers;

/* Makes a head of many small templates. */
static int open_all(void **state)
{
    size_t used = 0;
    if (gt_nvrtc_open(&nvrtc, 0) != GPUTUNE_OK || !gt_nvrtc_keeps_heads(nvrtc)) {
        nvrtc = NULL;
        return 0;
    }
    for (int i = 0; used + 256 < sizeof head; i++) {
        used += (size_t)snprintf(head + used, sizeof head - used,
                                 "template <int N> struct s%d { static __device__ int f(int x) { "
                                 "return x * N + %d; } };\n",
                                 i, i);
    }
    folder = folder_make();
    setenv("TMPDIR", folder, 1);
    return 0;
}

static void forget_all(void)
{
    for (int i = 0; i < GT_HEADS; i++) {
        if (cache.heads[i].file > 0) {
            close(cache.heads[i].file);
        }
    }
    cache = (gt_head_cache){0};
}

static int close_all(void **state)
{
    forget_all();
    if (folder) {
        folder_remove(folder);
    }
    return 0;
}

/* Returns the PTX of a kernel that follows the head; NULL on an error. The caller frees the PTX. */
static char *compile(const char *body, const char *option)
{
    gt_text text = {0};
    gt_compiled result = {0};
    const char *const options[] = {option};
    gt_text_printf(&text, "%s\n%s", head, body);
    const gt_nvrtc_request request = {.text = gt_text_string(&text),
                                      .arch = "sm_90a",
                                      .options = options,
                                      .option_count = option ? 1 : 0,
                                      .ptx = true,
                                      .head_bytes = strlen(head),
                                      .headers = headers};
    gputune_status status = gt_head_cache_compile(&result, &cache, nvrtc, &request);
    char *ptx = result.image.data;
    result.image.data = NULL;
    gt_compiled_free(&result);
    gt_text_free(&text);
    assert_true(status == GPUTUNE_OK || status == GPUTUNE_ECOMPILE);
    return ptx;
}

static int count_kept(void)
{
    int kept = 0;
    for (int i = 0; i < GT_HEADS; i++) {
        kept += cache.heads[i].file > 0;
    }
    return kept;
}

/* Counts the entries of the folder for temporary files. */
static int count_files(void)
{
    int count = -2;
    DIR *open = opendir(folder);
    assert_non_null(open);
    while (readdir(open)) {
        count++;
    }
    closedir(open);
    return count;
}

/* Makes the cache believe that reading heads is slow, so caching them is worthwhile. */
static void make_worthwhile(void)
{
    for (int i = 0; i < GT_HEADS; i++) {
        cache.heads[i].plain_ns = cache.heads[i].last_use ? 1e12 : 0;
    }
}

static const char good[] = "#define N 3\n"
                           "extern \"C\" __global__ void k(int *x) { *x = s7<N>::f(*x); }\n";

TEST(test_code_is_the_same_and_no_file_is_left)
{
    SKIP_IF(!nvrtc);
    GT_FREED char *plain = compile(good, NULL);
    assert_int_equal(count_kept(), 0);
    make_worthwhile();
    GT_FREED char *kept = compile(good, NULL);
    assert_int_equal(count_kept(), 1);
    assert_int_equal(count_files(), 0);
    GT_FREED char *used = compile(good, NULL);
    assert_string_equal(plain, kept);
    assert_string_equal(plain, used);
    GT_FREED char *other =
        compile("#define N 4\nextern \"C\" __global__ void k(int *x) { *x = N; }\n", NULL);
    assert_non_null(strstr(other, "4"));
}

/* A register limit does not affect how a head is read, but a macro does. */
TEST(test_a_head_is_bound_to_the_options)
{
    SKIP_IF(!nvrtc);
    free(compile(good, "--maxrregcount=32"));
    assert_int_equal(count_kept(), 1);
    free(compile(good, "-DSOMETHING=1"));
    assert_int_equal(count_kept(), 1);
    make_worthwhile();
    free(compile(good, "-DSOMETHING=1"));
    assert_int_equal(count_kept(), 2);
}

/* NVRTC itself uses a precompiled head even if a header of the head has changed. */
TEST(test_a_changed_header_is_read_again)
{
    SKIP_IF(!nvrtc);
    static const char line[] = "#include <factor.h>\n";
    char option[300], path[300], word[16];
    const size_t length = strlen(head);
    snprintf(option, sizeof option, "-I%s", folder);
    snprintf(path, sizeof path, "%s/factor.h", folder);
    memmove(head + sizeof line - 1, head, length + 1);
    memcpy(head, line, sizeof line - 1);
    /* Compiles each header three times: without a precompiled head, creating it, and using it. */
    for (int i = 0; i < 6; i++) {
        headers = i < 3 ? 1111 : 2222;
        snprintf(word, sizeof word, "%d", (int)headers);
        file_write(path, "#define FACTOR %s\n", word);
        GT_FREED char *ptx =
            compile("extern \"C\" __global__ void k(int *x) { *x *= FACTOR; }", option);
        if (!ptx || !strstr(ptx, word)) {
            fail_msg("the code does not contain %s", word);
        }
        make_worthwhile();
    }
    headers = 0;
    memmove(head, head + sizeof line - 1, length + 1);
    unlink(path);
    forget_all();
}

TEST(test_a_mistake_of_a_variant_is_its_own)
{
    SKIP_IF(!nvrtc);
    assert_null(compile("extern \"C\" __global__ void k(int *x) { mistake; }\n", NULL));
    assert_non_null(strstr(gt_message(), "identifier \"mistake\" is undefined"));
    GT_FREED char *again = compile(good, NULL);
    assert_non_null(again);
}

static void make_folder(char out[512], const char *name, mode_t mode)
{
    snprintf(out, 512, "%s/%s", folder, name);
    assert_int_equal(mkdir(out, 0700), 0);
    assert_int_equal(chmod(out, mode), 0);
}

/* A folder that other users may write to is not emptied, because they may have put links into it. A
 * link is not followed, because another user may have created the link. */
TEST(test_only_own_leftovers_are_removed)
{
    char own[512], shared[512], others[512], head_of_others[600], link[512];
    SKIP_IF(!nvrtc);
    forget_all();
    make_folder(own, "gputune-head-999999999-abc", 0700);
    make_folder(shared, "gputune-head-999999999-abd", 0777);
    make_folder(others, "kept", 0700);
    snprintf(head_of_others, sizeof head_of_others, "%s/head", others);
    file_write(head_of_others, "%s", "");
    snprintf(link, sizeof link, "%s/gputune-head-999999999-abe", folder);
    assert_int_equal(symlink(others, link), 0);
    free(compile(good, NULL));
    make_worthwhile();
    free(compile(good, NULL));
    assert_int_equal(count_kept(), 1);
    assert_int_equal(access(own, F_OK), -1);
    assert_int_equal(access(shared, F_OK), 0);
    assert_int_equal(access(head_of_others, F_OK), 0);
}

TEST(test_without_a_place_heads_are_not_kept)
{
    SKIP_IF(!nvrtc);
    forget_all();
    setenv("TMPDIR", "/nowhere", 1);
    free(compile(good, NULL));
    make_worthwhile();
    GT_FREED char *code = compile(good, NULL);
    assert_non_null(code);
    assert_int_equal(count_kept(), 0);
}

TESTS_WITHIN(open_all, close_all)
