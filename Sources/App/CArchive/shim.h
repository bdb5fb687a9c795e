#ifndef VITRINE_CLIBARCHIVE_H
#define VITRINE_CLIBARCHIVE_H

#include <locale.h>

#if defined(__APPLE__)
#include <xlocale.h>
#endif

// libarchive gives names in the character set of the thread's locale, and the C locale has no accents.
static inline locale_t vitrine_utf8_locale(void) {
    static const char *const names[] = {"C.UTF-8", "en_US.UTF-8", "UTF-8"};
    for (int index = 0; index < 3; index++) {
        locale_t locale = newlocale(LC_CTYPE_MASK, names[index], (locale_t)0);
        if (locale) return locale;
    }
    return (locale_t)0;
}

#if __has_include(<archive.h>)

#include <archive.h>
#include <archive_entry.h>

#else

// Apple's systems have the library, and their SDKs lack its headers: what is used of it, as libarchive 3 declares it.
// Not built or run on Linux.

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct archive;
struct archive_entry;

#define ARCHIVE_EOF 1
#define ARCHIVE_OK 0

struct archive *archive_read_new(void);
int archive_read_free(struct archive *);
int archive_read_support_filter_gzip(struct archive *);
int archive_read_support_filter_xz(struct archive *);
int archive_read_support_filter_zstd(struct archive *);
int archive_read_support_format_raw(struct archive *);
int archive_read_support_format_tar(struct archive *);
int archive_read_support_format_zip_seekable(struct archive *);
int archive_read_set_format_option(struct archive *, const char *module, const char *option, const char *value);
int archive_read_open(
    struct archive *, void *context, int (*open)(struct archive *, void *context),
    ssize_t (*read)(struct archive *, void *context, const void **block),
    int (*close)(struct archive *, void *context));
int archive_read_open_fd(struct archive *, int descriptor, size_t block_size);
int archive_read_next_header(struct archive *, struct archive_entry **);
int archive_read_data_block(struct archive *, const void **buffer, size_t *size, int64_t *offset);
int archive_errno(struct archive *);
const char *archive_error_string(struct archive *);
int64_t archive_filter_bytes(struct archive *, int filter);
int archive_filter_count(struct archive *);

struct archive *archive_write_new(void);
int archive_write_free(struct archive *);
int archive_write_add_filter_zstd(struct archive *);
int archive_write_set_format_pax_restricted(struct archive *);
int archive_write_set_format_zip(struct archive *);
int archive_write_set_format_option(struct archive *, const char *module, const char *option, const char *value);
int archive_write_set_filter_option(struct archive *, const char *module, const char *option, const char *value);
int archive_write_set_bytes_in_last_block(struct archive *, int count);
int archive_write_open_fd(struct archive *, int descriptor);
int archive_write_header(struct archive *, struct archive_entry *);
ssize_t archive_write_data(struct archive *, const void *, size_t);
int archive_write_close(struct archive *);

struct archive_entry *archive_entry_new(void);
void archive_entry_free(struct archive_entry *);
const char *archive_entry_pathname(struct archive_entry *);
const char *archive_entry_hardlink(struct archive_entry *);
mode_t archive_entry_filetype(struct archive_entry *);
mode_t archive_entry_perm(struct archive_entry *);
int64_t archive_entry_size(struct archive_entry *);
int archive_entry_size_is_set(struct archive_entry *);
int archive_entry_is_encrypted(struct archive_entry *);
int archive_entry_sparse_count(struct archive_entry *);
void archive_entry_set_pathname(struct archive_entry *, const char *);
void archive_entry_set_filetype(struct archive_entry *, unsigned int);
void archive_entry_set_perm(struct archive_entry *, mode_t);
void archive_entry_set_size(struct archive_entry *, int64_t);
void archive_entry_set_mtime(struct archive_entry *, time_t, long);

#endif

#endif
