import Foundation
import Testing
import VitrineCatalog
import VitrineCatalogLoading
import VitrineEntitlementsSQLite
import VitrineTestSupport

@testable import Vitrine

/// Seen catalog versions, which a new process still knows.
@Suite(.hangLimit) struct SignedCatalogRestartTests {
    let folder: TemporaryFolder
    let publisher = CatalogPublisher()

    init() throws { folder = try TemporaryFolder() }

    /// Returns a verifier as in a new process.
    private func verifier() throws -> CatalogVerifier {
        let ledger = try SQLiteLedger(url: folder["ledger.sqlite"])
        return CatalogVerifier(
            trust: publisher.trust(), numbers: CatalogNumbers(ledger: ledger, home: Home(url: folder.url)))
    }

    private func recordSeenVersions(of publisher: CatalogPublisher) async throws {
        let verifier = try verifier()
        #expect(await verifier.verify(try publisher.files(), at: CatalogPublisher.date) == .valid(publisher.statement))
        #expect(await verifier.record(publisher.statement) == .valid(publisher.statement))
    }

    private func removeLedger() throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.url.path())
        where name.hasPrefix("ledger.sqlite") { try FileManager.default.removeItem(at: folder[name]) }
    }

    @Test func `a catalog and keys older than the last accepted ones are refused after a restart`() async throws {
        try await recordSeenVersions(of: publisher.changed { $0.keysVersion = 2 })
        let oldKeys = try publisher.files()
        let oldCatalog = try publisher.changed {
            $0.keysVersion = 2
            $0.version = 11
        }.files()

        for (files, code) in [
            (oldKeys, CatalogSignatureFailure.Code.keysRollback), (oldCatalog, .rollback),
        ] {
            guard case .outOfDate(_, let failure) = await (try verifier()).verify(files, at: CatalogPublisher.date)
            else {
                Issue.record("\(code) is not found")
                continue
            }
            #expect(failure.code == code)
        }
    }

    @Test func `a catalog older than the last accepted one is refused even after the ledger was lost`() async throws {
        try await recordSeenVersions(of: publisher.changed { $0.version = 12 })
        try removeLedger()

        let older = try publisher.changed { $0.version = 11 }.files()
        guard case .outOfDate(_, let failure) = await (try verifier()).verify(older, at: CatalogPublisher.date) else {
            Issue.record("the older catalog was accepted")
            return
        }
        #expect(failure.code == .rollback)
    }

    @Test func `older keys are refused after a thousand catalog versions and the loss of the ledger`() async throws {
        let known = publisher.changed {
            $0.keysVersion = 2
            $0.version = 20_000
        }
        try await recordSeenVersions(of: known)
        // The file as it is after the dates of so many versions were recorded that it has its greatest size.
        let file = folder["catalog-numbers.json"]
        var numbers = try JSONDecoder().decode([String: Int64].self, from: Data(contentsOf: file))
        let (name, date) = try #require(numbers.first { $0.key.hasPrefix("catalog-issued/1/20000/") })
        let size = try JSONEncoder().encode([name: date]).count - 1
        let room = 65_536 - (try Data(contentsOf: file).count)
        for version in 10_000..<10_000 + room / size {
            numbers[name.replacing("/20000/", with: "/\(version)/")] = date
        }
        try JSONEncoder().encode(numbers).write(to: file)

        for version in 20_001...20_002 { try await recordSeenVersions(of: known.changed { $0.version = version }) }
        try removeLedger()

        let older = try known.changed {
            $0.keysVersion = 1
            $0.version = 20_003
        }.files()
        guard case .outOfDate(_, let failure) = await (try verifier()).verify(older, at: CatalogPublisher.date) else {
            Issue.record("the older keys were accepted")
            return
        }
        #expect(failure.code == .keysRollback)
    }

    @Test func `an expired catalog stays expired after a restart with the clock set back`() async throws {
        // What a root has signed last says how late it is at least.
        let later = publisher.changed {
            $0.keysVersion = 2
            $0.keysIssued = publisher.expires
        }
        let first = await (try verifier()).verify(try later.files(), at: publisher.expires)
        guard case .outOfDate = first else {
            Issue.record("\(first)")
            return
        }

        let signature = await (try verifier()).verify(try later.files(), at: CatalogPublisher.date)
        guard case .outOfDate(publisher.statement, let failure) = signature else {
            Issue.record("\(signature)")
            return
        }
        #expect(failure.code == .expired)
    }

    @Test func `recording a catalog fails if another process has recorded a newer one in the meantime`() async throws {
        let newer = publisher.changed { $0.version = 13 }
        let (one, other) = (try verifier(), try verifier())
        #expect(await one.verify(try publisher.files(), at: CatalogPublisher.date) == .valid(publisher.statement))
        #expect(await other.verify(try newer.files(), at: CatalogPublisher.date) == .valid(newer.statement))
        #expect(await other.record(newer.statement) == .valid(newer.statement))

        guard case .outOfDate(publisher.statement, let failure) = await one.record(publisher.statement) else {
            Issue.record("the older catalog is recorded")
            return
        }
        #expect(failure.code == .rollback)
    }
}
