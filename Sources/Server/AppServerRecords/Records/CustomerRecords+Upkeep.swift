internal import Foundation
internal import VitrineCatalog
internal import VitrineSupport

/// Removal of data that no device needs.
extension CustomerRecords {
    /// Time in seconds between two removals by one server.
    private static let removalInterval: TimeInterval = 86_400
    /// Time in seconds after which the documents of a customer are removed if no device of the customer was seen. A
    /// device that comes back stores its own documents again.
    private static let unseenTime: TimeInterval = 180 * 86_400

    /// Removes, once a day, the documents of customers that were merged into another one, whose key nobody uses any
    /// more, and of customers without a device in use. The facts that the server has recorded from them stay.
    func removeUnneededDocuments() async {
        let now = now
        let isDue = lastRemoval.withLock { last in
            guard abs(now.timeIntervalSince(last)) >= Self.removalInterval else { return false }
            last = now
            return true
        }
        guard isDue else { return }
        do throws(CustomerError) {
            _ = try await write(
                """
                DELETE FROM document WHERE customer IN (SELECT id FROM customer WHERE merged_into IS NOT NULL) \
                OR received < $1 AND customer NOT IN (SELECT customer FROM device WHERE ended IS NULL AND seen >= $1)
                """, .integer((now - Self.unseenTime).milliseconds))
        } catch {
            // The next day's removal does the same.
        }
    }
}
