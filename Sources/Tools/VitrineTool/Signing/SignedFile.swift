import Foundation
import VitrineCatalog
internal import VitrineCatalogLoading
import VitrineCommandSupport
import VitrinePropertyList
import VitrineSupport

/// File with its new signature.
struct SignedFile {
    let path: String
    private let data: Data
    private let statement: CatalogStatement
    private let signature: MinisignSignature

    /// Signs a file together with a statement about it.
    ///
    /// - Throws: ``ToolFailure`` 64 for an invalid statement.
    init(
        _ data: Data, path: String, statement: CatalogStatement, kind: CatalogStatement.Kind, key: SigningKey
    ) throws {
        do {
            try statement.check()
        } catch {
            throw ToolFailure(status: .usage, reason: error.reason)
        }
        self.path = path
        self.data = data
        self.statement = statement
        signature = try key.sign(data, trustedComment: statement.trustedComment(for: kind))
    }

    /// Writes the signature beside the file.
    ///
    /// - Parameter withFile: `true` to write the file as well, before its signature.
    /// - Throws: ``ToolFailure`` 74 if a file cannot be written.
    func write(withFile: Bool) throws -> Report {
        if withFile { try OutputFile.write(Array(data), to: path) }
        let signaturePath = "\(path).minisig"
        try OutputFile.write(Array(signature.file), to: signaturePath)
        return Report(
            lines: (withFile ? [path] : []) + ["\(signaturePath): \(signature.trustedComment)"],
            json: ["file": path, "signature": signaturePath, "statement": statement.document])
    }
}

/// Existing signature of a catalog, which a command is about to replace.
struct PresentSignature {
    private let path: String
    private let signature: MinisignSignature
    private let statement: CatalogStatement

    /// Reads the signature beside a catalog.
    ///
    /// - Returns: `nil` if there is none, or it has no statement about a catalog, and thus no version.
    /// - Throws: ``ToolFailure`` 74 if the file cannot be read.
    init?(of catalog: String) throws(ToolFailure) {
        path = "\(catalog).minisig"
        guard let file = try InputFile.readPresent(path, limit: SignedCatalogFiles.smallFileLimit) else { return nil }
        do {
            signature = try MinisignSignature(file)
            statement = try CatalogStatement(
                signature.trustedComment, for: .catalog, keyIdentifier: signature.keyIdentifierText)
        } catch {
            return nil
        }
    }

    /// Checks that apps that have accepted the catalog with this signature will also accept the next one.
    ///
    /// - Throws: ``ToolFailure`` 64 if apps would reject it. A new epoch would make it acceptable, but no signature of a
    ///   catalog contains the epoch.
    func check(next: CatalogStatement) throws(ToolFailure) {
        guard (statement.app, statement.channel) == (next.app, next.channel) else { return }
        func refuse(_ state: String, _ refused: String) -> ToolFailure {
            ToolFailure(
                status: .usage,
                reason: "\(path) is \(state): apps that have seen it would refuse \(refused). Delete it if it was not "
                    + "published, or if keys.plist begins a new epoch")
        }
        guard next.version >= statement.version else {
            throw refuse("of version \(statement.version)", "version \(next.version)")
        }
        guard next.version - statement.version <= CatalogVerifier.longestStep else {
            throw refuse(
                "of version \(statement.version)",
                "version \(next.version), more than \(CatalogVerifier.longestStep) above it")
        }
        guard next.version > statement.version || next.issued >= statement.issued else {
            throw refuse(
                "of version \(statement.version) and signed on \(statement.issued.second)",
                "this version as of \(next.issued.second)")
        }
    }

    /// Returns `true` if another content was signed with the same key as the same version. With another key this cannot be
    /// determined, because its public part is not known here.
    func isOfChangedFile(_ file: Data, next: CatalogStatement, key: SigningKey) -> Bool {
        guard
            (statement.app, statement.channel, statement.version) == (next.app, next.channel, next.version)
        else { return false }
        do throws(CatalogSignatureFailure) {
            try signature.check(file, by: key.publicKey)
            return false
        } catch {
            return error.code == .signature
        }
    }
}

extension CatalogStatement {
    var document: JSONObject {
        [
            "app": app, "channel": channel, "version": version, "issued": issued, "expires": expires,
            "key": keyIdentifier, "epoch": epoch,
        ]
    }
}

/// Reader of catalog files as apps read them from a server: a property list or a JSON array.
enum PublishedCatalog {
    /// Reads a catalog file.
    ///
    /// - Throws: ``CatalogError`` for a catalog that apps would refuse.
    static func read(_ file: Data, path: String) throws(CatalogError) -> Catalog {
        try RemoteCatalogReader.read(
            file, from: URL(filePath: path, directoryHint: .notDirectory), sizeLimit: PropertyListLimits().size)
    }
}

extension CatalogError {
    /// `true` if the catalog is readable, but apps would refuse its content.
    var isOfContent: Bool { code == .hasErrors || code == .empty }

    /// Description of the reason why apps would refuse the catalog.
    var refusal: String {
        switch code {
        case .hasErrors: "the catalog has errors: \(reason)"
        case .empty: reason
        default: "the catalog cannot be read: \(position.map { "\($0): " } ?? "")\(reason)"
        }
    }
}
