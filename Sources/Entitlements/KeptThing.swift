package import Foundation

/// What every ledger asks of the numbers and things that it keeps beside its entries.
package enum KeptThing {
    /// In bytes: a thing is written and read whole.
    package static let largestSize = 16 * 1_024 * 1_024

    /// - Throws: ``LedgerError`` `invalidName` for an empty name.
    package static func check(name: String) throws(LedgerError) {
        guard name.isEmpty else { return }
        throw LedgerError(code: .invalidName, reason: "what is kept needs a name")
    }

    /// - Throws: ``LedgerError`` `tooLarge` for more than ``largestSize``.
    package static func check(size: Int, name: String) throws(LedgerError) {
        guard size > largestSize else { return }
        throw LedgerError(
            code: .tooLarge, reason: "\"\(name)\" has \(size) bytes, and \(largestSize) are the most that is kept")
    }

    /// - Throws: ``LedgerError``: `invalidName` for an empty name, `tooLarge` for more than ``largestSize``.
    package static func check(_ data: Data, name: String) throws(LedgerError) {
        try check(name: name)
        try check(size: data.count, name: name)
    }
}
