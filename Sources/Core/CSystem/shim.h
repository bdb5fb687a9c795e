#ifndef VITRINE_CFILESYSTEM_H
#define VITRINE_CFILESYSTEM_H

// Functions of the C library that Swift's own modules lack or cannot call.

#include <sys/resource.h>
#include <dirent.h>
#include <stdio.h>
#include <sys/types.h>

// Returns the entry's name in place. Swift imports it as an array of 256 bytes and reads them all, beyond the entry's end.
static inline const char *vitrine_entry_name(const struct dirent *entry) {
    return entry->d_name;
}

// Number of files and connections that this process may have open now; 0 if it is unknown.
static inline unsigned long long vitrine_open_file_limit(void) {
    struct rlimit limit;
    return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? (unsigned long long)limit.rlim_cur : 0;
}

// Lets this process open as many files and connections as it may.
static inline void vitrine_raise_open_file_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

#if defined(__linux__)

#include <malloc.h>
#include <sys/xattr.h>

// Lets all threads allocate from one part of the memory. Returns 0 if that is not possible.
static inline int vitrine_share_memory(void) {
    return mallopt(M_ARENA_MAX, 1);
}

// Declared by the header only with _GNU_SOURCE.
extern int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned int flags);

// Exchanges two files or folders of one volume in one step.
static inline int vitrine_exchange(const char *one, const char *other) {
    return renameat2(-100 /* AT_FDCWD */, one, -100, other, 2 /* RENAME_EXCHANGE */);
}

static inline int vitrine_set_attribute(const char *path, const char *name, const char *value, size_t size) {
    return lsetxattr(path, name, value, size, 0);
}

static inline ssize_t vitrine_get_attribute(const char *path, const char *name, char *value, size_t size) {
    return lgetxattr(path, name, value, size);
}

#elif defined(__APPLE__)

// Exchanges two files or folders of one volume in one step.
static inline int vitrine_exchange(const char *one, const char *other) {
    return renamex_np(one, other, RENAME_SWAP);
}

#endif

#endif
