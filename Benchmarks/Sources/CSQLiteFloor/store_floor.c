#include "store_floor.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <time.h>

/// Rows of one kind: one for each renewal, in the order of the renewals.
struct rows {
    /// Reads the values, which become the parameters of the other statement.
    const char *read;
    /// Table into which the rows are inserted; NULL for the updates of subscriptions.
    const char *table;
    int columns;
    sqlite3_value **values;
    sqlite3_stmt *statement;
};

static const struct rows kinds[] = {
    {.read = "SELECT id, expiresDate, expiresDate, originalID FROM purchase WHERE isRenewal = 1 ORDER BY id"},
    {.read = "SELECT * FROM purchase WHERE isRenewal = 1 ORDER BY id", .table = "purchase"},
    {.read = "SELECT unfinished.* FROM purchase JOIN unfinished ON purchase.id = unfinished.purchase "
             "WHERE isRenewal = 1 ORDER BY purchase.id",
     .table = "unfinished"},
    {.read = "SELECT * FROM event WHERE kind = 'renewed' ORDER BY id", .table = "event"},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static int failed;

static void prepare(sqlite3 *database, const char *text, sqlite3_stmt **statement) {
    failed |= sqlite3_prepare_v3(database, text, -1, SQLITE_PREPARE_PERSISTENT, statement, NULL) != SQLITE_OK;
}

static void read_rows(sqlite3 *renewed, struct rows *rows, int renewals) {
    sqlite3_stmt *statement = NULL;
    prepare(renewed, rows->read, &statement);
    rows->columns = sqlite3_column_count(statement);
    rows->values = calloc((size_t)renewals * (size_t)rows->columns + 1, sizeof *rows->values);
    failed |= rows->columns == 0 || rows->values == NULL;
    for (int row = 0; row < renewals && !failed; row++) {
        failed |= sqlite3_step(statement) != SQLITE_ROW;
        for (int column = 0; column < rows->columns && !failed; column++)
            rows->values[row * rows->columns + column] = sqlite3_value_dup(sqlite3_column_value(statement, column));
    }
    failed |= failed || sqlite3_step(statement) != SQLITE_DONE;
    sqlite3_finalize(statement);
}

static void prepare_writing(sqlite3 *database, struct rows *rows) {
    const char *update = "UPDATE subscription SET purchase = ?, expiresDate = ?, nextDate = ? WHERE id = ?";
    if (!rows->table) return prepare(database, update, &rows->statement);
    char *text = sqlite3_mprintf("INSERT INTO %s VALUES (?", rows->table);
    for (int column = 1; column < rows->columns; column++) text = sqlite3_mprintf("%z, ?", text);
    text = sqlite3_mprintf("%z)", text);
    prepare(database, text, &rows->statement);
    sqlite3_free(text);
}

static void write_row(const struct rows *rows, int row) {
    for (int column = 0; column < rows->columns; column++)
        failed |= sqlite3_bind_value(
            rows->statement, column + 1, rows->values[row * rows->columns + column]) != SQLITE_OK;
    failed |= sqlite3_step(rows->statement) != SQLITE_DONE;
    failed |= sqlite3_reset(rows->statement) != SQLITE_OK;
}

static void run(sqlite3 *database, const char *text) {
    failed |= sqlite3_exec(database, text, NULL, NULL, NULL) != SQLITE_OK;
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

double floor_store_renewals(const char *path, const char *renewed_path, int renewals, int group) {
    struct rows all[KINDS];
    sqlite3 *database = NULL, *renewed = NULL;
    failed = sqlite3_open_v2(renewed_path, &renewed, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK;
    failed |= sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK;
    run(database, "PRAGMA foreign_keys = ON");
    for (int kind = 0; kind < KINDS && !failed; kind++) {
        all[kind] = kinds[kind];
        read_rows(renewed, &all[kind], renewals);
        prepare_writing(database, &all[kind]);
    }
    double start = now();
    for (int row = 0; row < renewals && !failed; row++) {
        if (row % group == 0) run(database, "BEGIN IMMEDIATE TRANSACTION");
        for (int kind = 0; kind < KINDS && !failed; kind++) write_row(&all[kind], row);
        if (row % group == group - 1 || row == renewals - 1) run(database, "COMMIT TRANSACTION");
    }
    double seconds = now() - start;
    // The process ends soon, and with it the values and statements.
    return failed ? -1 : seconds;
}
