import Foundation
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
            /// What is owned once the command has done what it does, whatever was struck before.
            var owned: Set<String> = []
            /// What is owned if it has not.
            var ownedBefore: Set<String> = []
            /// What the wallet holds once the command has done what it does, and if it has not.
            var balance = 0
            var balanceBefore = 0
            /// The products whose content is there once the command has done what it does.
            var content: Set<String> = []
            /// The command may be run again, and then has to have done what it does, once.
            var isRepeatable = true
        }

        private static let everything: Set<String> = [
            "lisbon", "porto", "madrid", "vienna", "rome", "athens", "iberia", "everything",
        ]

        private static let scenarios = [
            Scenario(
                testDescription: "three packs of coins", command: ["buy", .voyager("coins50"), "--quantity", "3"],
                balance: 150, isRepeatable: false),
            Scenario(
                testDescription: "a bundle of bundles", command: ["buy", .voyager("everything")],
                owned: everything, content: ["rome", "athens"]),
            Scenario(
                testDescription: "a hosted guide", command: ["buy", .voyager("rome")], owned: ["rome"],
                content: ["rome"]),
            Scenario(
                testDescription: "spending", before: [["buy", .voyager("coins50")]],
                command: ["spend", "coins", "20", "--token", "map"], balance: 30, balanceBefore: 50),
            Scenario(
                testDescription: "restoring on a new device",
                before: [["buy", .voyager("lisbon")], ["buy", .voyager("iberia")]], isNewDevice: true,
                command: ["restore"], owned: ["lisbon", "iberia", "porto", "madrid"]),
            Scenario(
                testDescription: "refunding a bundle",
                before: [["buy", .voyager("rome")], ["buy", .voyager("everything")]],
                command: ["store", "refund", "2"], owned: ["rome"], ownedBefore: everything,
                content: ["rome", "athens"]),
            Scenario(
                testDescription: "hearing of the refund of coins that are half spent",
                before: [
                    ["buy", .voyager("coins50")], ["spend", "coins", "30", "--token", "map"],
                    ["store", "refund", "1"],
                ],
                command: ["load"], balance: 0, balanceBefore: 20),
            Scenario(
                testDescription: "learning how the app was first got",
                before: [["init", "--original-build", "150", "--original-date", "2019-05-01"]],
                command: ["load"], owned: ["premium"]),
        ]

        /// Every command is killed at each of its calls. Of the two errors each call has one, by turns, unless
        /// `CRASH_SWEEP=all` asks for both.
        private static func calls(upTo count: Int, by fault: FaultLibrary.Fault) -> [Int] {
            let isWhole = ProcessInfo.processInfo.environment["CRASH_SWEEP"] == "all"
            return (1...count).filter { call in
                switch fault {
                case .kill: true
                case .inputOutput: isWhole || !call.isMultiple(of: 2)
                case .noSpace: isWhole || call.isMultiple(of: 2)
                }
            }
        }

        @Test(arguments: scenarios, FaultLibrary.Fault.allCases)
        func `nothing is lost or doubled`(_ scenario: Scenario, by fault: FaultLibrary.Fault) throws {
            let (faults, template) = (try FaultLibrary(), try Tool.voyager())
            for command in scenario.before { #expect(try template.run(command).status == 0) }
            if scenario.isNewDevice {
                try FileManager.default.removeItem(at: template.home.appending(path: "ledger.sqlite"))
            }
            let count = try faults.count(scenario.command, of: try copy(of: template))
            let finishedBefore = try HomeAudit(template.home).finished
            #expect(count > 5)
            let calls = Self.calls(upTo: count, by: fault)
            var struck = 0
            for call in calls {
                let tool = try copy(of: template)
                let result = try faults.run(scenario.command, of: tool, struckAt: call, by: fault)
                let place = Comment("call \(call) of \(count): \(result.errors)")
                if result.status != 0 { struck += 1 }
                if fault != .kill {
                    #expect([0, 74].contains(result.status), place)
                    // What cannot be printed has been done all the same.
                    if result.status == 74, !result.errors.contains("the output cannot be written") {
                        #expect(try HomeAudit(tool.home).finished.isSubset(of: finishedBefore), place)
                    }
                }
                try check(tool, scenario, mayLack: result.status != 0, place)
                if scenario.isRepeatable {
                    #expect(try tool.run(scenario.command).status == 0, place)
                    try check(tool, scenario, mayLack: false, place)
                }
            }
            // Each call of a process that ends by itself is the last of one that is killed there.
            #expect(fault == .kill ? struck == count : struck > calls.count / 3, "\(struck) of \(calls.count)")
            print("\(scenario.testDescription), \(fault): \(calls.count) of \(count) calls, \(struck) struck")
        }

        /// Runs one more command, and then looks at the home from outside.
        ///
        /// - Parameter mayLack: The command may not have done what it does.
        private func check(_ tool: Tool, _ scenario: Scenario, mayLack: Bool, _ place: Comment) throws {
            let result = try tool.run("owned", "--json")
            #expect(result.status == 0, place)
            let owned = Set(
                (try result.json["owned"] as? [[String: Any]] ?? []).compactMap { $0["product"] as? String })
            #expect(
                owned == Set(scenario.owned.map(String.voyager))
                    || mayLack && owned == Set(scenario.ownedBefore.map(String.voyager))
                    // Of several that are restored, some may have been.
                    || mayLack && scenario.isNewDevice && owned.isSubset(of: scenario.owned.map(String.voyager)), place)

            let audit = try HomeAudit(tool.home)
            #expect(audit.sold == audit.finished, place)
            #expect(
                audit.purchases == audit.sold
                    || mayLack && scenario.isNewDevice && audit.purchases.isSubset(of: audit.sold), place)
            #expect(audit.credits.map(\.key) == audit.soldConsumables, place)
            #expect(audit.revocations == audit.refunded, place)
            #expect(audit.balance == scenario.balance || mayLack && audit.balance == scenario.balanceBefore, place)
            let content = try audit.installedGuides()
            #expect(content == scenario.content || mayLack && content.isSubset(of: scenario.content), place)
            #expect(try audit.leftovers() == [], place)
        }

        private func copy(of template: Tool) throws -> Tool {
            let tool = try Tool()
            try FileManager.default.copyItem(at: template.home, to: tool.home)
            return tool
        }
    }
#endif
