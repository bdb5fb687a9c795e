#ifndef CMS_FLOOR_H
#define CMS_FLOOR_H

#include <stddef.h>

/// Reads and verifies a signed CMS container with OpenSSL alone: its signature, and its chain to a root at a date.
///
/// @param receipt The container in DER.
/// @param root The trusted root in PEM, a text that ends with a zero.
/// @param date The date at which the certificates must be valid, in seconds since 1970.
/// @param repetitions How often that is done. Reading the root once is not counted.
/// @return Seconds of the processor for all of them; below zero where OpenSSL does not verify it.
double floor_verify_cms(
    const unsigned char *receipt, size_t length, const char *root, long long date, int repetitions);

#endif
