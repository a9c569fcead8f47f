/* The compile worker: compiles with NVRTC and caches precompiled headers. */
#include "farm/worker.h"

#include "base/environment.h"
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* Shortest compile for which a precompiled header is made. Storing the header takes about as long
 * as reading the sources. For CUB, it needs about 180 MB of disk space. */
static const double WORTH_NS = 4e8;
static const double ROOM_BYTES = 1e9;

/* Returns a key for the precompiled header of this request: a hash of the head, its headers, the
 * architecture and the options that affect a precompiled header. The headers are hashed because
 * NVRTC does not notice that a header has changed since it was precompiled. */
static gt_hash key_of(const gt_nvrtc_request *request)
{
    static const char *const others[] = {"--maxrregcount", "--ptxas-options", "-Xptxas"};
    gt_hash key = gt_hash_join(gt_hash_bytes(request->text, request->head_bytes),
                               gt_hash_string(request->arch));
    key = gt_hash_join(key, (gt_hash){0, request->headers});
    for (size_t i = 0; i < request->option_count; i++) {
        bool counts = true;
        for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
            counts &= strncmp(request->options[i], others[k], strlen(others[k])) != 0;
        }
        key = counts ? gt_hash_join(key, gt_hash_string(request->options[i])) : key;
    }
    return key;
}

static struct gt_head *find_head(gt_head_cache *cache, gt_hash key)
{
    struct gt_head *oldest = &cache->heads[0];
    for (int i = 0; i < GT_HEADS; i++) {
        struct gt_head *head = &cache->heads[i];
        if (head->last_use && gt_hash_equal(head->key, key)) {
            return head;
        }
        oldest = head->last_use < oldest->last_use ? head : oldest;
    }
    if (oldest->file > 0) {
        close(oldest->file);
    }
    *oldest = (struct gt_head){.key = key};
    return oldest;
}

/* Removes a folder and its file "head" if the folder belongs to this user and nobody else can write
 * to it. Other users may replace the folder's name in `parent` by another folder or a link, so the
 * file is removed through the descriptor of the checked folder. Links are not followed. */
static void remove_leftover(int parent, const char *name)
{
    struct stat facts;
    int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0) {
        return;
    }
    if (fstat(folder, &facts) == 0 && facts.st_uid == geteuid() &&
        !(facts.st_mode & (S_IWGRP | S_IWOTH))) {
        unlinkat(folder, "head", 0);
        unlinkat(parent, name, AT_REMOVEDIR);
    }
    close(folder);
}

/* Removes the folders of workers that were killed before they could remove them. */
static void remove_stale_folders(const char *folder)
{
    static const char prefix[] = "gputune-head-";
    DIR *entries = opendir(folder);
    const struct dirent *entry;
    while (entries && (entry = readdir(entries)) != NULL) {
        bool is_ours = strncmp(entry->d_name, prefix, sizeof prefix - 1) == 0;
        long maker = is_ours ? strtol(entry->d_name + sizeof prefix - 1, NULL, 10) : 0;
        if (maker > 0 && kill((pid_t)maker, 0) != 0 && errno == ESRCH) {
            remove_leftover(dirfd(entries), entry->d_name);
        }
    }
    if (entries) {
        closedir(entries);
    }
}

/* Makes a temporary folder if the disk has enough space. The caller removes it and frees *out. */
static bool make_folder(char **out)
{
    struct statvfs facts;
    const char *given = gt_environment("TMPDIR"), *folder = given ? given : "/tmp";
    if (statvfs(folder, &facts) != 0 ||
        !((double)facts.f_bavail * (double)facts.f_frsize > ROOM_BYTES) ||
        gt_format(out, "%s/gputune-head-%ld-XXXXXX", folder, (long)getpid()) < 0) {
        return false;
    }
    remove_stale_folders(folder);
    if (!mkdtemp(*out)) {
        free(*out);
        return false;
    }
    return true;
}

static gputune_status compile_plain(gt_compiled *out, struct gt_head *head, const gt_nvrtc *nvrtc,
                                    const gt_nvrtc_request *request)
{
    gputune_status status = gt_nvrtc_compile(out, nvrtc, request, NULL);
    if (status == GPUTUNE_OK) {
        head->plain_ns = out->compile_ns;
    }
    return status;
}

/* Returns true if the compile succeeded and the precompiled header did not affect its messages. */
static bool served(gputune_status status, const gt_compiled *result)
{
    return status == GPUTUNE_OK && !strstr(result->log, "precompiled header");
}

static gputune_status compile_and_keep(gt_compiled *out, struct gt_head *head,
                                       const gt_nvrtc *nvrtc, const gt_nvrtc_request *request)
{
    char *folder, *path;
    head->failed = true;
    if (!make_folder(&folder)) {
        return compile_plain(out, head, nvrtc, request);
    }
    if (gt_format(&path, "%s/head", folder) < 0) {
        rmdir(folder);
        free(folder);
        return GPUTUNE_ENOMEM;
    }
    gputune_status status = gt_nvrtc_compile(out, nvrtc, request, &(gt_nvrtc_head){.keep = path});
    int file = served(status, out) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    unlink(path);
    rmdir(folder);
    free(path);
    free(folder);
    head->file = file > 0 ? file : 0;
    head->failed = file <= 0;
    return status;
}

gputune_status gt_head_cache_compile(gt_compiled *out, gt_head_cache *cache, const gt_nvrtc *nvrtc,
                                     const gt_nvrtc_request *request)
{
    if (request->head_bytes == 0 || !gt_nvrtc_keeps_heads(nvrtc)) {
        return gt_nvrtc_compile(out, nvrtc, request, NULL);
    }
    struct gt_head *head = find_head(cache, key_of(request));
    head->last_use = ++cache->clock;
    gputune_status status;
    if (head->file > 0) {
        char path[64];
        snprintf(path, sizeof path, "/proc/self/fd/%d", head->file);
        status = gt_nvrtc_compile(out, nvrtc, request, &(gt_nvrtc_head){.use = path});
        if (status == GPUTUNE_OK && !served(status, out)) {
            close(head->file);
            head->file = 0;
            head->failed = true;
        }
    } else if (!head->failed && head->plain_ns > WORTH_NS) {
        status = compile_and_keep(out, head, nvrtc, request);
    } else {
        return compile_plain(out, head, nvrtc, request);
    }
    /* compile again without the precompiled header, which may have caused the error */
    if (status < 0) {
        gt_compiled_free(out);
        status = gt_nvrtc_compile(out, nvrtc, request, NULL);
    }
    return status;
}

typedef struct compiler {
    const gt_nvrtc *nvrtc; /* NULL if NVRTC cannot be loaded; `refusal` then states the reason */
    gt_answer refusal;
    gt_head_cache heads;
} compiler;

static gputune_status compile_unit(void *worker, void *asked, void *reply, gt_current *current)
{
    compiler *compiler = worker;
    const gt_nvrtc_request *source = &((const gt_compile_job *)asked)->source;
    (void)current;
    GT_REFUSE(!compiler->nvrtc, (gputune_status)compiler->refusal.status, "%s",
              compiler->refusal.message);
    return gt_head_cache_compile(reply, &compiler->heads, compiler->nvrtc, source);
}

static gt_request_fn *const calls[GT_FRAME_KINDS] = {[GT_FRAME_COMPILE] = compile_unit};

int gt_compile_worker(int channel, const char *arch, int driver_version)
{
    compiler compiler = {0};
    gputune_status opened = gt_nvrtc_open(&compiler.nvrtc, driver_version);
    compiler.nvrtc = opened < 0 ? NULL : compiler.nvrtc;
    compiler.refusal = gt_answer_for(opened, GT_NO_VARIANT);
    /* The first compile of a process takes twice as long as later ones. Therefore a small kernel is
     * compiled first, unless a job arrives within 20 ms. If the driver is already in use, jobs
     * arrive after about 15 ms. */
    enum { MILLISECONDS = 20 };
    struct pollfd poller = {channel, POLLIN, 0};
    if (compiler.nvrtc && poll(&poller, 1, MILLISECONDS) == 0) {
        const gt_nvrtc_request request = {
            .text = "extern \"C\" __global__ void warm(float *x) { *x += 1; }",
            .arch = arch ? arch : "sm_90"};
        gt_compiled compiled = {0};
        gt_nvrtc_compile(&compiled, compiler.nvrtc, &request, NULL);
        gt_compiled_free(&compiled);
    }
    const gt_server server = {.worker = &compiler, .calls = calls};
    return gt_frame_send(channel, GT_FRAME_READY, 0, NULL, NULL) == GPUTUNE_OK
               ? gt_serve(&server, channel)
               : GT_EXIT_CHANNEL;
}
