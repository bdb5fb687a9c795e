internal import Crypto
package import Foundation
internal import VitrineAppServerAPI
internal import VitrineEntitlements
internal import VitrineNetworking
internal import VitrinePurchasing
internal import VitrineReceipts
internal import VitrineSupport

/// Answer of the app's server about reported data that the store has signed.
public struct ReportedSignature: Sendable, Hashable {
    /// Outcome of the report.
    public enum Result: String, Sendable, Hashable, CaseIterable {
        /// The data contains new information, which the server has recorded.
        case accepted
        /// The server knew the data already.
        case known
        /// The data is not from the store or not for this app, or contradicts what the store has signed later or what is
        /// recorded.
        case rejected
        /// The data could not be verified or delivered now; it is reported again.
        case undetermined
        /// The data belongs to another customer.
        case elsewhere
    }

    /// Signed data, a compact JWS.
    public var signedData: String
    public var result: Result
    /// Reason for the outcome, in lower case and without a period; `nil` if there is none.
    public var reason: String?
}

extension CatalogManager.Server {
    /// Reports the store's signed data about this customer to the server, except for data whose report the server has
    /// already answered. Rejected data is reported again once the store has signed it anew, for example because a
    /// certificate has expired. A device that has not enrolled enrolls first.
    ///
    /// - Returns: Answers of the server; empty if nothing is new.
    /// - Throws: ``AppServerError``: `forbidden` if the customer of the app transaction, which the store may have only after
    ///   the device has enrolled, has an account to which the device is not logged in; `storage` if the ledger cannot be
    ///   read or written.
    @discardableResult
    public func report() async throws(AppServerError) -> [ReportedSignature] { try await report(again: false) }

    /// Reports data to a server that refuses content because the product is not owned. If nothing is new, everything is
    /// reported again, once in a launch: a server whose database was restored from a backup may lack what it has answered.
    func reportForContent() async throws(AppServerError) {
        if try await report().isEmpty, await manager.beginReportingAgain() { _ = try await report(again: true) }
    }

    private func report(again: Bool) async throws(AppServerError) -> [ReportedSignature] {
        let account = manager.separateLedger?.account
        let session = try session
        let device = try await session.readyWithEvidence().device
        var reported =
            again
            ? ReportedData(device: device)
            : try await ReportedData.read(from: manager.entitlements.ledger, of: device)
        var answers: [ReportedSignature] = []
        for part in reported.unreported(of: try await statements(of: account)).parts(most: SignedItems.most) {
            let partAnswers = try await session.report(part, boundTo: manager.store.deviceVerificationID)
            reported.insert(partAnswers)
            try await reported.store(in: manager.entitlements.ledger)
            answers += partAnswers
        }
        return answers
    }

    /// Returns the store's signed data about this customer, as compact JWS: the transactions that the store knows on
    /// this device, with their renewal information, and the transactions that this device has recorded. Without a
    /// connection to the store, only the recorded ones are returned.
    ///
    /// - Throws: ``AppServerError`` `storage` if the ledger cannot be read.
    public func signedData() async throws(AppServerError) -> [String] {
        try await statements(of: manager.separateLedger?.account).flatMap(\.self)
    }

    /// Returns the body of a request that reports ``signedData()`` to a server, as JSON.
    ///
    /// - Throws: ``AppServerError`` `storage` if the ledger cannot be read.
    package func reportRequest() async throws(AppServerError) -> Data {
        try ServerClient.bytes(
            of: SignedItems(
                signed: try await signedData(), deviceVerificationID: manager.store.deviceVerificationID))
    }

    /// Returns the store's signed data, each transaction with the renewal information of its subscription.
    ///
    /// - Parameter account: App Store account of the data; `nil` for data of all accounts.
    private func statements(of account: String?) async throws(AppServerError) -> [[String]] {
        var all = await (known() + subscriptions()).filter { $0.rejection == nil }
            .map { [$0.signedData] + ($0.signedRenewal.map { [$0] } ?? []) }
        do throws(LedgerError) {
            for entry in try await manager.ledger.history() where entry.device == nil {
                guard let origin = entry.fact.origin, origin.receiptDigest == nil else { continue }
                all.append([origin.signedData])
            }
        } catch {
            throw AppServerError(code: .storage, reason: error.reason)
        }
        if let account { all.removeAll { AppStoreAccount.identifier(in: $0[0]).map { $0 != account } ?? false } }
        var seen: Set<String> = []
        return all.filter { statement in
            let digests = Set(statement.filter { !$0.isEmpty }.map(ReportedData.digest))
            defer { seen.formUnion(digests) }
            return !digests.isSubset(of: seen)
        }
    }

    private func known() async -> [StoreTransaction] {
        do {
            return try await manager.store.knownTransactions()
        } catch {
            // Recorded data can be reported without the store.
            return []
        }
    }

    private func subscriptions() async -> [StoreTransaction] {
        do {
            return try await manager.store.subscriptionTransactions()
        } catch {
            return []
        }
    }

    /// Returns a request for enrollment that answers a challenge of a server, as JSON, with the key of this device,
    /// which is created if there is none.
    ///
    /// - Parameters:
    ///   - challenge: Challenge of the server.
    ///   - app: Name of the app at the server.
    ///   - name: Name of this device, for display to the customer.
    /// - Throws: ``AppServerError`` `storage` if the key cannot be read or written.
    package func enrollmentRequest(
        answering challenge: String, app: String, name: String
    ) async throws(AppServerError) -> Data {
        let place = manager.accountPlace
        let body = try EnrollmentBody(
            app: app, name: name, challenge: challenge, await manager.storeEvidence(in: place),
            AccountCredentials(ofApp: app, home: manager.home) { place })
        return try ServerClient.bytes(of: body)
    }
}

extension CatalogManager {
    /// - Returns: `false` if everything was reported again in this launch.
    fileprivate func beginReportingAgain() -> Bool {
        defer { hasReportedAgain = true }
        return !hasReportedAgain
    }
}

extension ServerSession {
    /// Reports signed data to the server.
    ///
    /// - Parameter identifier: Identifier to which the store binds the data that it signs for this device.
    fileprivate func report(
        _ signed: [String], boundTo identifier: UUID?
    ) async throws(AppServerError) -> [ReportedSignature] {
        let body = SignedItems(signed: signed, deviceVerificationID: identifier)
        let answers = try await send(ServerClient.Request(AppServerAPI.reportSigned, body: body)).results
        guard answers.count == signed.count else { throw .format(AppServerAPI.reportSigned.name) }
        return zip(signed, answers).map { signed, answer in
            ReportedSignature(
                signedData: signed, result: ReportedSignature.Result(answer.result),
                reason: answer.reason.map { String($0.prefix(500)) })
        }
    }
}

extension ReportedSignature.Result {
    fileprivate init(_ result: SignedAnswer.Result) {
        self =
            switch result {
            case .accepted: .accepted
            case .known: .known
            case .rejected: .rejected
            case .undetermined: .undetermined
            case .elsewhere: .elsewhere
            }
    }
}

/// Digests of the data that a device has reported to the app's server, so that it is not sent again at each start.
struct ReportedData: Codable, Sendable, Hashable {
    /// Identifier of the device at the server.
    let device: String
    /// Digests of the reported data for which the server has sent an answer, in order: of its content or, if the server
    /// has rejected it, of the signed data, because the server may accept another signature of the same content.
    private var digests: [String] = []

    private static let mostDigests = 10_000
    private static let stored = StoredJSON<ReportedData>(
        name: "reported", description: "the details of what was reported to the app's server")
    /// Names of the fields that differ between two signatures of the same data.
    private static let valuesOfSignature: Set<String> = [
        "signedDate", "deviceVerification", "deviceVerificationNonce",
    ]

    init(device: String) { self.device = device }

    static func read(from ledger: any Ledger, of device: String) async throws(AppServerError) -> ReportedData {
        do throws(LedgerError) {
            let reported = try await stored.value(in: ledger)
            return reported?.device == device ? reported ?? ReportedData(device: device) : ReportedData(device: device)
        } catch {
            // Data that was reported can be reported again.
            guard error.code != .damaged else { return ReportedData(device: device) }
            throw AppServerError(code: .storage, reason: error.reason)
        }
    }

    func store(in ledger: any Ledger) async throws(AppServerError) {
        do throws(LedgerError) {
            try await Self.stored.store(self, in: ledger)
        } catch {
            throw AppServerError(code: .storage, reason: error.reason)
        }
    }

    /// Returns the groups of signed data that contain data without an answer of the server.
    func unreported(of statements: [[String]]) -> [[String]] {
        let known = Set(digests)
        return statements.filter { statement in
            !statement.allSatisfy { known.contains(Self.digest(of: $0)) || known.contains(Self.digest(ofText: $0)) }
        }
    }

    mutating func insert(_ answers: [ReportedSignature]) {
        let new = answers.compactMap { answer -> String? in
            switch answer.result {
            case .accepted, .known, .elsewhere: Self.digest(of: answer.signedData)
            case .rejected: Self.digest(ofText: answer.signedData)
            case .undetermined: nil
            }
        }
        digests = (digests + new).suffix(Self.mostDigests)
    }

    /// Returns a digest of the content of signed data. The store may sign the same content again, with another date.
    static func digest(of signedData: String) -> String {
        var text = signedData
        if let jws = UnverifiedJWS(signedData), case .object(var members)? = try? JSONValue(json: jws.payload) {
            for name in valuesOfSignature { members[name] = nil }
            text = JSONValue.object(members).canonicalForm
        }
        return digest(ofText: text)
    }

    private static func digest(ofText text: String) -> String {
        SHA256.hash(data: Data(text.utf8)).prefix(16).hexadecimal
    }
}

extension JSONValue {
    /// Text form of the value. Two values have the same text only if they are equal.
    fileprivate var canonicalForm: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .number(let value): "\(value)"
        case .string(let value): "\(value.utf8.count):\(value)"
        case .array(let values): "[\(values.map(\.canonicalForm).joined(separator: ","))]"
        case .object(let members):
            members.sorted { $0.key < $1.key }
                .reduce(into: "{") { $0 += "\($1.key.utf8.count):\($1.key)=\($1.value.canonicalForm)," } + "}"
        }
    }
}

extension [[String]] {
    /// Returns the elements of all arrays in parts of at most a given number of elements, without dividing an array.
    fileprivate func parts(most: Int) -> [[String]] {
        reduce(into: []) { parts, array in
            if let last = parts.last, last.count + array.count <= most {
                parts[parts.count - 1] += array
            } else {
                parts.append(array)
            }
        }
    }
}
