import ArgumentParser
internal import CatalogLoading
import Foundation
internal import Networking
import ProductCatalog
import Vitrine

struct CatalogCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "catalog",
        abstract: "Sign and verify catalogs for a web server, and show the catalog of a home.",
        discussion: """
            A root key, which stays offline, signs keys.plist; a key that is listed there signs the catalog. The app \
            contains the root's public key. Signatures are in minisign's legacy format (minisign -S -l), and minisign \
            -V verifies them.

            EXAMPLE:
              vitrine catalog keygen -o root
              vitrine catalog keygen -o online
              vitrine catalog keys --key root.key --app com.example.voyager --version 1 --add online.pub=2027-02-01
              vitrine catalog sign catalog.plist --key online.key --app com.example.voyager
              vitrine catalog verify catalog.plist --root root.pub
              vitrine catalog status
            """,
        subcommands: [
            CatalogKeygenCommand.self, CatalogKeysCommand.self, CatalogSignCommand.self, CatalogVerifyCommand.self,
            CatalogStatusCommand.self,
        ]
    )
}

struct CatalogStatusCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show which catalog a home uses, its age, and the result of the last update.",
        discussion: """
            No server is contacted and nothing is loaded. The exit status is 1 if there is no usable catalog.

            EXAMPLE:
              vitrine catalog status
            """
    )

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var verbose: VerboseOptions

    func report() async throws -> Report {
        let open = try await OpenHome.open(home, verbose: verbose)
        let status = await open.manager.catalog.status()
        await open.close()
        let document = Document(status)
        var table = Table(headings: ["FIELD", "VALUE"])
        table.rows = document.rows
        return Report(
            lines: table.lines, json: document, status: document.used == nil ? .no : .yes,
            remarks: [status.cacheFailure.map { "warning: \($0)" }].compactMap(\.self))
    }

    private struct Document: Encodable {
        struct Failure: Encodable {
            let code: String
            let reason: String
        }

        let remote: String?
        let local: String?
        let localFailure: Failure?
        let used: String?
        let isFresh: Bool
        let fetched: Date?
        let checked: Date?
        let version: Int?
        let expires: Date?
        let etag: String?
        let lastModified: String?
        let signature: String
        let signatureReason: String?
        let signingKey: String?
        let nothingNewSoldBecause: String?
        let lastAttempt: Date?
        let lastFailure: Failure?
        let nextAttempt: Date?

        init(_ status: CatalogStatus) {
            let kept = status.kept
            let statement = kept?.signature.statement
            remote = status.url?.absoluteString
            local = status.local?.relativePath
            localFailure = status.localFailure.map { Failure(code: "\($0.code)", reason: $0.reason) }
            used = kept?.origin.word
            isFresh = status.isFresh
            fetched = status.fetchedDate
            checked = kept?.checkedDate
            version = statement?.version ?? kept?.catalog.version
            expires = statement?.expires ?? kept?.catalog.expires
            etag = kept?.validators.etag
            lastModified = kept?.validators.lastModified
            signature = kept?.signature.word ?? "not checked"
            signatureReason = kept?.signature.reason
            signingKey = statement?.keyIdentifier
            nothingNewSoldBecause = kept?.sellingObstacle
            lastAttempt = status.lastAttempt?.date
            lastFailure = status.lastAttempt?.failure.map { Failure(code: $0.code, reason: $0.reason) }
            nextAttempt = status.lastAttempt?.nextDate
        }

        /// Returns the path relative to the current folder, if it is below that.
        private static func short(_ path: String) -> String {
            let folder = FileManager.default.currentDirectoryPath + "/"
            return path.hasPrefix(folder) ? String(path.dropFirst(folder.count)) : path
        }

        var rows: [[String]] {
            var rows: [[String]] = []
            func add(_ what: String, _ state: String?) {
                if let state { rows.append([what, state]) }
            }
            add("remote", remote)
            add("local", local.map { Self.short($0) + (localFailure.map { ": \($0.reason) [\($0.code)]" } ?? "") })
            add(
                "used",
                used.map { $0 + (isFresh ? ", fresh" : remote != nil && checked != nil ? ", stale" : "") } ?? "none")
            add("fetched", fetched?.second)
            add("checked", checked?.second)
            add("version", version.map(String.init))
            add("expires", expires?.second)
            add("etag", etag)
            add("last modified", lastModified)
            add(
                "signature",
                ([signature, signingKey.map { "key \($0)" }].compactMap(\.self).joined(separator: ", "))
                    + (signatureReason.map { ": \($0)" } ?? ""))
            add("new sales blocked", nothingNewSoldBecause)
            add(
                "last attempt",
                lastAttempt.map { $0.second + (lastFailure.map { ": \($0.reason) [\($0.code)]" } ?? ": succeeded") })
            add(
                "next attempt",
                remote == nil
                    ? nil : nextAttempt.flatMap { $0 > Date() ? $0.second : nil } ?? "at the next load")
            return rows
        }
    }
}

extension LoadedCatalog.Origin {
    /// Origin in one word.
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
    /// Result of the verification in one or two words.
    var word: String {
        switch self {
        case .notChecked: "not checked"
        case .valid: "valid"
        case .outOfDate: "out of date"
        case .invalid: "invalid"
        case .undetermined: "undetermined"
        }
    }

    /// Reason why the signature is not valid, as the rest of a sentence.
    var reason: String? {
        switch self {
        case .notChecked, .valid: nil
        case .outOfDate(_, let failure), .invalid(let failure): failure.reason
        case .undetermined(let reason): reason
        }
    }

    /// Signed statement, if a trusted key has signed it.
    var statement: CatalogStatement? {
        switch self {
        case .valid(let statement), .outOfDate(let statement, _): statement
        case .notChecked, .invalid, .undetermined: nil
        }
    }
}
