internal import VitrineEntitlements
internal import VitrineSupport

/// Grant, deposit or lock that a server of the app has recorded for the customer.
struct ServerGift: Codable, Sendable, Hashable {
    /// Kind and key of the fact, such as `deposit "bonus"`.
    let name: String
    /// Identifier of the device under which this ledger has the fact. Another server has another one for the same fact.
    let device: String

    /// Returns the name of a fact that may be a gift; `nil` for facts of other kinds.
    static func name(of fact: Fact) -> String? {
        [.grant, .deposit, .lock].contains(fact.kind) ? "\(fact.kind.rawValue) \"\(fact.key)\"" : nil
    }
}

extension DeviceExchange {
    /// Returns what servers of the app have given to the customer, as this ledger has it.
    func serverGifts() async throws(ExchangeError) -> [ServerGift] {
        do throws(LedgerError) {
            return try await ledger.entries(after: 0).compactMap { entry in
                guard let device = entry.device, ServerDeviceIdentifier.contains(device),
                    let name = ServerGift.name(of: entry.fact)
                else { return nil }
                return ServerGift(name: name, device: device)
            }
        } catch {
            throw ExchangeError(error)
        }
    }
}

extension ExchangeReport {
    /// Reports what an app's server has given to the customer and no document at this place contains: this ledger has it
    /// from another server, and goes on counting it, but this server and new devices do not know it.
    mutating func note(_ gifts: [ServerGift]) {
        for (device, gifts) in Dictionary(grouping: gifts, by: \.device).sorted(by: { $0.key < $1.key }) {
            let facts = gifts.prefix(3).map { "the \($0.name)" }
            let others = gifts.count > facts.count ? " and \(gifts.count - facts.count) more" : ""
            add(
                ExchangeProblem(
                    document: "-", device: device,
                    reason: "another server of the app has given \(facts.joined(separator: ", "))\(others), which "
                        + "counts on this device and is not known at this server: ownership and balances may differ",
                    isFinal: true))
        }
    }
}
