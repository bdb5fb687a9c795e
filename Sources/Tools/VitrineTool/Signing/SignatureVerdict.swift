import Foundation
import VitrineCatalog
internal import VitrineCatalogLoading
import VitrineCommandSupport
import VitrineEntitlements
import VitrineSupport

/// Result of verifying the signature of a catalog.
struct SignatureVerdict {
    private var status = ExitStatus.yes
    private var reason: (code: String, detail: String)?
    private var statement: CatalogStatement?
    private var comment: String?

    /// Verifies a signature with one key, regardless of the comments in the signature file.
    init(of file: Data, signature: Data, by key: MinisignPublicKey) {
        do throws(CatalogSignatureFailure) {
            let signature = try MinisignSignature(signature)
            try signature.check(file, by: key)
            comment = signature.trustedComment
        } catch {
            reject(error)
        }
    }

    /// Verifies a signed catalog like an app that has not accepted a catalog before.
    ///
    /// - Parameters:
    ///   - path: Path of the catalog.
    ///   - app: Required app; `nil` to accept the app in the signature.
    ///   - channel: Required channel; `nil` to accept the channel in the signature.
    init(
        of files: SignedCatalogFiles, at path: String, roots: [MinisignPublicKey], app: String?, channel: String?,
        on date: Date
    ) async {
        let claimed: CatalogStatement
        do throws(CatalogSignatureFailure) {
            let signature = try MinisignSignature(files.signature)
            claimed = try CatalogStatement(
                signature.trustedComment, for: .catalog, keyIdentifier: signature.keyIdentifierText)
        } catch {
            reject(error)
            return
        }
        let trust = CatalogTrust(
            mode: .enforce, roots: roots, app: app ?? claimed.app, channel: channel ?? claimed.channel)
        switch await CatalogVerifier(trust: trust, numbers: NoStoredCounters()).verify(files, at: date) {
        case .valid(let statement):
            self.statement = statement
            judge(files.catalog, path: path, statement)
        case .outOfDate(let statement, let failure):
            self.statement = statement
            reject(failure)
        case .invalid(let failure): reject(failure)
        case .undetermined(let obstacle): (status, reason) = (.unknown, ("undetermined", obstacle))
        case .notChecked: (status, reason) = (.unknown, ("undetermined", "the signature was not checked"))
        }
    }

    private mutating func reject(_ failure: CatalogSignatureFailure) {
        status = [.malformed, .prehashed].contains(failure.code) ? .unusableData : .no
        reason = (failure.code.description, failure.reason)
    }

    /// Rejects a catalog with a valid signature if it cannot be read or contradicts its signed statement.
    private mutating func judge(_ file: Data, path: String, _ statement: CatalogStatement) {
        do {
            let catalog = try PublishedCatalog.read(file, path: path)
            if let disagreement = statement.disagreement(with: catalog) { reject(disagreement) }
        } catch {
            let rule = error.diagnostics.first { $0.severity == .error }?.rule
            status = error.isOfContent ? .no : .unusableData
            reason = (rule ?? error.code.description, error.refusal)
        }
    }

    var report: Report {
        Report(lines: lines, json: document, status: status)
    }

    private var lines: [String] {
        let verdict =
            switch reason {
            case nil: "verified: the signature is good"
            case let reason?: "\(word): \(reason.detail) [\(reason.code)]"
            }
        var table = Table(headings: ["FIELD", "VALUE"])
        if let comment { table.rows.append(["trusted comment", comment]) }
        if let statement {
            table.rows += [
                ["app", statement.app], ["channel", statement.channel], ["version", String(statement.version)],
                ["epoch", String(statement.epoch)], ["issued", statement.issued.second],
                ["expires", statement.expires.second], ["key", statement.keyIdentifier],
            ]
        }
        return [verdict] + (table.rows.isEmpty ? [] : [""] + table.lines)
    }

    private var word: String {
        switch status {
        case .yes: "verified"
        case .unknown: "undetermined"
        default: "rejected"
        }
    }

    private var document: JSONObject {
        [
            "verdict": word, "reason": reason.map { ["code": $0.code, "detail": $0.detail] },
            "trustedComment": comment, "statement": statement?.document,
        ]
    }
}

/// Empty version counters, as in an app that has not accepted a catalog before: every version is accepted.
struct NoStoredCounters: MonotonicCounters {
    func advance(_ name: String, to value: Int64) -> Int64 { value }

    func highest(_ name: String) -> Int64? { nil }
}
