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
    private let trust: CatalogTrust?
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
        (self.records, self.app, self.trust, self.now) = (records, served, trust, now)
    }

    /// Publishes a catalog. Publishing the same catalog again completes a publication that has failed after the catalog was
    /// stored.
    ///
    /// - Parameter files: File contents by the names of ``File``: the catalog, alone or with the three files of its
    ///   signature.
    /// - Throws: ``CatalogRefusal``.
    package func publish(_ files: [String: Data]) async throws(CatalogRefusal) -> Result {
        try Self.check(files)
        guard let bytes = files[File.catalog.rawValue] else {
            throw CatalogRefusal(code: .missingFile, reason: "\(File.catalog.rawValue) is missing")
        }
        let catalog = try Self.catalog(bytes)
        let proof = Proof(files)
        guard proof != nil || files.count == 1 else {
            throw CatalogRefusal(
                code: .missingFile,
                reason:
                    "a signature consists of catalog.plist.minisig, keys.plist and keys.plist.minisig: one is missing")
        }
        let published = try await publishedFiles()
        let statement = try await statement(of: proof, after: Proof(published))
        if let failure = statement?.disagreement(with: catalog) {
            throw CatalogRefusal(code: .signature, reason: failure.reason)
        }
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
                try await records.publish(files, app: app.name)
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

    static func catalog(_ bytes: Data) throws(CatalogRefusal) -> Catalog {
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

    // MARK: Signature

    /// Catalog with the three files of its signature.
    private typealias Proof = SignedCatalogFiles

    /// Verifies the signature of a catalog and returns its signed statement; `nil` if the catalog has no signature and
    /// the app requires none.
    ///
    /// - Parameter published: Signed catalog that is published now; an older one is refused.
    private func statement(
        of proof: SignedCatalogFiles?, after published: SignedCatalogFiles?
    ) async throws(CatalogRefusal) -> CatalogStatement? {
        guard let trust else {
            guard let proof else { return nil }
            return try SelfConsistentSignature(proof, app: app.bundleIdentifier).statement
        }
        guard let proof else {
            throw CatalogRefusal(code: .signature, reason: "the catalogs of this app must be signed")
        }
        let verifier = CatalogVerifier(trust: trust, numbers: CountersInMemory())
        if let published { _ = await verification(of: published, by: verifier) }
        switch await verification(of: proof, by: verifier) {
        case .valid(let statement): return statement
        case .outOfDate(_, let failure), .invalid(let failure):
            let isOlder = [.rollback, .keysRollback].contains(failure.code)
            throw CatalogRefusal(code: isOlder ? .older : .signature, reason: failure.reason)
        case .undetermined(let reason): throw CatalogRefusal(code: .unavailable, reason: reason)
        case .notChecked: throw CatalogRefusal(code: .signature, reason: "the signature was not checked")
        }
    }

    private func verification(of files: SignedCatalogFiles, by verifier: CatalogVerifier) async -> CatalogSignature {
        let signature = await verifier.verify(files, at: now())
        switch signature {
        case .valid(let statement): return await verifier.record(statement)
        // The published catalog's validity has ended since its publication, but its version numbers still count.
        case .outOfDate(let statement, _): _ = await verifier.record(statement)
        case .invalid, .undetermined, .notChecked: break
        }
        return signature
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

/// Signature of a catalog for which the server has no root keys: one of the keys in `keys.plist` must have made it.
private struct SelfConsistentSignature {
    let statement: CatalogStatement

    init(_ files: SignedCatalogFiles, app: String) throws(CatalogRefusal) {
        do throws(CatalogSignatureFailure) {
            let signature = try MinisignSignature(files.signature)
            let keys = try CatalogKeys(files.keys)
            guard let key = keys.keys.first(where: { $0.publicKey.identifierText == signature.keyIdentifierText })
            else {
                throw CatalogSignatureFailure(
                    code: .unknownKey, reason: "the signing key \(signature.keyIdentifierText) is not in keys.plist")
            }
            try signature.check(files.catalog, by: key.publicKey)
            _ = try MinisignSignature(files.keysSignature)
            statement = try CatalogStatement(
                signature.trustedComment, for: .catalog, keyIdentifier: signature.keyIdentifierText)
        } catch {
            throw CatalogRefusal(code: .signature, reason: error.reason)
        }
        guard statement.app == app else {
            throw CatalogRefusal(
                code: .signature, reason: "the catalog is signed for the app \(statement.app), but this is \(app)")
        }
    }
}

/// Highest version numbers of signed catalogs, in memory for the time of one publication.
private actor CountersInMemory: MonotonicCounters {
    private var numbers: [String: Int64] = [:]

    func advance(_ name: String, to value: Int64) -> Int64 {
        let highest = max(numbers[name] ?? value, value)
        numbers[name] = highest
        return highest
    }

    func highest(_ name: String) -> Int64? { numbers[name] }
}
