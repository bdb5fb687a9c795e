import Foundation
import GRDB
import Testing
import VitrineCatalog
import VitrineTestSupport

#if os(Linux)
    /// Loading of a signed catalog. The process is killed at one durable system call after another, and the server then
    /// returns an older catalog.
    @Suite(.blocksThreads) struct CatalogCrashSweepTests {
        private let template: Tool
        private let publisher: CatalogPublisher
        private let server: CatalogServer

        init() async throws {
            template = try Tool()
            publisher = .current
            server = try await CatalogServer(publisher)
            try template.initializeRemote(server, publisher, cacheDays: 0)
            try #require(try template.run("load").status == 0)
        }

        /// Returns the highest catalog version in the ledger.
        private func highest(in tool: Tool) throws -> Int? {
            try DatabaseQueue(path: tool.home.appending(path: "ledger.sqlite").path()).read { database in
                try Int.fetchAll(database, sql: "SELECT value FROM highest WHERE value BETWEEN 12 AND 13").max()
            }
        }

        private func cachedVersion(in tool: Tool) throws -> Int {
            let cache = try Data(
                contentsOf: tool.home.appending(path: "Cache/Catalog.cache"))
            return cache.firstRange(of: Data(" version=13 ".utf8)) == nil ? 12 : 13
        }

        private func copy() throws -> Tool {
            let tool = try Tool()
            try FileManager.default.copyItem(at: template.home, to: tool.home)
            return tool
        }

        @Test func `a catalog rollback is refused even after a load is killed between version check and cache write`()
            throws
        {
            let faults = try FaultLibrary()
            let newer = publisher.changed { $0.version = 13 }
            try server.publish(newer)
            let count = try faults.count(["load"], of: try copy())
            let isWhole = ProcessInfo.processInfo.environment["CRASH_SWEEP"] == "all"
            var (seen, cached) = (0, 0)
            for call in stride(from: 1, through: count, by: isWhole ? 1 : 2) {
                let tool = try copy()
                try server.publish(newer)
                _ = try faults.run(["load"], of: tool, struckAt: call, by: .kill)
                let place = Comment("call \(call) of \(count)")
                let highest = try highest(in: tool)
                #expect(try highest == 13 || cachedVersion(in: tool) == 12, place)

                try server.publish(publisher)
                let load = try tool.run("load")
                let status = try tool.run("catalog", "status", "--json").json
                #expect(load.status == 0, place)
                if highest == 13 {
                    seen += 1
                    cached += try cachedVersion(in: tool) == 13 ? 1 : 0
                    #expect((status["lastFailure"] as? [String: Any])?["code"] as? String == "signature", place)
                    #expect(load.errors.contains("13"), place)
                    // From the older copy nothing new is sold.
                    let isSold = status["nothingNewSoldBecause"] == nil
                    #expect(try isSold == (cachedVersion(in: tool) == 13), place)
                } else {
                    #expect(status["lastFailure"] == nil, place)
                }

                try server.publish(newer.changed { $0.version = 14 })
                try tool.run("load")
                #expect(try tool.run("catalog", "status", "--json").json["version"] as? Int == 14, place)
            }
            // It was struck before, in between and after.
            #expect(seen > cached && cached > 0 && seen < count)
        }
    }
#endif
