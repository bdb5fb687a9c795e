#define _GNU_SOURCE
#include "disk_sync.h"

#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_long count;
static atomic_uint delay;

long disk_sync_count(void) { return atomic_load(&count); }

void disk_sync_set_delay(unsigned microseconds) { atomic_store(&delay, microseconds); }

static int after_delay(long call, int file) {
    atomic_fetch_add(&count, 1);
    unsigned microseconds = atomic_load(&delay);
    if (microseconds > 0) usleep(microseconds);
    return (int)syscall(call, file);
}

int fsync(int file) { return after_delay(SYS_fsync, file); }

int fdatasync(int file) { return after_delay(SYS_fdatasync, file); }
