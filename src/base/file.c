/* Reads whole files, finds well-known folders, and matches paths with a pattern. */
#include "base/file.h"
#include "base/clock.h"
#include "base/environment.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static gputune_status cannot_read(const char *path, const char *why)
{
    return gt_fail(GPUTUNE_EIO, "cannot read %s: %s; expected a regular file", path, why);
}

/* Reads to the end of the file instead of to its initial size, because the file may grow. */
static gputune_status read_all(gt_text *text, int file, const char *path, size_t most)
{
    char chunk[16384];
    ssize_t got;
    while ((got = read(file, chunk, sizeof chunk)) != 0) {
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return cannot_read(path, strerror(errno));
        }
        gt_text_append_bytes(text, chunk, (size_t)got);
        GT_REFUSE(text->length > most, GPUTUNE_EIO,
                  "cannot read %s: it has more than %zu bytes; expected less", path, most);
    }
    return GPUTUNE_OK;
}

/* Refuses devices, FIFOs and sockets, because opening or reading them may block forever. */
gputune_status gt_file_open(int *out, const char *path)
{
    struct stat facts = {0};
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    GT_REFUSE(file < 0, errno == ENOENT ? GPUTUNE_ENOTFOUND : GPUTUNE_EIO, "cannot open %s: %s",
              path, strerror(errno));
    const char *why = fstat(file, &facts) != 0 ? strerror(errno)
                      : S_ISDIR(facts.st_mode) ? "Is a directory"
                                               : "it is a device, a FIFO or a socket";
    if (!S_ISREG(facts.st_mode)) {
        close(file);
        return cannot_read(path, why);
    }
    *out = file;
    return GPUTUNE_OK;
}

gputune_status gt_file_read(char **out, size_t *bytes, const char *path)
{
    return gt_file_read_most(out, bytes, path, GT_FILE_MOST);
}

gputune_status gt_file_read_most(char **out, size_t *bytes, const char *path, size_t most)
{
    int file;
    GT_TRY(gt_file_open(&file, path));
    GT_SCOPED(gt_text_free) gt_text text = {0};
    gputune_status status = read_all(&text, file, path, most);
    close(file);
    size_t length = text.length;
    GT_THEN(status, gt_text_take(out, &text));
    if (status == GPUTUNE_OK && bytes) {
        *bytes = length;
    }
    return status;
}

const char *gt_file_peek(char *out, size_t size, const char *path)
{
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    ssize_t got = file < 0 ? 0 : read(file, out, size - 1);
    if (file >= 0) {
        close(file);
    }
    out[got > 0 ? got : 0] = '\0';
    return out;
}

static void free_output(gt_output *output)
{
    free(output->path);
    free(output->part);
}

gputune_status gt_output_open(gt_output *out, const char *path)
{
    struct stat old, link;
    const bool exists = stat(path, &old) == 0,
               is_link = lstat(path, &link) == 0 && S_ISLNK(link.st_mode);
    const bool is_replaceable = exists ? S_ISREG(old.st_mode) && old.st_nlink == 1 &&
                                             old.st_uid == geteuid() && access(path, W_OK) == 0
                                       : !is_link;
    GT_FREED char *target = is_link ? realpath(path, NULL) : NULL;
    GT_SCOPED(free_output) gt_output output = {NULL};
    GT_TRY(gt_strdup(&output.path, target ? target : path));
    if (is_replaceable) {
        GT_TRY(gt_format(&output.part, "%s.%ld.%llx.part", output.path, (long)getpid(),
                         (unsigned long long)gt_now_ns()));
        output.file = fopen(output.part, "wbxe");
    }
    if (output.file && exists) {
        (void)fchmod(fileno(output.file), old.st_mode & (S_IRWXU | S_IRWXG | S_IRWXO));
    }
    if (!output.file && (!output.part || errno == EACCES || errno == ENAMETOOLONG)) {
        free(gt_take(&output.part));
        output.file = fopen(path, "wbe");
    }
    GT_REFUSE(!output.file, GPUTUNE_EIO, "cannot write '%s': %s", path, strerror(errno));
    *out = gt_take(&output);
    return GPUTUNE_OK;
}

gputune_status gt_output_close(gt_output *output)
{
    GT_SCOPED(free_output) gt_output closed = *output;
    bool good = !ferror(closed.file);
    good &= fclose(closed.file) == 0;
    good = good && (!closed.part || rename(closed.part, closed.path) == 0);
    const int error = errno;
    if (!good && closed.part) {
        (void)unlink(closed.part);
    }
    return good ? GPUTUNE_OK
                : gt_fail(GPUTUNE_EIO, "cannot write '%s': %s", closed.path, strerror(error));
}

bool gt_file_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

bool gt_file_is_folder(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
}

gputune_status gt_file_make_parents(const char *path)
{
    GT_FREED char *copy = NULL;
    GT_TRY(gt_strdup(&copy, path));
    gputune_status status = GPUTUNE_OK;
    for (char *slash = strchr(copy + 1, '/'); slash && !status; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(copy, 0700) != 0 && errno != EEXIST) {
            status = gt_fail(GPUTUNE_EIO, "cannot create the folder %s: %s", copy, strerror(errno));
        }
        *slash = '/';
    }
    return status;
}

/* Path of the library or program that contains this code; "" if it is unknown. It is found when the
 * code is loaded, because it may be relative and the program may change its current folder. */
static char own_path[PATH_MAX];

__attribute__((constructor)) static void find_own_path(void)
{
    Dl_info info;
    bool found = dladdr(own_path, &info) && info.dli_fname && realpath(info.dli_fname, own_path);
    /* for a static program that was found on PATH, dladdr() returns a name without a folder */
    found = found && (strchr(info.dli_fname, '/') || gt_file_exists(info.dli_fname));
    if (!found && !realpath("/proc/self/exe", own_path)) {
        own_path[0] = '\0';
    }
}

gputune_status gt_file_own_folder(char **out)
{
    const char *slash = strrchr(own_path, '/');
    return slash ? gt_strndup(out, own_path, (size_t)(slash - own_path))
                 : gt_fail(GPUTUNE_EIO, "cannot find this program's own folder");
}

/* Sets *out to the folder of the command `folder`/gputune, with links resolved. Leaves *out
 * unchanged if there is no such command, or if its installation has no worker program. */
static gputune_status try_installed(char **out, const char *folder, size_t length)
{
    GT_FREED char *path = NULL;
    GT_FREED char *worker = NULL;
    GT_TRY(gt_format(&path, "%.*s/gputune", (int)length, folder));
    GT_FREED char *command = realpath(path, NULL);
    if (!command) {
        return GPUTUNE_OK;
    }
    *strrchr(command, '/') = '\0';
    GT_TRY(gt_format(&worker, "%s/../libexec/gputune/gputune-worker", command));
    if (gt_file_exists(worker)) {
        *out = command;
        command = NULL;
    }
    return GPUTUNE_OK;
}

gputune_status gt_file_installed_folder(char **out)
{
    GT_FREED char *folders = NULL;
    const char *path = gt_environment("PATH");
    *out = NULL;
    GT_TRY(gt_format(&folders, "%s:/usr/local/bin:/usr/bin", path ? path : ""));
    for (const char *at = folders; *at && !*out; at += strspn(at, ":")) {
        size_t length = strcspn(at, ":");
        if (*at == '/') {
            GT_TRY(try_installed(out, at, length));
        }
        at += length;
    }
    return GPUTUNE_OK;
}

typedef struct part {
    char **out;
    gt_text *tried;
    const char *name;
    int mode;
} part;

/* Looks for a file at folder/place/name. The file must belong to root or to the owner of `folder`.
 * The owner of folder/place is not trusted, because `place` may lead to a folder such as /tmp, to
 * which any user may write. */
static gputune_status try_part(const part *part, const char *folder, const char *place)
{
    struct stat facts, of_folder;
    GT_FREED char *path = NULL;
    if (!folder || *part->out) {
        return GPUTUNE_OK;
    }
    GT_TRY(gt_format(&path, "%s/%s/%s", folder, place, part->name));
    if (access(path, part->mode) == 0 && stat(path, &facts) == 0 && S_ISREG(facts.st_mode) &&
        (facts.st_uid == 0 ||
         (stat(folder, &of_folder) == 0 && of_folder.st_uid == facts.st_uid))) {
        *part->out = path;
        path = NULL;
    } else {
        gt_text_printf(part->tried, "%s%s", part->tried->length ? ", " : "", path);
    }
    return GPUTUNE_OK;
}

static gputune_status try_part_beside(const part *part, const char *folder)
{
    GT_TRY(try_part(part, folder, "."));
    GT_TRY(try_part(part, folder, "gputune"));
    return try_part(part, folder, "../libexec/gputune");
}

gputune_status gt_file_find_part(char **out, gt_text *tried, const char *name, int mode)
{
    GT_FREED char *own = NULL;
    GT_FREED char *installed = NULL;
    GT_FREED char *program = realpath("/proc/self/exe", NULL);
    const part part = {out, tried, name, mode};
    *out = NULL;
    if (gt_file_own_folder(&own) == GPUTUNE_ENOMEM) {
        return GPUTUNE_ENOMEM;
    }
    GT_TRY(try_part_beside(&part, own));
    if (program) {
        *strrchr(program, '/') = '\0';
    }
    if (program && !(own && strcmp(own, program) == 0)) {
        GT_TRY(try_part_beside(&part, program));
    }
    if (!*out) {
        GT_TRY(gt_file_installed_folder(&installed));
        GT_TRY(try_part_beside(&part, installed));
    }
    return try_part(&part, program, "../.."); /* test programs are two folders below build */
}

gputune_status gt_file_cache_folder(char **out)
{
    const char *cache = gt_environment("XDG_CACHE_HOME");
    const char *home = gt_environment("HOME");
    if (cache && cache[0] == '/') {
        return gt_format(out, "%s/gputune", cache);
    }
    if (home && home[0] == '/') {
        GT_REFUSE(!gt_file_is_folder(home), GPUTUNE_ENOTFOUND,
                  "no cache folder: HOME is %s, which is not a folder; set GPUTUNE_DB or "
                  "XDG_CACHE_HOME",
                  home);
        return gt_format(out, "%s/.cache/gputune", home);
    }
    return gt_fail(
        GPUTUNE_ENOTFOUND,
        "no cache folder: neither XDG_CACHE_HOME nor HOME is set; set GPUTUNE_DB or one of "
        "them");
}

gputune_status gt_path_absolute(char **out, const char *path)
{
    char folder[PATH_MAX];
    bool is_relative = path[0] != '/' && getcwd(folder, sizeof folder);
    return gt_format(out, "%s%s%s", is_relative ? folder : "", is_relative ? "/" : "", path);
}

static gputune_status add_match(gt_texts *out, const char *folder, const char *name)
{
    char *path;
    bool below = *folder && folder[strlen(folder) - 1] != '/';
    GT_TRY(gt_format(&path, "%s%s%s", folder, below ? "/" : "", name));
    if (gt_file_exists(path)) {
        return gt_texts_take(out, path);
    }
    free(path);
    return GPUTUNE_OK;
}

static gputune_status add_entries(gt_texts *out, const char *folder, const char *component)
{
    DIR *entries = opendir(*folder ? folder : ".");
    gputune_status status = GPUTUNE_OK;
    while (entries && status == GPUTUNE_OK) {
        const struct dirent *entry = readdir(entries);
        if (!entry) {
            break;
        }
        if (fnmatch(component, entry->d_name, FNM_PERIOD) == 0) {
            status = add_match(out, folder, entry->d_name);
        }
    }
    if (entries) {
        closedir(entries);
    }
    return status;
}

/* Replaces each folder in `paths` by its entries that match the next component of the pattern. */
static gputune_status match_component(gt_texts *paths, const char *component)
{
    bool is_plain = !strpbrk(component, "*?[\\");
    gt_texts below = {0};
    gputune_status status = GPUTUNE_OK;
    for (size_t i = 0; i < paths->count && status == GPUTUNE_OK; i++) {
        const char *folder = paths->items[i];
        status = is_plain ? add_match(&below, folder, component)
                          : add_entries(&below, folder, component);
    }
    gt_texts_free(paths);
    *paths = below;
    return status;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

gputune_status gt_matches_find(gt_texts *out, const char *folder, const char *pattern)
{
    *out = (gt_texts){0};
    gputune_status status = gt_texts_add(out, folder, strlen(folder));
    while (status == GPUTUNE_OK && *(pattern += strspn(pattern, "/"))) {
        GT_FREED char *component = NULL;
        size_t length = strcspn(pattern, "/");
        status = gt_format(&component, "%.*s", (int)length, pattern);
        GT_THEN(status, match_component(out, component));
        pattern += length;
    }
    gt_array_sort(out, by_name);
    return status;
}
