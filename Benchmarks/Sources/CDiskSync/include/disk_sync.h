/// What is asked of the disk: how often, and how long it takes.
///
/// Linked into a program, this takes the place of the system's `fsync` and `fdatasync` for every library in it.
#ifndef DISK_SYNC_H
#define DISK_SYNC_H

/// How often the disk was asked to make something durable.
long disk_sync_count(void);

/// Lets each of these calls take so many microseconds longer, as on a slower disk.
void disk_sync_set_delay(unsigned microseconds);

#endif
