internal import CatalogLoading
import FileSystem
import Foundation
import ProductCatalog

/// Existing `keys.plist` that is to be replaced.
struct PresentKeys {
    private let path: String
    private let epoch: Int
    /// Signed statement about the file; `nil` if it is not signed.
    private let statement: CatalogStatement?

    /// - Returns: `nil` if there is no file.
    /// - Throws: ``ToolFailure`` 65 if the file is not a `keys.plist`, or its signature is for something else.
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
                status: .unusableData, reason: "\(path) already exists and is not a key file: \(error.reason)")
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
                reason: "\(signaturePath) already exists and is not the signature of a key file: \(error.reason)")
        }
    }

    /// Checks that apps that have accepted this file would accept the next one.
    ///
    /// - Throws: ``ToolFailure`` 64 if they would not.
    func check(next: CatalogStatement) throws(ToolFailure) {
        if let statement, (statement.app, statement.channel) != (next.app, next.channel) { return }
        func refuse(_ reason: String) -> ToolFailure {
            ToolFailure(status: .usage, reason: "\(path) is \(reason): apps that have seen it would refuse the new one")
        }
        guard next.epoch >= epoch else { throw refuse("at epoch \(epoch)") }
        guard let statement else { return }
        // Versions are compared for each root separately.
        guard next.version >= statement.version || next.keyIdentifier != statement.keyIdentifier else {
            throw refuse("at version \(statement.version)")
        }
        guard next.issued >= statement.issued else { throw refuse("signed on \(statement.issued.second)") }
    }
}
