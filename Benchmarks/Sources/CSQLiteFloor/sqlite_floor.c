#include "sqlite_floor.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { BEGIN, COMMIT, KNOWN, REVOCATIONS, BALANCE, INSERT, RESULT, STATEMENTS };

#define COLUMNS \
    "kind, key, recordedAt, purchaseID, originalTransactionID, transactionID, productIdentifier, productKind, " \
    "quantity, purchaseDate, expirationDate, isUpgraded, isFamilyShared, accountToken, " \
    "contents, environment, signedDate, revocationDate, reason, author, wallet, amount, refundPolicy, " \
    "originalVersion, platform, signedData, moment"

static const char *const texts[STATEMENTS] = {
    [BEGIN] = "BEGIN IMMEDIATE TRANSACTION",
    [COMMIT] = "COMMIT TRANSACTION",
    [KNOWN] = "SELECT sequence, " COLUMNS " FROM entry WHERE kind = ? AND key = ?",
    [REVOCATIONS] = "SELECT sequence, " COLUMNS " FROM entry WHERE purchaseID = ? "
                 "AND kind IN ('revocation', 'reinstatement', 'term', 'renewal') "
                 "AND (kind = 'revocation' OR kind = 'reinstatement') ORDER BY sequence DESC LIMIT 1",
    [BALANCE] = "SELECT balance FROM entry WHERE wallet = ? ORDER BY sequence DESC LIMIT 1",
    // The columns of checksums are filled with numbers of their size, and no checksum is computed.
    [INSERT] = "INSERT INTO entry (" COLUMNS ", balance, checksum, summaryChecksum) VALUES "
               "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
               "6148914691236517205, 6148914691236517205)",
    [RESULT] = "SELECT count(*) = 2 * ?1 AND max(balance) = 50 * ?1 FROM entry",
};

/// The places of the columns in an insertion.
enum {
    KIND = 1, KEY, RECORDED_AT, PURCHASE_ID, ORIGINAL_TRANSACTION_ID, TRANSACTION_ID, PRODUCT_IDENTIFIER,
    PRODUCT_KIND, QUANTITY, PURCHASE_DATE, EXPIRATION_DATE, IS_UPGRADED,
    IS_FAMILY_SHARED, ACCOUNT_TOKEN, CONTENTS, ENVIRONMENT, SIGNED_DATE, REVOCATION_DATE, REASON, AUTHOR, WALLET,
    AMOUNT, REFUND_POLICY, ORIGINAL_VERSION, PLATFORM, SIGNED_DATA, MOMENT, BALANCE_AFTER
};

static int failed;

static void text(sqlite3_stmt *statement, int place, const char *value) {
    failed |= sqlite3_bind_text(statement, place, value, -1, SQLITE_STATIC) != SQLITE_OK;
}

static void integer(sqlite3_stmt *statement, int place, sqlite3_int64 value) {
    failed |= sqlite3_bind_int64(statement, place, value) != SQLITE_OK;
}

/// Runs a statement that gives one row at most.
static int run(sqlite3_stmt *statement, int expected, sqlite3_int64 *value) {
    int code = sqlite3_step(statement);
    if (value && code == SQLITE_ROW) *value = sqlite3_column_int64(statement, 0);
    failed |= expected != 0 && code != expected;
    sqlite3_reset(statement);
    return code;
}

static void record(sqlite3_stmt **statements, int index, const char *signed_data) {
    char key[32];
    snprintf(key, sizeof key, "20000%010d", index);
    const char *product = "com.example.shop.coins50", *wallet = "coins";
    sqlite3_int64 date = 1790000000000 + index;

    text(statements[KNOWN], 1, "purchase");
    text(statements[KNOWN], 2, key);
    run(statements[KNOWN], SQLITE_DONE, NULL);
    text(statements[REVOCATIONS], 1, key);
    run(statements[REVOCATIONS], SQLITE_DONE, NULL);
    sqlite3_int64 balance = 0;
    text(statements[BALANCE], 1, wallet);
    run(statements[BALANCE], 0, &balance);

    sqlite3_stmt *insert = statements[INSERT];
    sqlite3_clear_bindings(insert);
    text(insert, KIND, "purchase");
    text(insert, KEY, key);
    integer(insert, RECORDED_AT, date);
    integer(insert, MOMENT, date);
    text(insert, PURCHASE_ID, key);
    text(insert, ORIGINAL_TRANSACTION_ID, key);
    text(insert, TRANSACTION_ID, key);
    text(insert, PRODUCT_IDENTIFIER, product);
    text(insert, PRODUCT_KIND, "consumable");
    integer(insert, QUANTITY, 1);
    integer(insert, PURCHASE_DATE, date);
    integer(insert, IS_FAMILY_SHARED, 0);
    text(insert, ENVIRONMENT, "Sandbox");
    integer(insert, SIGNED_DATE, date);
    text(insert, SIGNED_DATA, signed_data);
    run(insert, SQLITE_DONE, NULL);

    sqlite3_clear_bindings(insert);
    text(insert, KIND, "credit");
    text(insert, KEY, key);
    integer(insert, RECORDED_AT, date);
    integer(insert, MOMENT, date);
    text(insert, PURCHASE_ID, key);
    text(insert, PRODUCT_IDENTIFIER, product);
    text(insert, WALLET, wallet);
    integer(insert, AMOUNT, 50);
    text(insert, REFUND_POLICY, "clawback");
    integer(insert, BALANCE_AFTER, balance + 50);
    run(insert, SQLITE_DONE, NULL);
}

static double now(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

double floor_record_purchases(
    const char *path, int purchases, int group, const char *signed_data, double *processor_seconds) {
    sqlite3 *database = NULL;
    sqlite3_stmt *statements[STATEMENTS] = {NULL};
    failed = sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK;
    // The ledger in the same process may still end its work on the file.
    failed |= sqlite3_busy_timeout(database, 10000) != SQLITE_OK;
    failed |= sqlite3_exec(
        database,
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA fullfsync = 1; PRAGMA checkpoint_fullfsync = 1",
        NULL, NULL, NULL) != SQLITE_OK;
    for (int index = 0; index < STATEMENTS; index++)
        failed |= sqlite3_prepare_v3(
            database, texts[index], -1, SQLITE_PREPARE_PERSISTENT, &statements[index], NULL) != SQLITE_OK;
    double start = now(CLOCK_MONOTONIC), processor_start = now(CLOCK_PROCESS_CPUTIME_ID);
    for (int index = 0; index < purchases && !failed; index++) {
        if (index % group == 0) run(statements[BEGIN], SQLITE_DONE, NULL);
        record(statements, index, signed_data);
        if (index % group == group - 1 || index == purchases - 1) run(statements[COMMIT], SQLITE_DONE, NULL);
    }
    double seconds = now(CLOCK_MONOTONIC) - start;
    *processor_seconds = now(CLOCK_PROCESS_CPUTIME_ID) - processor_start;
    sqlite3_int64 complete = 0;
    integer(statements[RESULT], 1, purchases);
    run(statements[RESULT], SQLITE_ROW, &complete);
    failed |= !complete;
    if (failed) fprintf(stderr, "SQLite alone: %s\n", complete ? sqlite3_errmsg(database) : "rows are missing");
    for (int index = 0; index < STATEMENTS; index++) sqlite3_finalize(statements[index]);
    sqlite3_close(database);
    return failed ? -1 : seconds;
}

double floor_read_row(const char *path, double *processor_seconds) {
    sqlite3 *database = NULL;
    sqlite3_stmt *statement = NULL;
    double start = now(CLOCK_MONOTONIC), processor_start = now(CLOCK_PROCESS_CPUTIME_ID);
    failed = sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK;
    const char *text = "SELECT sequence, " COLUMNS " FROM entry ORDER BY sequence DESC LIMIT 1";
    failed |= sqlite3_prepare_v2(database, text, -1, &statement, NULL) != SQLITE_OK;
    failed |= sqlite3_step(statement) != SQLITE_ROW;
    double seconds = now(CLOCK_MONOTONIC) - start;
    *processor_seconds = now(CLOCK_PROCESS_CPUTIME_ID) - processor_start;
    if (failed) fprintf(stderr, "SQLite alone: %s\n", sqlite3_errmsg(database));
    sqlite3_finalize(statement);
    sqlite3_close(database);
    return failed ? -1 : seconds;
}
