internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import VitrineAppServerAPI
internal import VitrineAppServerRecords
internal import VitrineReceipts

extension Routes {
    /// Adds the route for the `ServerVerifier` of an app to verify transactions.
    mutating func addVerification(_ services: AppServices) {
        let records = services.records
        add(AppServerAPI.verify) { call in
            let question = try await call.body()
            let served = records.apps.values.filter { $0.bundleIdentifier == question.bundleId }
                .sorted { $0.name < $1.name }
            guard let first = served.first else {
                throw ErrorResponse.notFound("This server has no app with this bundle identifier.")
            }
            let asked = question.environment.map(StoreEnvironment.init)
            let claimed = question.signedTransaction.flatMap { TransactionPayload(unverified: $0)?.environment }
            // A transaction of an environment that is not served is rejected by the verifier of another one.
            let app = served.first { $0.environment == asked ?? claimed } ?? first
            guard app.environment == asked ?? app.environment else {
                throw ErrorResponse.notFound("This server does not have the app in this environment.")
            }
            guard let transaction = question.signedTransaction else {
                guard question.appReceipt != nil else {
                    throw ErrorResponse.invalid(
                        "The field signedTransaction is missing.", field: "signedTransaction")
                }
                let verdict = ServerVerdict.undetermined("this server verifies transactions, and no app receipts")
                return try call.reply(VerificationAnswer(verdict, in: app.environment))
            }
            let verdict = try await records.verify(signedTransaction: transaction, app: app.name)
            return try call.reply(VerificationAnswer(verdict, in: app.environment))
        }
    }
}

extension VerificationAnswer {
    fileprivate init(_ verdict: ServerVerdict, in environment: StoreEnvironment) {
        let (text, reason): (String, String?) =
            switch verdict {
            case .verified: ("verified", nil)
            case .rejected(let reason): ("rejected", reason)
            case .undetermined(let reason): ("undetermined", reason)
            }
        self.init(verdict: text, reason: reason, environment: environment.rawValue)
    }
}
