import Foundation
import Testing
import VitrineCatalog
import VitrineEntitlements
import VitrineTestSupport

/// Table in Documentation/Design.md about the statements of the store on the periods of a subscription.
@Suite(.hangLimit) struct SubscriptionStatementTests {
    static let catalog = Catalog(products: [
        CatalogProduct(identifier: "basic", kind: .autoRenewableSubscription),
        CatalogProduct(identifier: "best", kind: .autoRenewableSubscription),
    ])

    static func day(_ number: Double) -> Date { Date(timeIntervalSince1970: 1_790_000_000) + number * 86_400 }

    struct Row: Sendable, CustomTestStringConvertible {
        let statements: [String]
        /// Day on which access ends, by product; `nil` if there is never access.
        let ends: [String: Double?]
        var testDescription: String { statements.joined(separator: "; ") }
    }

    static let rows: [Row] = {
        let page = (try? String(contentsOf: Repository.file("Documentation/Design.md"), encoding: .utf8)) ?? ""
        let lines = page.split(separator: "\n")
        guard let head = lines.firstIndex(of: "| statements | basic until | best until |") else { return [] }
        return lines[(head + 2)...].prefix { $0.hasPrefix("|") }.map { line in
            let cells = line.split(separator: "|", omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces) }
            let ends = zip(["basic", "best"], cells[2...3]).filter { !$0.1.isEmpty }
            return Row(
                statements: cells[1].components(separatedBy: "; "),
                ends: Dictionary(uniqueKeysWithValues: ends.map { ($0.0, Double($0.1)) }))
        }
    }()

    /// Returns the fact that a statement of the table stands for.
    static func fact(_ statement: String) throws -> Fact {
        if let match = statement.wholeMatch(of: /([0-9]+) (basic|best) ([0-9]+)–([0-9]+)(?: signed ([0-9]+))?/) {
            let (first, last) = (try number(match.3), try number(match.4))
            return .bought(
                String(match.2), transaction: String(match.1), kind: .autoRenewableSubscription,
                signed: day(try match.5.map(number) ?? first), until: .init(expirationDate: day(last)), original: "1",
                at: day(first))
        }
        if let match = statement.wholeMatch(of: /refund ([0-9]+) (basic|best) signed ([0-9]+)/) {
            return .revoked(
                String(match.2), transaction: String(match.1), original: "1", signed: day(try number(match.3)))
        }
        let match = try #require(
            statement.wholeMatch(of: /(?:grace ([0-9]+)|none) of ([0-9]+)(?: (best))? signed ([0-9]+)/))
        return .renewed(
            String(match.3 ?? "basic"), transaction: String(match.2), original: "1", signed: day(try number(match.4)),
            terms: .init(
                isPeriodOver: true, gracePeriodExpirationDate: try match.1.map { day(try number($0)) },
                isInBillingRetry: true))
    }

    private static func number(_ text: Substring) throws -> Double { try #require(Double(text)) }

    @Test(arguments: rows)
    func `periods of a subscription give access as documented, in every order of the store's statements`(_ row: Row)
        async throws
    {
        let facts = try row.statements.map(Self.fact)
        let latest = try #require(facts.compactMap(\.origin?.signedDate).max())
        for order in facts.permutations {
            let ledger = MemoryLedger()
            for fact in order {
                do throws(LedgerError) {
                    _ = try await ledger.append([fact], at: latest)
                } catch {
                    // A copy that was signed before the refund.
                    #expect(error.code == .revoked)
                }
            }
            let summary = await ledger.summary()
            for date in (0...160).map({ Self.day(Double($0) / 2) }) {
                let snapshot = EntitlementSnapshot(catalog: Self.catalog, summary: summary, at: date)
                for (product, end) in row.ends {
                    let isOwned = end.map { max(date, latest) < Self.day($0) } ?? false
                    #expect(snapshot.isOwned(product) == isOwned, "\(product) on \(date), \(order.map(\.key))")
                }
            }
        }
    }

    @Test func `the documented table of statements can be read`() {
        #expect(Self.rows.count > 20)
        #expect(Self.rows.allSatisfy { !$0.ends.isEmpty })
    }
}
