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
