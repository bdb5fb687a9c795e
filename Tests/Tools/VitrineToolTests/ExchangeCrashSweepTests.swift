import Foundation
import Testing
import VitrineTestSupport

#if os(Linux)
    /// Exchange between devices. The process is killed, or its disk fails, at one durable system call after another.
    @Suite(.blocksThreads, .hangLimit) struct ExchangeCrashSweepTests {
        /// Creates two devices of a customer that have both spent the same balance while offline, and have each granted
        /// a product. The tablet has published its facts; the home will publish next.
        private static func makeTool() throws -> Tool {
            let tool = try Tool.voyager()
            try tool.succeed(
                "init", "--home", "tablet", "--catalog", Repository.file("Catalogs/Voyager.plist").path(), "--join",
                ".vitrine/Store", "--customer", "default", "--device", "tablet")
            try FileManager.default.createDirectory(at: tool.folder["Shared"], withIntermediateDirectories: true)
            try Data.random(32).write(to: tool.folder["customer.key"])
            try tool.succeed("buy", .voyager("coins50"))
            for home in [".vitrine", "tablet", ".vitrine"] { try tool.run(sync(home)) }
            try tool.succeed("spend", "coins", "40", "--token", "a", "--home", "tablet")
            try tool.succeed("unlock", .voyager("porto"), "--home", "tablet")
            try tool.succeed("spend", "coins", "30", "--token", "b")
            try tool.succeed("unlock", .voyager("madrid"))
            let result = try tool.run(sync("tablet"))
            try #require(result.status == 0, "\(result.errors)")
            return tool
        }

        private static func sync(_ home: String) -> [String] {
            ["sync", "--home", home, "--folder", "Shared", "--key", "customer.key", "--name", home]
        }

        @Test(arguments: FaultLibrary.Fault.allCases)
        func `no fact is lost or duplicated when an exchange between devices is killed or its disk fails`(
            _ fault: FaultLibrary.Fault
        ) throws {
            let (faults, template) = (try FaultLibrary(), try Self.makeTool())
            let count = try faults.count(Self.sync(".vitrine"), of: try copy(of: template))
            #expect(count > 5)
            let isWhole = ProcessInfo.processInfo.environment["CRASH_SWEEP"] == "all"
            let width = isWhole ? 1 : fault == .kill ? 3 : 12
            var struck = 0
            for call in stride(from: 1, through: count, by: width) {
                let tool = try copy(of: template)
                let result = try faults.run(Self.sync(".vitrine"), of: tool, struckAt: call, by: fault)
                if result.status != 0 { struck += 1 }
                let place = Comment("call \(call) of \(count): \(result.output)\(result.errors)")
                #expect(fault == .kill || [0, 74].contains(result.status), place)
                try check(tool, place)
            }
            #expect(struck > 0)
            print("an exchange, \(fault): \(struck) struck of \(count) calls")
        }

        private func check(_ tool: Tool, _ place: Comment) throws {
            #expect(try tool.run("check").status == 0, place)
            for home in [".vitrine", "tablet", ".vitrine"] {
                let result = try tool.run(Self.sync(home))
                #expect(result.status == 0, "\(place), \(home): \(result.output)\(result.errors)")
            }
            for home in [".vitrine", "tablet"] {
                #expect(try tool.run("check", "--home", home).status == 0, place)
                #expect(try tool.succeed("wallet", "coins", "--home", home).lines.last == "coins   0", place)
                for product in ["madrid", "porto"] {
                    #expect(try tool.run("owned", .voyager(product), "--home", home).status == 0, place)
                }
                let devices = try tool.succeed("devices", "--home", home, "--json").json["devices"] as? [[String: Any]]
                #expect(devices?.count == 2, place)
                let history = try tool.succeed("history", "--home", home, "--json").json["entries"] as? [[String: Any]]
                #expect(history?.filter { $0["kind"] as? String == "debit" }.count == 2, place)
                #expect(history?.filter { $0["kind"] as? String == "credit" }.count == 1, place)
            }
            let left = try FileManager.default.contentsOfDirectory(atPath: tool.folder["Shared"].path())
            #expect(left.filter { $0.hasPrefix(".") } == [], place)
        }

        private func copy(of template: Tool) throws -> Tool {
            let tool = try Tool()
            for name in try FileManager.default.contentsOfDirectory(atPath: template.folder.url.path()) {
                try FileManager.default.copyItem(at: template.folder[name], to: tool.folder[name])
            }
            return tool
        }
    }
#endif
