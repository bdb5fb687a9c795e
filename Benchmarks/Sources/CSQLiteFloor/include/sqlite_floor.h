#ifndef SQLITE_FLOOR_H
#define SQLITE_FLOOR_H

/// Records purchases of coins and their credits in a ledger's file with SQLite alone: the same statements in the same
/// settings, compiled once, without anything of Swift.
///
/// @param path A ledger that nobody else has open.
/// @param purchases How many are recorded.
/// @param group How many are recorded in one transaction.
/// @param signed_data What each purchase has as its signed data.
/// @param processor_seconds Receives the seconds of all processors.
/// @return Seconds, opening and compiling not counted; below zero where SQLite has failed.
double floor_record_purchases(
    const char *path, int purchases, int group, const char *signed_data, double *processor_seconds);

/// Opens a ledger with SQLite alone, reads its last row, and closes it again.
///
/// @param path A ledger with an entry.
/// @param processor_seconds Receives the seconds of all processors.
/// @return Seconds until the row is read, closing not counted; below zero where SQLite has failed.
double floor_read_row(const char *path, double *processor_seconds);

#endif
