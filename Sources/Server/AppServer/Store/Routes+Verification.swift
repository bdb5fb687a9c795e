internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import VitrineAppServerAPI
internal import VitrineAppServerRecords

extension Routes {
    /// Adds the route for the `ServerVerifier` of an app to verify transactions.
    mutating func addVerification(_ services: AppServices) {
        let records = services.records
        add(AppServerAPI.verify) { call in
            let question = try await call.body()
            let apps = records.apps.values.filter { $0.bundleIdentifier == question.bundleId }.map(\.name).sorted()
            guard !apps.isEmpty else {
                throw ErrorResponse.notFound("This server has no app with this bundle identifier.")
            }
            guard let transaction = question.signedTransaction else {
                guard question.appReceipt != nil else {
                    throw ErrorResponse.invalid(
                        "The field signedTransaction is missing.", field: "signedTransaction")
                }
                return try call.reply(
                    VerificationAnswer(.undetermined("this server verifies transactions, and no app receipts")))
            }
            return try call.reply(VerificationAnswer(try await Self.verdict(on: transaction, apps, records)))
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

extension VerificationAnswer {
    fileprivate init(_ verdict: ServerVerdict) {
        switch verdict {
        case .verified: self.init(verdict: "verified")
        case .rejected(let reason): self.init(verdict: "rejected", reason: reason)
        case .undetermined(let reason): self.init(verdict: "undetermined", reason: reason)
        }
    }
}
