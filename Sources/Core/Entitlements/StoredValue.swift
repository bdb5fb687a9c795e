package import Foundation
internal import VitrineSupport

/// Validation of the names and sizes of the counters and values that a ledger stores beside its entries.
package enum StoredValue {
    /// Maximum size of a stored value, in bytes. It is limited because a value is written and read as a whole.
    package static let largestSize = 16 * 1_024 * 1_024

    /// Checks that the name of a counter or stored value is not empty.
    ///
    /// - Throws: ``LedgerError`` `invalidName` for an empty name.
    package static func check(name: String) throws(LedgerError) {
        guard name.isEmpty else { return }
        throw LedgerError(code: .invalidName, reason: "the name of a stored value must not be empty")
    }

    /// Checks the size of a stored value.
    ///
    /// - Throws: ``LedgerError`` `tooLarge` for more than ``largestSize``.
    package static func check(size: Int, name: String) throws(LedgerError) {
        guard size > largestSize else { return }
        throw LedgerError(
            code: .tooLarge,
            reason: "the stored value \"\(name)\" has \(size) bytes; the maximum is \(largestSize)")
    }

    /// Checks the name and the size of a stored value.
    ///
    /// - Throws: ``LedgerError``: `invalidName` for an empty name, `tooLarge` for more than ``largestSize``.
    package static func check(_ data: Data, name: String) throws(LedgerError) {
        try check(name: name)
        try check(size: data.count, name: name)
    }
}
