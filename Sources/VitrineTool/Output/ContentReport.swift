import HostedContent
import Vitrine

/// Report about the content of several products, with one line and one object for each.
struct ContentReport {
    struct Document: Encodable {
        struct Content: Encodable {
            let product: String
            var path: String?
            var version: String?
            var reason: String?
        }

        var content: [Content] = []
    }

    private var lines: [String] = []
    private var document = Document()
    private var status = ExitStatus.yes

    /// Runs `body` for each product and reports the results.
    ///
    /// - Parameters:
    ///   - failing: Text for a failure, such as `not installed`.
    ///   - body: Returns a line about the product and its JSON document.
    static func of(
        _ identifiers: [String], failing: String,
        _ body: (String) async throws(ToolFailure) -> (line: String, content: Document.Content)
    ) async -> Report {
        var report = ContentReport()
        for identifier in identifiers {
            do throws(ToolFailure) {
                let (line, content) = try await body(identifier)
                report.lines.append("\(identifier): \(line)")
                report.document.content.append(content)
            } catch {
                report.lines.append("\(identifier): \(failing): \(error.reason)")
                report.document.content.append(Document.Content(product: identifier, reason: error.reason))
                report.status = max(report.status, error.status)
            }
        }
        return Report(lines: report.lines, json: report.document, status: report.status)
    }
}

extension ToolFailure {
    init(_ error: OwnedContentError) { self.init(status: error.exitStatus, reason: error.reason) }

    /// Failure of an operation on a product's content.
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
