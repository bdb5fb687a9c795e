internal import VitrineSupport

extension CustomerRecords {
    /// Processes the database's messages about changes, until the task is canceled.
    ///
    /// - Parameter onChange: Function that is called after each message about customers.
    package func run(onChange: @Sendable (DatabaseAnnouncement) async -> Void) async {
        for await message in database.announcements() {
            switch message {
            case .changed(let changes):
                let customers = changes.filter { $0 != Self.catalogMessage }
                if customers.count < changes.count { await reloadCatalogsIfPossible() }
                if database.isShared { for customer in customers { known.invalidate(customer) } }
                if !customers.isEmpty { await onChange(.changed(customers)) }
            case .missed:
                await reloadCatalogsIfPossible()
                await onChange(.missed)
            }
        }
    }

    private func reloadCatalogsIfPossible() async {
        do throws(DatabaseError) {
            try await reloadCatalogs()
        } catch {
            // The current catalogs stay in use. Requests report the unavailable database themselves.
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
