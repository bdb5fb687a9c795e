#ifndef VITRINE_CLIBARCHIVE_H
#define VITRINE_CLIBARCHIVE_H

#include <locale.h>

#include <archive.h>
#include <archive_entry.h>

// libarchive gives names in the character set of the thread's locale, and the C locale has no accents.
static inline locale_t vitrine_utf8_locale(void) {
    static const char *const names[] = {"C.UTF-8", "en_US.UTF-8", "UTF-8"};
    for (int index = 0; index < 3; index++) {
        locale_t locale = newlocale(LC_CTYPE_MASK, names[index], (locale_t)0);
        if (locale) return locale;
    }
    return (locale_t)0;
}

#endif
