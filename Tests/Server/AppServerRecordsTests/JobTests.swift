import Foundation
import Testing
import VitrineAppServerRecords
import VitrineTestSupport

/// Jobs that only one of the servers of a database runs at a time.
@Suite(.hangLimit) struct JobTests {
    @Test(arguments: DatabaseKind.here)
    func `a server that starts takes over a job, which its former holder neither begins nor ends`(
        _ kind: DatabaseKind
    ) async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let scene = try await kind.scene(in: folder)
        let clock = TestClock()
        var options = CustomerOptions()
        options.now = { clock.now }
        let first = try await CustomerRecords(database: scene.database, apps: [], options: options)
        let second = try await CustomerRecords(database: scene.another(), apps: [], options: options)
        #expect(try await first.beginJob("job", holder: "first", seconds: 60))
        #expect(try await !second.beginJob("job", holder: "second", seconds: 60))

        #expect(try await second.beginJob("job", holder: "second", seconds: 60, takingOver: true))
        #expect(try await !first.beginJob("job", holder: "first", seconds: 60))
        try await first.endJob("job", holder: "first")
        #expect(try await !first.beginJob("job", holder: "first", seconds: 60))

        try await second.endJob("job", holder: "second")
        #expect(try await first.beginJob("job", holder: "first", seconds: 60))
        clock.advance(by: 60)
        #expect(try await second.beginJob("job", holder: "second", seconds: 60))
    }
}
