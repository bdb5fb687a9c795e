internal import Crypto
internal import Foundation
internal import VitrineEntitlements
internal import VitrineFileSystem
internal import VitrineSupport

/// App Store account whose ledger is open in a storage directory with several ledgers. It is stored in a file of its
/// own, before anything of the account is recorded.
struct PresentAccount: Codable, Sendable, Equatable {
    var account: String
    /// Account whose ledger is in the storage directory itself. It is stored here too, because that ledger may be lost.
    var first: String
    /// Account before the present one, until the change is reported to the app.
    var former: String?

    private static let sizeLimit = 64 << 10

    /// Reads the file of a storage directory.
    ///
    /// - Returns: `nil` if there is no such file, or it is damaged: the next load then determines the account again.
    /// - Throws: `LedgerError` `unavailable` if the file cannot be read.
    static func read(in home: Home) throws(LedgerError) -> PresentAccount? {
        do {
            let data = try BoundedFile.read(home.presentAccount, limit: sizeLimit)
            return try? JSONDecoder().decodeForeign(PresentAccount.self, from: data)
        } catch  where error.isMissing {
            return nil
        } catch {
            throw LedgerError(code: .unavailable, reason: "the present App Store account is unknown: \(error.reason)")
        }
    }

    /// Writes the file of a storage directory, and returns once it is durable.
    func write(in home: Home) throws(LedgerError) {
        do {
            try DurableFile.write(JSONEncoder().encode(self), to: home.presentAccount)
        } catch {
            throw LedgerError(
                code: .unavailable,
                reason: "the present App Store account cannot be stored: \(BoundedFile.reason(for: error))")
        }
    }

    /// Returns the storage directory with the ledger of the account, which is created if it does not exist.
    func createPlace(in home: Home) throws(LedgerError) -> Home {
        try account == first ? home : home.createPlace(of: account)
    }
}

extension Home {
    /// Returns the folder of an App Store account other than the first one, as a storage directory for its ledger. An
    /// identifier of an account may be no name of a file.
    func place(of account: String) -> Home {
        let name = SHA256.hash(data: Data(account.utf8)).prefix(16).hexadecimal
        return Home(url: accounts.appending(path: name, directoryHint: .isDirectory))
    }

    /// Storage directories of all ledgers: this one, and the folders of other App Store accounts.
    var places: [Home] {
        get throws(FileSystemError) {
            let names = try FolderTree<FileSystemError>.namesIfPresent(in: accounts) ?? []
            return [self]
                + names.sorted().map { Home(url: accounts.appending(path: $0, directoryHint: .isDirectory)) }
        }
    }

    /// `true` if a second App Store account was seen while the app kept the accounts apart.
    var hasSeveralAccounts: Bool {
        FileManager.default.fileExists(atPath: accounts.path(percentEncoded: false))
    }

    /// Creates the folder of an App Store account, and returns once it is durable.
    func createPlace(of account: String) throws(LedgerError) -> Home {
        let place = place(of: account)
        do {
            try place.create()
            for folder in [accounts, url] { try DurableFile.syncFolder(folder) }
        } catch {
            throw LedgerError(
                code: .unavailable,
                reason: "the folder for another App Store account cannot be created: \(BoundedFile.reason(for: error))")
        }
        return place
    }
}
