public import Foundation
internal import VitrineCatalog
internal import VitrineSupport

/// Checks the signature of a catalog, the app it is signed for, and that no newer catalog has been seen.
///
/// A pinned root key signs `keys.plist`, and a key in that file signs the catalog, both with Ed25519 in minisign's
/// legacy format. The signed metadata is in the trusted comment:
/// `vitrine catalog app=com.example.voyager channel=production version=12 issued=2026-11-22T00:00:00Z
/// expires=2026-11-29T00:00:00Z`, or `vitrine keys` with the same fields for `keys.plist`. The untrusted comment must
/// be minisign's default, so that no part of the files can be changed.
public struct CatalogVerifier: Sendable {
    private let trust: CatalogTrust
    private let seen: SeenCounters

    /// Maximum difference between the version of a signed file and the highest accepted version. The limit prevents an
    /// attacker with a stolen key from using up all version numbers.
    package static let longestStep: Int64 = 1_000_000
    /// Tolerance in seconds for a date of issue in the future, because clocks differ.
    static let clockTolerance: TimeInterval = 86_400

    /// Creates a verifier.
    ///
    /// - Parameters:
    ///   - trust: Trust settings for signatures.
    ///   - numbers: Storage for the versions and dates of the newest catalog and keys that were seen. Its content must
    ///     never be lost.
    public init(trust: CatalogTrust, numbers: any MonotonicCounters) {
        self.trust = trust
        seen = SeenCounters(numbers, app: trust.app, channel: trust.channel)
    }

    /// Checks the signature of a catalog, and records its `keys.plist` as seen. The catalog itself is recorded by
    /// ``record(_:)``.
    ///
    /// A date is in the past if it is before the device's time or before any signed date that was seen. Setting the
    /// clock back therefore does not extend validity.
    ///
    /// - Returns: Never `notChecked`. `valid` and `outOfDate` only if the signatures of the catalog and of `keys.plist`
    ///   are valid; `undetermined` if they are valid, but the record of seen catalogs cannot be read or written.
    public func verify(_ files: SignedCatalogFiles, at now: Date) async -> CatalogSignature {
        let keys: SignedKeys
        do {
            keys = try signedKeys(files)
        } catch {
            return .invalid(error)
        }
        let statement = Result { () throws(CatalogSignatureFailure) in try self.statement(files, keys: keys) }
        do {
            let keysObstacle = try await recordSeenVersions(of: keys, at: now)
            return try await judge(statement.get(), keys: keys, keysObstacle: keysObstacle, at: now)
        } catch let failure as CatalogSignatureFailure {
            return .invalid(failure)
        } catch {
            if case .failure(let failure) = statement { return .invalid(failure) }
            return .undetermined(Self.unreadable(error))
        }
    }

    /// Durably records the version and date of a catalog that was parsed without errors, so that older catalogs are
    /// rejected from then on.
    ///
    /// - Returns: `valid`; `outOfDate` if a newer catalog has been recorded since the check, for example by another
    ///   process; `undetermined` if the catalog cannot be recorded.
    public func record(_ statement: CatalogStatement) async -> CatalogSignature {
        do {
            let highest = try await seen.advance(.version(epoch: statement.epoch), to: Int64(statement.version))
            guard highest == statement.version else {
                return .outOfDate(statement, Self.rollback(of: statement, highest: highest))
            }
            let latest = try await seen.advance(
                .issuedAs(version: statement.version, epoch: statement.epoch), to: statement.issued)
            guard latest == statement.issued else {
                return .outOfDate(statement, Self.rollback(of: statement, latest: latest))
            }
            _ = try await seen.advance(.issued(epoch: statement.epoch), to: statement.issued)
            return .valid(statement)
        } catch {
            return .undetermined(Self.unreadable(error))
        }
    }

    private struct SignedKeys {
        let statement: CatalogStatement
        let keys: CatalogKeys
    }

    // MARK: Signatures

    private func signedKeys(_ files: SignedCatalogFiles) throws(CatalogSignatureFailure) -> SignedKeys {
        do throws(CatalogSignatureFailure) {
            let signature = try MinisignSignature(unchanged: files.keysSignature)
            guard let root = trust.roots.first(where: { $0.identifier == signature.keyIdentifier }) else {
                throw CatalogSignatureFailure(
                    code: .unknownRoot,
                    reason: "the file is signed by the key \(signature.keyIdentifierText), which is not a "
                        + "root key of this app")
            }
            do {
                try signature.check(files.keys, by: root)
            } catch {
                throw error.code == .signature
                    ? CatalogSignatureFailure(code: .keysSignature, reason: error.reason) : error
            }
            let statement = try statement(of: signature, for: .keys)
            let keys = try CatalogKeys(files.keys)
            if let root = keys.keys.first(where: { key in trust.roots.contains { $0.key == key.publicKey.key } }) {
                throw CatalogSignatureFailure(
                    code: .malformed,
                    reason: "the array \"keys\" contains the root key \(root.publicKey.identifierText), "
                        + "which may only sign keys.plist")
            }
            return SignedKeys(statement: statement, keys: keys)
        } catch {
            throw error.of("keys.plist")
        }
    }

    private func statement(
        _ files: SignedCatalogFiles, keys: SignedKeys
    ) throws(CatalogSignatureFailure) -> CatalogStatement {
        do throws(CatalogSignatureFailure) {
            let signature = try MinisignSignature(unchanged: files.signature)
            let identifier = signature.keyIdentifierText
            guard let key = keys.keys.keys.first(where: { $0.publicKey.identifier == signature.keyIdentifier }) else {
                throw keys.keys.revoked.contains(identifier)
                    ? CatalogSignatureFailure(code: .keyRevoked, reason: "the signing key \(identifier) is revoked")
                    : CatalogSignatureFailure(
                        code: .unknownKey, reason: "the signing key \(identifier) is not in keys.plist")
            }
            try signature.check(files.catalog, by: key.publicKey)
            var statement = try statement(of: signature, for: .catalog)
            statement.epoch = keys.keys.epoch
            statement.goodUntil = min(statement.expires, key.expires, keys.statement.expires)
            return statement
        } catch {
            throw error.of("the catalog's signature")
        }
    }

    private func statement(
        of signature: MinisignSignature, for kind: CatalogStatement.Kind
    ) throws(CatalogSignatureFailure) -> CatalogStatement {
        let statement = try CatalogStatement(
            signature.trustedComment, for: kind, keyIdentifier: signature.keyIdentifierText)
        guard statement.app == trust.app else {
            throw CatalogSignatureFailure(
                code: .app, reason: "the file is signed for the app \(statement.app), but this app is \(trust.app)")
        }
        guard statement.channel == trust.channel else {
            throw CatalogSignatureFailure(
                code: .channel,
                reason: "the file is signed for the channel \(statement.channel), but the app uses \(trust.channel)")
        }
        return statement
    }

    // MARK: Comparison with seen catalogs

    /// Records the version and date of a `keys.plist`, unless a newer one is recorded already.
    ///
    /// - Returns: The failure if the keys are not the newest ones; `nil` if they are.
    private func recordSeenVersions(of keys: SignedKeys, at now: Date) async throws -> CatalogSignatureFailure? {
        let statement = keys.statement
        let version = SeenCounters.Name.keysVersion(root: statement.keyIdentifier)
        let highest = try await seen.highest(version)
        let latest = try await seen.latest(.keysIssued)
        let epoch = Int64(keys.keys.epoch)
        let highestEpoch = try await seen.highest(.epoch)
        try checkDate(of: statement, "keys.plist", clock: now, latest: latest)
        try checkStep(.keysFastForward, "keys.plist", "version", Int64(statement.version), above: highest)
        try checkStep(.keysFastForward, "keys.plist", "epoch", epoch, above: highestEpoch)
        func rollback(_ reason: String) -> CatalogSignatureFailure {
            CatalogSignatureFailure(code: .keysRollback, reason: "keys.plist \(reason)")
        }
        if let latest, statement.issued < latest {
            return rollback(
                "is dated \(statement.issued.inSeconds), but a keys.plist dated \(latest.inSeconds) was seen")
        }
        // Checked before anything is recorded: a newer `keys.plist` with a lower epoch is a mistake, and the next one
        // replaces it.
        if let highestEpoch, epoch < highestEpoch {
            return rollback("has epoch \(epoch), but a keys.plist with epoch \(highestEpoch) was seen")
        }
        let raised = try await seen.advance(version, to: Int64(statement.version))
        guard raised == statement.version else {
            return rollback("has version \(statement.version), but a keys.plist with version \(raised) was seen")
        }
        let raisedDate = try await seen.advance(.keysIssued, to: statement.issued)
        guard raisedDate == statement.issued else {
            return rollback(
                "is dated \(statement.issued.inSeconds), but a keys.plist dated \(raisedDate.inSeconds) was seen")
        }
        let raisedEpoch = try await seen.advance(.epoch, to: epoch)
        guard raisedEpoch == epoch else {
            return rollback("has epoch \(epoch), but a keys.plist with epoch \(raisedEpoch) was seen")
        }
        return nil
    }

    private func judge(
        _ statement: CatalogStatement, keys: SignedKeys, keysObstacle: CatalogSignatureFailure?, at now: Date
    ) async throws -> CatalogSignature {
        let highest = try await seen.highest(.version(epoch: statement.epoch))
        let latest = try await seen.latest(.issued(epoch: statement.epoch))
        let latestOfVersion = try await seen.latest(
            .issuedAs(version: statement.version, epoch: statement.epoch))
        // Only files signed by a root key advance this clock: a stolen online key cannot advance it step by step.
        let rootClock = max(now, try await seen.latest(.keysIssued) ?? .distantPast)
        try checkDate(of: statement, "the catalog", clock: rootClock, latest: latest)
        try checkStep(.fastForward, "the catalog", "version", Int64(statement.version), above: highest)
        let clock = max(rootClock, latest ?? .distantPast, statement.issued)
        let obstacle =
            revocation(of: statement, by: keys) ?? keysObstacle
            ?? (highest.flatMap { $0 > statement.version ? Self.rollback(of: statement, highest: $0) : nil })
            ?? (latestOfVersion.flatMap { $0 > statement.issued ? Self.rollback(of: statement, latest: $0) : nil })
            ?? expiry(of: statement, keys: keys, clock: clock)
        return obstacle.map { .outOfDate(statement, $0) } ?? .valid(statement)
    }

    /// Rejects a catalog or a `keys.plist` whose date of issue is in the future. A file that was accepted before is
    /// accepted again even if the device's clock was set back since.
    private func checkDate(of statement: CatalogStatement, _ name: String, clock: Date, latest: Date?) throws {
        guard statement.issued > max(clock + Self.clockTolerance, latest ?? .distantPast) else { return }
        throw CatalogSignatureFailure(
            code: .notYet, reason: "\(name) is dated \(statement.issued.inSeconds), but it is \(clock.inSeconds) now")
    }

    /// Rejects a version or an epoch that is too far above the highest one seen before.
    private func checkStep(
        _ code: CatalogSignatureFailureCode, _ file: String, _ name: String, _ number: Int64, above highest: Int64?
    ) throws {
        guard let highest, number - highest > Self.longestStep else { return }
        throw CatalogSignatureFailure(
            code: code,
            reason: "\(file) has \(name) \(number), too far above \(highest), the highest \(name) seen before")
    }

    private func revocation(of statement: CatalogStatement, by keys: SignedKeys) -> CatalogSignatureFailure? {
        guard keys.keys.revoked.contains(statement.keyIdentifier) else { return nil }
        return CatalogSignatureFailure(
            code: .keyRevoked, reason: "the key \(statement.keyIdentifier), which signed the catalog, is revoked")
    }

    private func expiry(of statement: CatalogStatement, keys: SignedKeys, clock: Date) -> CatalogSignatureFailure? {
        let key = keys.keys.keys.first { $0.publicKey.identifierText == statement.keyIdentifier }
        if let expires = key?.expires, clock >= expires {
            return CatalogSignatureFailure(
                code: .keyExpired,
                reason: "the key \(statement.keyIdentifier), which signed the catalog, expired on \(expires.inSeconds)")
        }
        if clock >= keys.statement.expires {
            return CatalogSignatureFailure(
                code: .keysExpired, reason: "keys.plist expired on \(keys.statement.expires.inSeconds)")
        }
        guard clock >= statement.expires else { return nil }
        return CatalogSignatureFailure(code: .expired, reason: "the catalog expired on \(statement.expires.inSeconds)")
    }

    private static func rollback(of statement: CatalogStatement, highest: Int64) -> CatalogSignatureFailure {
        CatalogSignatureFailure(
            code: .rollback,
            reason: "the catalog has version \(statement.version), but a catalog with version \(highest) was seen")
    }

    private static func rollback(of statement: CatalogStatement, latest: Date) -> CatalogSignatureFailure {
        CatalogSignatureFailure(
            code: .rollback,
            reason:
                "the catalog of version \(statement.version) is dated \(statement.issued.inSeconds), but a catalog of "
                + "this version dated \(latest.inSeconds) was seen")
    }

    private static func unreadable(_ error: any Error) -> String {
        "the record of the catalogs seen before is unavailable: \(error)"
    }
}
