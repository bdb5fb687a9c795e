import Vitrine
import VitrineCommandSupport
import VitrineHostedContent

/// Report about the content of several products, with one line of text and one JSON object for each product.
struct ContentReport {
    private var lines: [String] = []
    private var documents: [JSONObject] = []
    private var status = ExitStatus.yes

    /// Runs `body` for each product and reports the results.
    ///
    /// - Parameters:
    ///   - failing: Text before the reason of a failure, such as `not installed`.
    ///   - body: Function that returns a line about the product and its JSON document.
    static func of(
        _ identifiers: [String], failing: String,
        _ body: (String) async throws -> (line: String, document: JSONObject)
    ) async throws -> Report {
        var report = ContentReport()
        for identifier in identifiers {
            do {
                let (line, document) = try await body(identifier)
                report.lines.append("\(identifier): \(line)")
                report.documents.append(document)
            } catch {
                guard let failure = (error as? any CommandFailure)?.failure else { throw error }
                report.lines.append("\(identifier): \(failing): \(failure.reason)")
                report.documents.append(["product": identifier, "reason": failure.reason])
                report.status = max(report.status, failure.status)
            }
        }
        return Report(lines: report.lines, json: ["content": report.documents], status: report.status)
    }
}

extension ToolFailure {
    init(_ error: OwnedContentError) { self.init(status: error.exitStatus, reason: error.reason) }

    /// Creates the failure of an operation on a product's content.
    init(content error: ContentError) {
        let status: ExitStatus =
            switch error.code {
            case .notFound: .no
            case .inProgress: .unknown
            case .storage, .noSpace: .inputOutput
            default: .unusableData
            }
        self.init(status: status, reason: error.reason)
    }
}

extension OwnedContentError {
    var exitStatus: ExitStatus {
        switch code {
        case .ownershipUnknown, .unavailable, .stopped: .unknown
        case .storage: .inputOutput
        default: .no
        }
    }
}
