internal import Foundation
package import VitrineEntitlements
internal import VitrineFileSystem
internal import VitrineSupport

/// Installation of the app on one device.
///
/// Its identifier is a file in the storage directory that backups leave out. A ledger that was restored from a backup,
/// or moved to another device, therefore names another installation than the present one.
enum Installation {
    private static let sizeLimit = 1_024

    private static func file(in home: Home) -> URL {
        home.installation.appending(path: "identifier", directoryHint: .notDirectory)
    }

    /// Returns the identifier of a storage directory's installation; `nil` if it has none, or its
    /// file is damaged.
    static func identifier(of home: Home) throws(FileSystemError) -> UUID? {
        do {
            let data = try BoundedFile.read(file(in: home), limit: sizeLimit)
            return String(data: data, encoding: .utf8).flatMap { UUID(uuidString: $0) }
        } catch  where error.isMissing {
            return nil
        }
    }

    /// Returns the identifier of a storage directory's installation, and creates it if there is none.
    static func identifier(
        creatingIn home: Home, by makeIdentifier: () -> UUID = UUID.init
    ) throws(FileSystemError) -> UUID {
        if let present = try identifier(of: home) { return present }
        try FolderTree<FileSystemError>.makeFolder(home.installation)
        return try FolderLock.locking(home.installation) { () throws(FileSystemError) in
            // Another process may have created it.
            if let present = try identifier(of: home) { return present }
            // No backup may contain the file, not even one that is made at this moment. If the folder cannot be marked, a
            // ledger from a backup is completed by what each launch reads.
            _ = try? BackupExclusion.mark(home.installation)
            let new = makeIdentifier()
            try DurableFile.write(Data(new.uuidString.utf8), to: file(in: home))
            return new
        }
    }
}

extension KnownPurchases {
    /// Returns the record if the storage directory's installation has made it. Otherwise the store may
    /// know more purchases on this device than the one that has made it.
    func ifMade(in home: Home) -> KnownPurchases? {
        // If the identifier cannot be read, the purchases are read again, which reports the error.
        guard let installation, let present = try? Installation.identifier(of: home), present == installation else {
            return nil
        }
        return self
    }

    /// Stores the record with the identifier of a storage directory's installation.
    package mutating func store(in ledger: any Ledger, of home: Home) async throws(LedgerError) {
        do throws(FileSystemError) {
            installation = try Installation.identifier(creatingIn: home)
        } catch {
            throw LedgerError(
                code: .unavailable, reason: "the identifier of the installation cannot be stored: \(error.reason)")
        }
        try await StoredJSON.knownPurchases.store(self, in: ledger)
    }
}

extension SubscriptionCheck {
    /// Returns the answer without the lead of the device's clock, if another installation has read the purchases that the
    /// store knows: the lead may be that of another device's clock, and would make ended periods valid on this one.
    ///
    /// - Parameters:
    ///   - home: Storage directory of the present installation.
    ///   - known: Record of the purchases that were read; `nil` if there is none.
    func withoutForeignClockLead(in home: Home, after known: KnownPurchases?) -> SubscriptionCheck {
        guard let reader = known?.installation else { return self }
        do throws(FileSystemError) {
            guard try Installation.identifier(of: home) != reader else { return self }
        } catch {
            // Reading the purchases again reports the error.
            return self
        }
        var check = self
        check.clockLead = nil
        return check
    }
}
