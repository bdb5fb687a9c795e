internal import Crypto
internal import Foundation
internal import VitrineReceipts

@testable internal import Vitrine
@testable internal import VitrineAppServerAPI
@testable internal import VitrineAppServerRecords
@testable internal import VitrineCatalog
@testable internal import VitrineDeviceExchange
@testable internal import VitrineEntitlements

/// What the rules of ledgers, the exchange between devices and the app's server promise, whatever facts a device's
/// document states.
public struct FactsCheck: Sendable {
    private let document: DeviceDocument

    private static let date = Date(timeIntervalSince1970: 1_790_000_000)
    private static let name = "fuzz-0001"
    /// Number of units that the customer of each check has at first.
    private static let units = 100

    /// - Parameter bytes: JSON array with the entries of a document.
    /// - Returns: `nil` for bytes with which no document can be read.
    public init?(_ bytes: [UInt8]) {
        let start = #"{"device":"\#(Self.name)","name":"","first":1,"last":999,"entries":"#
        let data = Data("{\"format\":\"vitrine-device\",\"version\":1}\n\(start)".utf8) + bytes + Data("}\n".utf8)
        guard let name = DocumentName("\(Self.name).1-999.\(DocumentName.digest(of: data)).facts"),
            let document = try? DeviceDocument.read(data, named: name, key: nil)
        else { return nil }
        self.document = document
    }

    public func run() {
        wait { [self] in
            for policy in [OverdraftPolicy.forgiven, .owed] {
                await checkLedger(policy, document.entries.map(exchanged))
            }
            await checkSums()
            await checkServer()
        }
    }

    private func exchanged(_ entry: LedgerEntry) -> ExchangedFact {
        ExchangedFact(fact: entry.fact, moment: entry.moment, device: Self.name)
    }

    // MARK: Ledgers

    /// Whatever a ledger has taken from other devices, it can be read and spent from.
    private func checkLedger(_ policy: OverdraftPolicy?, _ facts: [ExchangedFact]) async {
        let ledger = MemoryLedger()
        func append(_ fact: Fact) async { _ = try? await ledger.append([fact], at: Self.date) }
        await append(.deposit(Fact.Deposit(token: "start", wallet: "coins", amount: Self.units, reason: "start")))
        for _ in 0..<2 {
            do {
                _ = try await ledger.merge(facts, adjusting: ["coins"], overdrafts: policy, at: Self.date)
            } catch {
                fatalError("broken: what cannot be recorded is left out: \(error)")
            }
        }
        for amount in [1, .max, .min] {
            await append(.debit(Fact.Debit(token: "debit \(amount)", wallet: "coins", amount: amount)))
            await append(
                .lease(
                    Fact.Lease(
                        token: "lease \(amount)", wallet: "coins", amount: amount, expirationDate: Self.date + 60)))
        }
        let (summary, entries) = (await ledger.summary(), await ledger.entries(after: 0))
        guard let snapshot = try? EntitlementSnapshot(catalog: nil, entries: entries, at: Self.date) else {
            fatalError("broken: what is recorded can be read")
        }
        let balances = [snapshot.balances, summary.balances].map { $0.filter { $0.value != 0 } }
        require(balances[0] == balances[1], "balances are sums")
        _ = WalletAudit(entries)
    }

    // MARK: Sums

    private func checkSums() async {
        var summary = DeviceSummary()
        summary.device = Self.name
        let earlier = summary
        summary.add(
            document.entries.map { LedgerEntry(sequence: $0.sequence, recordedAt: $0.moment, fact: $0.fact) })
        _ = summary.subtracting(summary)
        for (later, earlier) in [(summary, earlier), (earlier, summary), (summary.subtracting(earlier), summary)] {
            let facts = try? await later.facts(after: [Self.name: earlier]) { (_: String) async throws(LedgerError) in
                false
            }
            let moment = Date(milliseconds: later.moment)
            await checkLedger(
                nil, (facts ?? []).map { ExchangedFact(fact: $0, moment: moment, device: Self.name) })
        }
    }

    // MARK: The app's server

    /// A customer has at most what was credited minus what the server has debited.
    private func checkServer() async {
        do {
            let server = try await Server()
            try await server.publish(document)
            for entry in document.entries.prefix(20) { await server.ask(entry) }
            try await server.publish(document)
            let coins = try await server.records.detail(of: server.device.customer).wallets["coins"] ?? 0
            let debited = server.debited
            require(coins <= Self.units - debited, "\(coins) of \(Self.units) are left after \(debited)")
        } catch {
            fatalError("broken: the server answers: \(error)")
        }
    }

    /// Server in memory with one customer.
    private final class Server {
        let records: CustomerRecords
        let device: EnrolledDevice
        private let key: LedgerSealKey
        private(set) var debited = 0

        init() async throws {
            let app = ServedApp(
                name: "app", bundleIdentifier: "com.example.app", environment: .sandbox,
                verifier: SignedDataVerifier(bundleIdentifier: "com.example.app", environment: .sandbox))
            var options = CustomerOptions()
            options.now = { FactsCheck.date }
            records = try await CustomerRecords(
                database: SQLiteCustomerDatabase.inMemory(), apps: [app], options: options)
            let signing = P256.Signing.PrivateKey()
            var request = EnrollmentRequest(
                publicKey: signing.publicKey.x963Representation, challenge: records.challenge(), signature: Data(),
                name: "")
            let message = DeviceProof.message(
                "enroll app", challenge: request.challenge, covering: request.covered)
            request.signature = try signing.signature(for: message).derRepresentation
            let enrollment = try await records.enroll(request, app: "app")
            device = try await records.device(bearing: enrollment.token.token)
            key = try LedgerSealKey(enrollment.key)
            _ = try await records.deposit(
                FactsCheck.units, in: "coins", of: device.customer, token: "start", reason: "start", by: "fuzzer")
            _ = try await records.lease(10, of: "coins", token: "lease", seconds: 60, to: device)
        }

        /// Stores a document, unless it is refused.
        func publish(_ document: DeviceDocument) async throws {
            let content = try document.data(sealedWith: key)
            do throws(CustomerError) {
                try await records.store(
                    content, named: DocumentName(of: document, content).text, from: device, lock: nil)
            } catch {
                require(!error.code.isRetryable, "what cannot be recorded is refused: \(error)")
            }
        }

        /// Asks for debits and leases with the numbers of an entry. A request may be refused.
        func ask(_ entry: LedgerEntry) async {
            guard let amount = entry.fact.positiveAmount else { return }
            let key = entry.fact.key
            if let answer = try? await records.spend(amount, of: "coins", token: key, from: device), answer.isNew {
                debited += amount
            }
            _ = try? await records.lease(amount, of: "coins", token: key, seconds: amount, to: device)
            let debits = [LeaseDebit(token: "of \(key)", amount: amount, spent: entry.moment.milliseconds)]
            let before = try? await records.detail(of: device.customer).customer.sequence
            _ = try? await records.report(lease: "lease", debits: debits, returning: false, from: device)
            let after = try? await records.detail(of: device.customer).customer.sequence
            if after != before { debited += amount }
        }
    }
}
