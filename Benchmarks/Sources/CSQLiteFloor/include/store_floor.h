#ifndef STORE_FLOOR_H
#define STORE_FLOOR_H

/// Writes the rows of renewals into a simulated store's database with SQLite alone: a transaction, an unfinished
/// transaction and an event for each renewal, and the update of its subscription.
///
/// @param path The database of a store before the renewals, which nobody else has open.
/// @param renewed The database of the same store after the renewals, from which the rows are read beforehand.
/// @param renewals Number of renewals in the rows.
/// @param group Number of renewals that are written in one transaction.
/// @return Seconds, without opening, reading and compiling; below zero if SQLite has failed.
double floor_store_renewals(const char *path, const char *renewed, int renewals, int group);

#endif
