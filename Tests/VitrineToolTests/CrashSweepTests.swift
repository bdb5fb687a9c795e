import Foundation
import GRDB
import TestSupport
import Testing

#if os(Linux)
    /// Commands that are killed, or whose disk fails, at each durable system call in turn.
    @Suite struct CrashSweepTests {
        struct Scenario: Sendable, CustomTestStringConvertible {
            let testDescription: String
            /// What was done in the home before.
            var before: [[String]] = []
            /// The app's own files are gone, as on a new device.
            var isNewDevice = false
            let command: [String]
            /// What has to be owned in the end.
            var owned: [String] = []
            /// What the wallet may hold in the end: without and with what the command does.
            var balances: Set<Int> = [0]
            /// The command may be run again, and then has to have done what it does, once.
            var isRepeatable = true
        }

        private static let scenarios = [
            Scenario(
                testDescription: "three packs of coins", command: ["buy", .voyager("coins50"), "--quantity", "3"],
                balances: [0, 150], isRepeatable: false),
            Scenario(
                testDescription: "a bundle of bundles", command: ["buy", .voyager("everything")],
                owned: ["everything", "iberia", "madrid"]),
            Scenario(
                testDescription: "spending", before: [["buy", .voyager("coins50")]],
                command: ["spend", "coins", "20", "--token", "map"], balances: [30]),
            Scenario(
                testDescription: "restoring on a new device",
                before: [["buy", .voyager("lisbon")], ["buy", .voyager("iberia")]], isNewDevice: true,
                command: ["restore"], owned: ["lisbon", "iberia", "porto"]),
        ]

        @Test(arguments: scenarios, FaultLibrary.Fault.allCases)
        func `nothing is lost or doubled`(_ scenario: Scenario, by fault: FaultLibrary.Fault) throws {
            let (faults, template) = (try FaultLibrary(), try Tool.voyager())
            for command in scenario.before { #expect(try template.run(command).status == 0) }
            if scenario.isNewDevice {
                try FileManager.default.removeItem(at: template.home.appending(path: "ledger.sqlite"))
            }
            let calls = try faults.count(scenario.command, of: try copy(of: template))
            #expect(calls > 10)
            var struck = 0
            for call in 1...calls {
                let tool = try copy(of: template)
                let result = try faults.run(scenario.command, of: tool, struckAt: call, by: fault)
                if result.status != 0 { struck += 1 }
                #expect(fault == .kill || [0, 2, 74].contains(result.status), "call \(call): \(result.errors)")

                #expect(try tool.run("load").status == 0, "after call \(call)")
                if scenario.isRepeatable { #expect(try tool.run(scenario.command).status == 0, "after call \(call)") }
                try audit(tool, scenario, after: call)
            }
            // Each call of a process that ends by itself is the last of one that is killed there.
            #expect(fault == .kill ? struck == calls : struck > calls / 2, "\(struck) of \(calls)")
        }

        /// Looks at both databases from outside.
        private func audit(_ tool: Tool, _ scenario: Scenario, after call: Int) throws {
            let ledger = try DatabaseQueue(path: tool.home.appending(path: "ledger.sqlite").path())
            let store = try DatabaseQueue(path: tool.home.appending(path: "Store/store.sqlite").path())
            let sold = try store.read { database in
                try Row.fetchAll(
                    database, sql: "SELECT CAST(id AS TEXT) AS id, kind, quantity, isFinished FROM purchase")
            }
            let purchases = try ledger.read {
                try String.fetchSet($0, sql: "SELECT key FROM entry WHERE kind = 'purchase'")
            }
            let credits = try ledger.read { database in
                try Row.fetchAll(database, sql: "SELECT key, amount FROM entry WHERE kind = 'credit'")
            }
            let balance = try ledger.read { database in
                try Int.fetchOne(
                    database,
                    sql: "SELECT COALESCE(SUM(CASE kind WHEN 'credit' THEN amount ELSE -amount END), 0) FROM entry "
                        + "WHERE wallet = 'coins'")
            }

            #expect(sold.allSatisfy { $0["isFinished"] == true }, "unfinished after call \(call)")
            #expect(purchases == Set(sold.map { $0["id"] }), "after call \(call)")
            #expect(
                Set(credits.map { $0["key"] as String })
                    == Set(sold.filter { $0["kind"] == "consumable" }.map { $0["id"] as String }),
                "after call \(call)")
            #expect(scenario.balances.contains(balance ?? -1), "\(balance ?? -1) after call \(call)")
            for name in scenario.owned {
                #expect(try tool.run("owned", .voyager(name)).status == 0, "\(name) after call \(call)")
            }
        }

        private func copy(of template: Tool) throws -> Tool {
            let tool = try Tool()
            try FileManager.default.copyItem(at: template.home, to: tool.home)
            return tool
        }
    }
#endif
