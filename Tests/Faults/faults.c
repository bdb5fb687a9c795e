// Preloaded into a process, counts its durable system calls over all threads with one counter, and stops or fails it at
// one of them.
//
//   FAULT_COUNT_FILE   where the number of calls is written when the process ends by itself
//   FAULT_AT           the call to act at, counted from 1; without it calls are only counted
//   FAULT_ERROR        the errno that this call fails with; without it the process is killed before the call
//   FAULT_LASTING      set if all calls from FAULT_AT on fail, except writing to the standard streams
//   FAULT_NO_EXCHANGE  set for a file system that cannot exchange two folders
//   FAULT_READ_AT      the offset in a ledger's file at which reading fails with EIO
//   FAULT_READ_COUNT   the number of times that it fails; the default is each time
//   FAULT_READ_PLACED  set if only reads at a given position (pread) fail, and reads in sequence succeed
//
// Counted are opening for writing, write, pwrite, fsync, fdatasync, ftruncate, rename, unlink, mkdir, rmdir and setting
// an attribute, on regular files and folders: what goes to terminals and pipes is not durable. The calls that take a
// folder to start from (openat and its like) count too.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

static atomic_long calls;

static long number(const char *name, long otherwise) {
    const char *text = getenv(name);
    return text ? atol(text) : otherwise;
}

static int lasts(void) { return getenv("FAULT_LASTING") != NULL; }

// Returns 1 where the call has to fail.
static int strikes(void) {
    long call = atomic_fetch_add(&calls, 1) + 1;
    long at = number("FAULT_AT", 0);
    if (lasts() ? at == 0 || call < at : call != at) return 0;
    long error = number("FAULT_ERROR", 0);
    if (error == 0) {
        syscall(SYS_kill, getpid(), SIGKILL);
        for (;;) pause();
    }
    errno = (int)error;
    return 1;
}

static int is_file(int descriptor) {
    struct stat status;
    return fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

static int is_folder(int descriptor) {
    struct stat status;
    return fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode);
}

__attribute__((destructor)) static void report(void) {
    const char *path = getenv("FAULT_COUNT_FILE");
    if (!path) return;
    char text[32];
    int length = snprintf(text, sizeof text, "%ld", atomic_load(&calls));
    int descriptor = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (descriptor < 0) abort();
    if (syscall(SYS_write, descriptor, text, length) != length) abort();
    syscall(SYS_close, descriptor);
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#define OPENS(name)                                                       \
    int name(const char *path, int flags, ...) {                          \
        va_list arguments;                                                \
        va_start(arguments, flags);                                       \
        mode_t mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(arguments, mode_t) : 0; \
        va_end(arguments);                                                \
        if ((flags & (O_WRONLY | O_RDWR | O_CREAT)) && strikes()) return -1; \
        return NEXT(name)(path, flags, mode);                             \
    }

OPENS(open)
OPENS(open64)

#define OPENS_AT(name)                                                    \
    int name(int folder, const char *path, int flags, ...) {              \
        va_list arguments;                                                \
        va_start(arguments, flags);                                       \
        mode_t mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(arguments, mode_t) : 0; \
        va_end(arguments);                                                \
        if ((flags & (O_WRONLY | O_RDWR | O_CREAT)) && strikes()) return -1; \
        return NEXT(name)(folder, path, flags, mode);                     \
    }

OPENS_AT(openat)
OPENS_AT(openat64)

#define ON_FILE(result, name, parameters, arguments)                      \
    result name parameters {                                              \
        if (is_file(descriptor) && !(lasts() && descriptor <= 2) && strikes()) return -1;                  \
        return NEXT(name) arguments;                                      \
    }

ON_FILE(ssize_t, write, (int descriptor, const void *bytes, size_t count), (descriptor, bytes, count))
ON_FILE(ssize_t, pwrite, (int descriptor, const void *bytes, size_t count, off_t offset),
        (descriptor, bytes, count, offset))
ON_FILE(ssize_t, pwrite64, (int descriptor, const void *bytes, size_t count, off64_t offset),
        (descriptor, bytes, count, offset))
// Returns 1 where reading bytes of a ledger has to fail.
static int is_unreadable(int descriptor, size_t count, off64_t offset) {
    static atomic_long failures;
    long bad = number("FAULT_READ_AT", -1);
    if (bad < offset || bad >= offset + (off64_t)count) return 0;
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    const char *name = strrchr(path, '/');
    if (!name || strcmp(name, "/ledger.sqlite") != 0) return 0;
    long most = number("FAULT_READ_COUNT", -1);
    if (most >= 0 && atomic_fetch_add(&failures, 1) >= most) return 0;
    errno = EIO;
    return 1;
}

ssize_t read(int descriptor, void *bytes, size_t count) {
    int isSpared = getenv("FAULT_READ_PLACED") != NULL;
    if (!isSpared && is_unreadable(descriptor, count, lseek(descriptor, 0, SEEK_CUR))) return -1;
    return NEXT(read)(descriptor, bytes, count);
}

ssize_t pread(int descriptor, void *bytes, size_t count, off_t offset) {
    if (is_unreadable(descriptor, count, offset)) return -1;
    return NEXT(pread)(descriptor, bytes, count, offset);
}

ssize_t pread64(int descriptor, void *bytes, size_t count, off64_t offset) {
    if (is_unreadable(descriptor, count, offset)) return -1;
    return NEXT(pread64)(descriptor, bytes, count, offset);
}

ON_FILE(int, ftruncate, (int descriptor, off_t length), (descriptor, length))
ON_FILE(int, ftruncate64, (int descriptor, off64_t length), (descriptor, length))
ON_FILE(int, fdatasync, (int descriptor), (descriptor))

int fsync(int descriptor) {
    if ((is_file(descriptor) || is_folder(descriptor)) && strikes()) return -1;
    return NEXT(fsync)(descriptor);
}

#define ON_PATH(name, parameters, arguments)                              \
    int name parameters {                                                 \
        if (strikes()) return -1;                                         \
        return NEXT(name) arguments;                                      \
    }

ON_PATH(rename, (const char *from, const char *to), (from, to))
ON_PATH(unlink, (const char *path), (path))
ON_PATH(renameat, (int from_folder, const char *from, int to_folder, const char *to), (from_folder, from, to_folder, to))

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
    if (strikes()) return -1;
    if (getenv("FAULT_NO_EXCHANGE") && (flags & RENAME_EXCHANGE)) {
        errno = EINVAL;
        return -1;
    }
    return NEXT(renameat2)(from_folder, from, to_folder, to, flags);
}

ON_PATH(unlinkat, (int folder, const char *path, int flags), (folder, path, flags))
ON_PATH(rmdir, (const char *path), (path))
ON_PATH(mkdir, (const char *path, mode_t mode), (path, mode))
ON_PATH(mkdirat, (int folder, const char *path, mode_t mode), (folder, path, mode))
ON_PATH(lsetxattr, (const char *path, const char *name, const void *value, size_t size, int flags),
        (path, name, value, size, flags))
