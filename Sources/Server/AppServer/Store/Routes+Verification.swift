internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import VitrineAppServerRecords
internal import VitrineHTTPServing

extension Routes {
    /// Maximum size in bytes of a request to verify signed data.
    static let questionLimit = 256 * 1024

    /// Adds the route for the `ServerVerifier` of an app to verify transactions.
    mutating func addVerification(_ services: AppServices) {
        let records = services.records
        add(.post, "/v1/verify") { call in
            let question = try await call.document(Question.self, limit: Self.questionLimit)
            let apps = records.apps.values.filter { $0.bundleIdentifier == question.bundleId }.map(\.name).sorted()
            guard !apps.isEmpty else {
                throw ErrorResponse.notFound("This server has no app with this bundle identifier.")
            }
            guard let transaction = question.signedTransaction else {
                guard question.appReceipt != nil else {
                    throw ErrorResponse.invalid(
                        "The field signedTransaction is missing.", field: "signedTransaction")
                }
                return try .json(Verdict(.undetermined("this server verifies transactions, and no app receipts")))
            }
            return try .json(Verdict(try await Self.verdict(on: transaction, apps, records)))
        }
    }

    /// Returns the verdict on a transaction of an app. The app may be served for several environments, and the
    /// transaction belongs to only one of them.
    private static func verdict(
        on transaction: String, _ apps: [String], _ records: CustomerRecords
    ) async throws(CustomerError) -> ServerVerdict {
        var verdict: ServerVerdict?
        for app in apps {
            switch (try await records.verify(signedTransaction: transaction, app: app), verdict) {
            case (.verified, _): return .verified
            case (.undetermined(let reason), _): verdict = .undetermined(reason)
            case (.rejected(let reason), nil): verdict = .rejected(reason)
            case (.rejected, _): break
            }
        }
        return verdict ?? .undetermined("this server has no such app")
    }
}

/// Body of a request to verify signed data; `Documentation/Server.md` describes it.
private struct Question: Decodable {
    let bundleId: String
    let signedTransaction: String?
    let appReceipt: String?
}

private struct Verdict: Encodable {
    let verdict: String
    let reason: String?

    init(_ verdict: ServerVerdict) {
        switch verdict {
        case .verified: (self.verdict, reason) = ("verified", nil)
        case .rejected(let reason): (self.verdict, self.reason) = ("rejected", reason)
        case .undetermined(let reason): (self.verdict, self.reason) = ("undetermined", reason)
        }
    }
}
