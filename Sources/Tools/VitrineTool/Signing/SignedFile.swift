import Foundation
import VitrineCatalog
internal import VitrineCatalogLoading
import VitrineCommandSupport
import VitrinePropertyList
import VitrineSupport

/// File that a command signs.
struct SignedFile {
    let path: String
    private let data: Data
    private let statement: CatalogStatement
    private let signature: MinisignSignature

    /// Creates the signature of a file, with its signed statement.
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
    /// - Parameter withFile: `true` to write the file itself too, before its signature.
    /// - Throws: ``ToolFailure`` 74 if a file cannot be written.
    func write(withFile: Bool) throws -> Report {
        if withFile { try OutputFile.write(Array(data), to: path) }
        let signaturePath = "\(path).minisig"
        try OutputFile.write(Array(signature.file), to: signaturePath)
        return Report(
            lines: (withFile ? [path] : []) + ["\(signaturePath): \(signature.trustedComment)"],
            json: ["file": path, "signature": signaturePath, "statement": statement.document],
            status: .yes)
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

/// Catalog in a file, read as apps read it from a server: a property list or a JSON array.
enum PublishedCatalog {
    /// Reads a catalog.
    ///
    /// - Throws: ``CatalogError`` for every catalog that apps would refuse.
    static func read(_ file: Data, path: String) throws(CatalogError) -> Catalog {
        try RemoteCatalogReader.read(
            file, from: URL(filePath: path, directoryHint: .notDirectory), sizeLimit: PropertyListLimits().size)
    }
}

extension CatalogError {
    /// `true` if the catalog can be read but apps would refuse its content.
    var isOfContent: Bool { code == .hasErrors || code == .empty }

    /// Reason why apps would refuse the catalog.
    var refusal: String {
        switch code {
        case .hasErrors: "the catalog has errors: \(reason)"
        case .empty: reason
        default: "the catalog cannot be read: \(position.map { "\($0): " } ?? "")\(reason)"
        }
    }
}
