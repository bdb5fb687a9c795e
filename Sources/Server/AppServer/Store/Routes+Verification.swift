internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import VitrineAppServerRecords
internal import VitrineHTTPServing
internal import VitrineReceipts

extension Routes {
    /// Maximum size in bytes of a request to verify signed data.
    static let questionLimit = 256 * 1024

    /// Adds the route for the `ServerVerifier` of an app to verify transactions.
    mutating func addVerification(_ services: AppServices) {
        let records = services.records
        add(.post, "/v1/verify") { call in
            let question = try await call.document(Question.self, limit: Self.questionLimit)
            let served = records.apps.values.filter { $0.bundleIdentifier == question.bundleId }
                .sorted { $0.name < $1.name }
            guard let first = served.first else {
                throw ErrorResponse.notFound("This server has no app with this bundle identifier.")
            }
            let claimed = question.signedTransaction.flatMap { TransactionPayload(unverified: $0)?.environment }
            // A transaction of an environment that is not served is rejected by the verifier of another one.
            let app = served.first { $0.environment == question.environment ?? claimed } ?? first
            guard app.environment == question.environment ?? app.environment else {
                throw ErrorResponse.notFound("This server does not have the app in this environment.")
            }
            guard let transaction = question.signedTransaction else {
                guard question.appReceipt != nil else {
                    throw ErrorResponse.invalid(
                        "The field signedTransaction is missing.", field: "signedTransaction")
                }
                let verdict = ServerVerdict.undetermined("this server verifies transactions, and no app receipts")
                return try .json(Verdict(verdict, in: app.environment))
            }
            let verdict = try await records.verify(signedTransaction: transaction, app: app.name)
            return try .json(Verdict(verdict, in: app.environment))
        }
    }
}

/// Body of a request to verify signed data; `Documentation/Server.md` describes it.
private struct Question: Decodable {
    let bundleId: String
    /// Environment in which the transaction must have been made; `nil` for any that the server has.
    let environment: StoreEnvironment?
    let signedTransaction: String?
    let appReceipt: String?
}

private struct Verdict: Encodable {
    let verdict: String
    let reason: String?
    /// Environment whose rules the verdict follows. A purchase in the sandbox costs nothing.
    let environment: StoreEnvironment

    init(_ verdict: ServerVerdict, in environment: StoreEnvironment) {
        self.environment = environment
        switch verdict {
        case .verified: (self.verdict, reason) = ("verified", nil)
        case .rejected(let reason): (self.verdict, self.reason) = ("rejected", reason)
        case .undetermined(let reason): (self.verdict, self.reason) = ("undetermined", reason)
        }
    }
}
