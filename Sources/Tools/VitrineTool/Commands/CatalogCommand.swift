import ArgumentParser
import Foundation
import Vitrine
import VitrineCatalog
internal import VitrineCatalogLoading
import VitrineCommandSupport
import VitrineEntitlements
import VitrineHostedContent
internal import VitrineNetworking
import VitrinePurchasing
import VitrineSupport

struct CatalogCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "catalog",
        abstract: "Sign and verify catalogs for a web server, and show or delete the downloaded catalog.",
        discussion: """
            A root key, which stays offline, signs keys.plist; a key that is listed there signs the catalog. The app \
            contains the root's public key. Signatures are in minisign's legacy format (minisign -S -l), and minisign \
            -V verifies them.

            EXAMPLE:
              vitrine catalog keygen -o root
              vitrine catalog keygen -o online
              vitrine catalog keys --key root.key --app com.example.voyager --version 1 \\
                --add online.pub=2027-02-01
              vitrine catalog sign catalog.plist --key online.key \\
                --app com.example.voyager
              vitrine catalog verify catalog.plist --root root.pub
              vitrine catalog status
            """,
        subcommands: [
            CatalogKeygenCommand.self, CatalogKeysCommand.self, CatalogSignCommand.self, CatalogVerifyCommand.self,
            CatalogStatusCommand.self, CatalogDeleteCacheCommand.self,
        ]
    )
}

struct CatalogStatusCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show which catalog a home uses, its age, and the result of the last update.",
        discussion: """
            No server is contacted and nothing is loaded. The exit status is 1 if there is no usable catalog.

            EXAMPLE:
              vitrine catalog status
            """
    )

    @OptionGroup var session: SessionOptions

    func report() async throws -> Report {
        let open = try await OpenHome.open(session)
        let status = await open.manager.catalog.status()
        await open.close()
        var table = Table(headings: ["FIELD", "VALUE"])
        table.rows = status.rows(at: open.date)
        return Report(
            lines: table.lines, json: status.document, status: status.stored == nil ? .no : .yes,
            remarks: [status.cacheFailure.map { "warning: \($0)" }].compactMap(\.self))
    }
}

struct CatalogDeleteCacheCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete-cache",
        abstract: "Delete the downloaded catalog of a home.",
        discussion: """
            The next command that loads the catalog requests it from the server, however new the deleted one was. This \
            command contacts no server. Purchases, content and the record of the highest catalog version so far stay. \
            If the home has no downloaded catalog, nothing happens.

            EXAMPLE:
              vitrine catalog delete-cache
            """
    )

    @OptionGroup var session: SessionOptions

    func report() async throws -> Report {
        let open = try await OpenHome.open(session)
        let wasCached: Bool
        do {
            wasCached = try await open.manager.catalog.deleteCachedCatalog()
        } catch {
            await open.close()
            throw ToolFailure(status: .inputOutput, reason: error.reason)
        }
        await open.close()
        return Report(
            lines: [wasCached ? "the downloaded catalog is deleted" : "the home has no downloaded catalog"],
            json: ["deleted": wasCached])
    }
}

extension CatalogStatus {
    private var statement: CatalogStatement? { stored?.signature.statement }
    private var version: Int? { statement?.version ?? stored?.catalog.version }
    private var expires: Date? { statement?.expires ?? stored?.catalog.expires }

    fileprivate var document: JSONObject {
        [
            "remote": url?.absoluteString, "local": local?.relativePath,
            "localFailure": localFailure.map { ["code": "\($0.code)", "reason": $0.reason] },
            "used": stored?.origin.word, "isFresh": isFresh, "fetched": fetchedDate, "checked": stored?.checkedDate,
            "version": version, "expires": expires, "etag": stored?.validators.etag,
            "lastModified": stored?.validators.lastModified, "signature": stored?.signature.word ?? "not checked",
            "signatureReason": stored?.signature.reason, "signingKey": statement?.keyIdentifier,
            "nothingNewSoldBecause": stored?.sellingObstacle, "lastAttempt": lastAttempt?.date,
            "lastFailure": lastAttempt?.failure.map { ["code": $0.code, "reason": $0.reason] },
            "nextAttempt": lastAttempt?.nextDate,
        ]
    }

    /// Returns the table rows of the catalog's status; fields without a value are omitted.
    ///
    /// - Parameter now: Current date. The date of the next attempt is shown only if it is in the future.
    fileprivate func rows(at now: Date) -> [[String]] {
        let age = isFresh ? ", fresh" : url != nil && stored?.checkedDate != nil ? ", stale" : ""
        let signature = [stored?.signature.word ?? "not checked", statement.map { "key \($0.keyIdentifier)" }]
        let next = lastAttempt?.nextDate.flatMap { $0 > now ? $0.second : nil } ?? "at the next load"
        let fields: [(String, String?)] = [
            ("remote", url?.absoluteString),
            (
                "local",
                local.map {
                    $0.relativePath.relativeToCurrentFolder + (localFailure.map { ": \($0.reason) [\($0.code)]" } ?? "")
                }
            ),
            ("used", stored.map { $0.origin.word + age } ?? "none"),
            ("fetched", fetchedDate?.second), ("checked", stored?.checkedDate?.second),
            ("version", version.map(String.init)), ("expires", expires?.second), ("etag", stored?.validators.etag),
            ("last modified", stored?.validators.lastModified),
            (
                "signature",
                signature.compactMap(\.self).joined(separator: ", ")
                    + (stored?.signature.reason.map { ": \($0)" } ?? "")
            ),
            ("new sales blocked", stored?.sellingObstacle),
            (
                "last attempt",
                lastAttempt.map {
                    $0.date.second + ($0.failure.map { ": \($0.reason) [\($0.code)]" } ?? ": succeeded")
                }
            ),
            ("next attempt", url == nil ? nil : next),
        ]
        return fields.compactMap { name, value in value.map { [name, $0] } }
    }
}

extension LoadedCatalog.Origin {
    /// Name of the catalog's origin in the output.
    var word: String {
        switch self {
        case .code: "code"
        case .file: "local"
        case .cache: "cache"
        case .remote: "remote"
        }
    }
}

extension CatalogSignature {
    /// Short description of the signature check's result for the output.
    var word: String {
        switch self {
        case .notChecked: "not checked"
        case .valid: "valid"
        case .outOfDate: "out of date"
        case .invalid: "invalid"
        case .undetermined: "undetermined"
        }
    }

    /// Reason why the signature is not valid, as the rest of a sentence; `nil` if it is valid or was not checked.
    var reason: String? {
        switch self {
        case .notChecked, .valid: nil
        case .outOfDate(_, let failure), .invalid(let failure): failure.reason
        case .undetermined(let reason): reason
        }
    }

    /// Signed statement about the catalog; `nil` unless it is signed with a trusted key.
    var statement: CatalogStatement? {
        switch self {
        case .valid(let statement), .outOfDate(let statement, _): statement
        case .notChecked, .invalid, .undetermined: nil
        }
    }
}
