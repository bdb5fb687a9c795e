internal import Foundation
internal import VitrineCatalog
internal import VitrineCatalogLoading
internal import VitrineSupport

/// Check of a catalog's signature before its publication.
struct CatalogSignatureCheck: Sendable {
    /// Bundle identifier of the app.
    let app: String
    /// Root keys that must have signed the catalog; `nil` if the app's catalogs need no signature. A signature that is
    /// present must match the catalog and a key of `keys.plist` even then.
    let trust: CatalogTrust?
    /// Indicates that a signature which has expired is accepted.
    var acceptsExpired = false

    private static let expirations: Set<CatalogSignatureFailureCode> = [.expired, .keyExpired, .keysExpired]

    /// Verifies the signature of a catalog and returns its signed statement; `nil` if the catalog has no signature and
    /// the app requires none.
    ///
    /// - Parameter published: Signed catalog that is published now; an older one is refused.
    /// - Throws: ``CatalogRefusal``.
    func statement(
        of files: SignedCatalogFiles?, for catalog: Catalog, after published: SignedCatalogFiles?, at now: Date
    ) async throws(CatalogRefusal) -> CatalogStatement? {
        let statement = try await verifiedStatement(of: files, after: published, at: now)
        if let failure = statement?.disagreement(with: catalog) {
            throw CatalogRefusal(code: .signature, reason: failure.reason)
        }
        return statement
    }

    private func verifiedStatement(
        of files: SignedCatalogFiles?, after published: SignedCatalogFiles?, at now: Date
    ) async throws(CatalogRefusal) -> CatalogStatement? {
        guard let trust else {
            guard let files else { return nil }
            return try SelfConsistentSignature(files, app: app).statement
        }
        guard let files else {
            throw CatalogRefusal(code: .signature, reason: "the catalogs of this app must be signed")
        }
        let verifier = CatalogVerifier(trust: trust, numbers: CountersInMemory())
        if let published { _ = await Self.verification(of: published, by: verifier, at: now) }
        switch await Self.verification(of: files, by: verifier, at: now) {
        case .valid(let statement): return statement
        case .outOfDate(let statement, let failure) where acceptsExpired && Self.expirations.contains(failure.code):
            return statement
        case .outOfDate(_, let failure), .invalid(let failure):
            let isOlder = [.rollback, .keysRollback].contains(failure.code)
            throw CatalogRefusal(code: isOlder ? .older : .signature, reason: failure.reason)
        case .undetermined(let reason): throw CatalogRefusal(code: .unavailable, reason: reason)
        case .notChecked: throw CatalogRefusal(code: .signature, reason: "the signature was not checked")
        }
    }

    private static func verification(
        of files: SignedCatalogFiles, by verifier: CatalogVerifier, at now: Date
    ) async -> CatalogSignature {
        let signature = await verifier.verify(files, at: now)
        switch signature {
        case .valid(let statement): return await verifier.record(statement)
        // The published catalog's validity has ended since its publication, but its version numbers still count.
        case .outOfDate(let statement, _): _ = await verifier.record(statement)
        case .invalid, .undetermined, .notChecked: break
        }
        return signature
    }
}

/// Signature of a catalog without root keys at the server: one of the keys in `keys.plist` must have made it.
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
