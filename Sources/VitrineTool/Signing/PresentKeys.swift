import FileSystem
import Foundation
import ProductCatalog

/// The `keys.plist` that another is to take the place of.
struct PresentKeys {
    private let path: String
    private let epoch: Int
    /// `nil` where it is not signed.
    private let statement: CatalogStatement?

    /// - Returns: `nil` where there is no file.
    /// - Throws: ``ToolFailure`` 65 for a file that is no `keys.plist`, or is signed with something else.
    init?(path: String) throws(ToolFailure) {
        func read(_ path: String) throws(ToolFailure) -> Data? {
            guard FileStatus(URL(filePath: path, directoryHint: .notDirectory))?.isRegularFile == true else {
                return nil
            }
            return try InputFile.read(path, limit: SignedCatalogFiles.smallFileLimit)
        }
        guard let file = try read(path) else { return nil }
        let signaturePath = "\(path).minisig"
        let signature = try read(signaturePath)
        self.path = path
        do {
            epoch = try CatalogKeys(file).epoch
        } catch {
            throw ToolFailure(
                status: .unusableData, reason: "\(path) is there already, and is no file of keys: \(error.reason)")
        }
        do {
            statement = try signature.map { (signature) throws(CatalogSignatureFailure) in
                let signature = try MinisignSignature(signature)
                return try CatalogStatement(
                    signature.trustedComment, for: .keys, keyIdentifier: signature.keyIdentifierText)
            }
        } catch {
            throw ToolFailure(
                status: .unusableData,
                reason: "\(signaturePath) is there already, and is no signature of keys: \(error.reason)")
        }
    }

    /// Checks that apps that have seen this one would believe the next.
    ///
    /// - Throws: ``ToolFailure`` 64 where they would not.
    func check(next: CatalogStatement) throws(ToolFailure) {
        if let statement, (statement.app, statement.channel) != (next.app, next.channel) { return }
        func refuse(_ reason: String) -> ToolFailure {
            ToolFailure(status: .usage, reason: "\(path) is \(reason): apps that have seen it would refuse this one")
        }
        guard next.epoch >= epoch else { throw refuse("of epoch \(epoch)") }
        guard let statement else { return }
        // Each root counts for itself.
        guard next.version >= statement.version || next.keyIdentifier != statement.keyIdentifier else {
            throw refuse("of version \(statement.version)")
        }
        guard next.issued >= statement.issued else { throw refuse("signed on \(statement.issued.second)") }
    }
}
