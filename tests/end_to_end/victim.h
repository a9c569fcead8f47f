/* Finds a worker of a process, for tests that kill workers. */
#pragma once

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

/* Returns the process ID of a child of `parent` with that role, or 0. */
static inline pid_t worker_of(pid_t parent, const char *role)
{
    pid_t found = 0;
    DIR *folder = opendir("/proc");
    struct dirent *entry;
    while (folder && !found && (entry = readdir(folder))) {
        char path[300], text[512] = "";
        long pid = strtol(entry->d_name, NULL, 10), above = 0;
        snprintf(path, sizeof path, "/proc/%ld/stat", pid);
        FILE *file = pid > 0 ? fopen(path, "r") : NULL;
        const char *at = file && fgets(text, sizeof text, file) ? strrchr(text, ')') : NULL;
        above = at && strlen(at) > 4 ? strtol(at + 4, NULL, 10) : 0;
        if (file) {
            fclose(file);
        }
        if (above != parent) {
            continue;
        }
        snprintf(path, sizeof path, "/proc/%ld/cmdline", pid);
        file = fopen(path, "r");
        size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
        if (file) {
            fclose(file);
        }
        for (size_t i = 0; i < length; i++) {
            text[i] = text[i] ? text[i] : ' ';
        }
        text[length] = '\0';
        found = strstr(text, role) ? (pid_t)pid : 0;
    }
    if (folder) {
        closedir(folder);
    }
    return found;
}
