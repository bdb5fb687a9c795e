package import Foundation
package import VitrineAppServerRecords
package import VitrineCatalog
package import VitrineCatalogLoading
internal import VitrinePropertyList
internal import VitrineSupport

/// Publication of a catalog for an app: checks the catalog and its signature, then replaces the published files.
package struct CatalogPublication: Sendable {
    /// Result of publishing a catalog.
    package struct Result: Sendable {
        /// Version from the catalog or its signature; `nil` if neither has one.
        package let version: Int?
        package let products: Int
        /// Warnings and notes from validating the catalog.
        package let findings: [Diagnostic]
    }

    /// Names of a catalog's files, as devices request them.
    package enum File: String, Sendable, CaseIterable {
        case catalog = "catalog.plist"
        case signature = "catalog.plist.minisig"
        case keys = "keys.plist"
        case keysSignature = "keys.plist.minisig"

        /// Maximum size of the file in bytes; devices refuse a larger one.
        var sizeLimit: Int { self == .catalog ? 16 * 1024 * 1024 : SignedCatalogFiles.smallFileLimit }
    }

    private let records: CustomerRecords
    private let app: ServedApp
    private let signatures: CatalogSignatureCheck
    private let now: @Sendable () -> Date

    /// - Parameters:
    ///   - app: Name of the app.
    ///   - trust: Root keys that must have signed the catalog; `nil` if the app's catalogs need no signature. A
    ///     signature that is present must match the catalog and a key of `keys.plist` even then.
    /// - Throws: ``CatalogRefusal`` if the server has no such app.
    package init(
        records: CustomerRecords, app: String, trust: CatalogTrust?, now: @escaping @Sendable () -> Date
    ) throws(CatalogRefusal) {
        guard let served = records.apps[app] else {
            throw CatalogRefusal(code: .unknownApp, reason: "this server has no app of this name")
        }
        (self.records, self.app, self.now) = (records, served, now)
        signatures = CatalogSignatureCheck(app: served.bundleIdentifier, trust: trust)
    }

    /// Publishes a catalog. Publishing the same catalog again completes a publication that has failed after the catalog was
    /// stored.
    ///
    /// - Parameter files: File contents by the names of ``File``: the catalog, alone or with the three files of its
    ///   signature.
    /// - Throws: ``CatalogRefusal``.
    package func publish(_ files: [String: Data]) async throws(CatalogRefusal) -> Result {
        try Self.check(files)
        let catalog = try Self.catalog(in: files)
        let signed = try Self.signedFiles(files)
        let published = try await publishedFiles()
        let statement = try await signatures.statement(
            of: signed, for: catalog, after: SignedCatalogFiles(published), at: now())
        let result = Result(
            version: catalog.version ?? statement?.version, products: catalog.products.count,
            findings: catalog.diagnostics)
        let isStored = files == published
        if !isStored, let earlier = published[File.catalog.rawValue] { try Self.check(catalog, after: earlier) }
        do throws(CustomerError) {
            if isStored {
                // An earlier publication may have failed after the catalog was stored.
                try await records.completePublication(app: app.name)
            } else {
                try await records.publish(files, after: published[File.catalog.rawValue], app: app.name)
            }
        } catch {
            // A conflict means that another catalog was published at the same time; that one counts as newer.
            throw CatalogRefusal(code: error.code == .conflict ? .older : .unavailable, reason: error.reason)
        }
        return result
    }

    private func publishedFiles() async throws(CatalogRefusal) -> [String: Data] {
        var files: [String: Data] = [:]
        for file in File.allCases {
            do throws(CustomerError) {
                files[file.rawValue] = try await records.catalogFile(file.rawValue, app: app.name)?.content
            } catch {
                throw CatalogRefusal(code: .unavailable, reason: error.reason)
            }
        }
        return files
    }

    // MARK: Catalog

    static func check(_ files: [String: Data]) throws(CatalogRefusal) {
        for (name, content) in files {
            guard let file = File(rawValue: name) else {
                throw CatalogRefusal(code: .missingFile, reason: "\(name.quoted) is not a file of a catalog")
            }
            guard content.count <= file.sizeLimit else {
                throw CatalogRefusal(
                    code: .tooLarge, reason: "\(name) has \(content.count) bytes, more than \(file.sizeLimit)")
            }
        }
    }

    /// Reads the catalog of files.
    static func catalog(in files: [String: Data]) throws(CatalogRefusal) -> Catalog {
        guard let bytes = files[File.catalog.rawValue] else {
            throw CatalogRefusal(code: .missingFile, reason: "\(File.catalog.rawValue) is missing")
        }
        return try catalog(bytes)
    }

    /// Returns the files of a signed catalog; `nil` for a catalog without a signature.
    static func signedFiles(_ files: [String: Data]) throws(CatalogRefusal) -> SignedCatalogFiles? {
        let signed = SignedCatalogFiles(files)
        guard signed != nil || files.count == 1 else {
            throw CatalogRefusal(
                code: .missingFile,
                reason:
                    "a signature consists of catalog.plist.minisig, keys.plist and keys.plist.minisig: one is missing")
        }
        return signed
    }

    private static func catalog(_ bytes: Data) throws(CatalogRefusal) -> Catalog {
        let document: PropertyListDocument
        do {
            document = try PropertyListDocument(bytes: Array(bytes), limits: PropertyListLimits())
        } catch {
            throw CatalogRefusal(
                code: .notAPropertyList, reason: "the catalog is not a property list: \(error.reason)",
                context: CatalogRefusal.Findings(position: error.position))
        }
        let catalog = Catalog(document: document)
        guard !catalog.hasErrors, !catalog.products.isEmpty else {
            throw CatalogRefusal(
                code: .hasErrors,
                reason: catalog.hasErrors ? "the catalog has errors" : "the catalog contains no products",
                context: CatalogRefusal.Findings(diagnostics: catalog.diagnostics))
        }
        return catalog
    }

    /// Refuses a catalog with a lower version than the published one.
    private static func check(_ catalog: Catalog, after published: Data) throws(CatalogRefusal) {
        guard let earlier = try self.catalog(published).version else { return }
        guard let version = catalog.version else {
            throw CatalogRefusal(
                code: .older, reason: "the catalog has no version, but version \(earlier) is published")
        }
        guard version >= earlier else {
            throw CatalogRefusal(
                code: .older, reason: "the catalog has version \(version), but version \(earlier) is published")
        }
    }
}

extension SignedCatalogFiles {
    /// Creates the signed catalog from its four files; `nil` if one is missing.
    fileprivate init?(_ files: [String: Data]) {
        func content(_ file: CatalogPublication.File) -> Data? { files[file.rawValue] }
        guard let catalog = content(.catalog), let signature = content(.signature), let keys = content(.keys),
            let keysSignature = content(.keysSignature)
        else { return nil }
        self.init(catalog: catalog, signature: signature, keys: keys, keysSignature: keysSignature)
    }
}
