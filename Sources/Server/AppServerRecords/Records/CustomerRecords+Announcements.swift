package import Foundation
internal import VitrineSupport

extension CustomerRecords {
    /// Processes the database's messages about changes, until the task is canceled.
    ///
    /// - Parameters:
    ///   - sleep: Function that waits for a number of seconds, before catalogs that could not be loaded are loaded again.
    ///   - onChange: Function that is called after each message about customers.
    package func run(
        sleep: @escaping @Sendable (TimeInterval) async throws -> Void,
        onChange: @Sendable (DatabaseAnnouncement) async -> Void
    ) async {
        let messages = database.announcements()
        let (outdated, catalogs) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        // A catalog may have been published since this server has loaded its own.
        catalogs.yield()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in outdated { await self.followCatalogs(sleep: sleep) } }
            for await message in messages {
                switch message {
                case .changed(let changes):
                    if changes.contains(Self.catalogMessage) { catalogs.yield() }
                    let others = changes.filter { $0 != Self.catalogMessage }
                    let customers = others.filter { $0 != Self.deviceMessage }
                    if database.isShared {
                        // Devices of a merged, divided or erased customer have another one, or none.
                        if others.contains(where: { $0.sequence == nil }) { forgetDevices() }
                        for customer in customers { known.invalidate(customer) }
                    }
                    if !customers.isEmpty { await onChange(.changed(customers)) }
                case .missed:
                    catalogs.yield()
                    forgetDevices()
                    await onChange(.missed)
                }
            }
            catalogs.finish()
            group.cancelAll()
        }
    }

    /// Message to the other servers, in place of a customer's change, that devices have left.
    static let deviceMessage = ChangedCustomer("device", sequence: nil)

    /// Time in seconds after which catalogs that could not be loaded are loaded again.
    private static let secondsBetweenTries: TimeInterval = 1

    /// Uses the stored catalogs, and processes the notifications that wait for them: this server may have noted some since
    /// the publication. While the catalogs cannot be loaded, the current ones stay in use, and requests report the
    /// database.
    private func followCatalogs(sleep: @Sendable (TimeInterval) async throws -> Void) async {
        var isOutdated = true
        while isOutdated {
            do throws(CustomerError) {
                try await useStoredCatalogs()
                isOutdated = false
            } catch {
                // Only the end of the server ends the wait early.
                do { try await sleep(Self.secondsBetweenTries) } catch { return }
            }
        }
        for app in apps.keys.sorted() {
            do throws(CustomerError) {
                try await receiveWaiting(app: app)
            } catch {
                // The reason is noted with each notification if the database can be used. The notifications are processed
                // again with the next message about catalogs, after an outage of a shared database, and at the next start.
            }
        }
    }

    /// Returns the sequence number of a customer's last fact; `nil` if the customer was merged into another one.
    ///
    /// - Throws: ``CustomerError``: `notFound` if there is no such customer.
    package func sequence(of customer: String) async throws(CustomerError) -> Int64? {
        let rows = try await rows("SELECT sequence, merged_into FROM customer WHERE id = $1", .text(customer))
        guard let row = rows.first, row.count == 2, let sequence = row[0].integer else {
            throw CustomerError(code: .notFound, reason: "there is no such customer")
        }
        return row[1] == .null ? sequence : nil
    }
}
