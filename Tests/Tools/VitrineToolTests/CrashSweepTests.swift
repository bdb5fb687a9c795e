import Foundation
import Testing
import VitrineTestSupport

#if os(Linux)
    /// Commands that are killed, or whose disk fails, at one durable system call after another.
    @Suite(.blocksThreads) struct CrashSweepTests {
        /// Returns the calls at which a fault is injected: all of them with `CRASH_SWEEP=all`, otherwise always the
        /// same ones. Each call then gets at most one of the two errors.
        private static func calls(
            upTo count: Int, of scenario: CrashScenario, by fault: FaultLibrary.Fault
        ) -> [Int] {
            let isWhole = ProcessInfo.processInfo.environment["CRASH_SWEEP"] == "all"
            let width = scenario.stride
            return switch fault {
            case _ where isWhole: Array(1...count)
            case .kill: Array(stride(from: 1, through: count, by: 8 * width))
            case .inputOutput: Array(stride(from: 1, through: count, by: 16 * width))
            case .noSpace: Array(stride(from: 1 + min(8 * width, count / 2), through: count, by: 16 * width))
            }
        }

        @Test(arguments: CrashScenario.all)
        func `no recorded fact is lost or duplicated when a command is killed or its disk fails`(
            _ scenario: CrashScenario
        ) throws {
            let (faults, template) = (try FaultLibrary(), try scenario.shop.makeTool())
            let before = try scenario.prepare(template)
            let damaged = FileManager.default.contents(atPath: template.home.appending(path: "ledger.sqlite").path())
            let count = try faults.count(scenario.command, of: scenario.struck(try copy(of: template)))
            #expect(count > 5)
            for fault in FaultLibrary.Fault.allCases {
                let calls = Self.calls(upTo: count, of: scenario, by: fault)
                var struck = 0
                for call in calls {
                    let home = StruckHome(
                        scenario: scenario, tool: try copy(of: template), before: before, damaged: damaged)
                    let result = try faults.run(
                        scenario.command, of: scenario.struck(home.tool), struckAt: call, by: fault)
                    let place = Comment("\(fault) at call \(call) of \(count): \(result.errors)")
                    // What can be had again is told, and does not make a command fail.
                    if result.status != 0 || !result.errors.isEmpty { struck += 1 }
                    #expect(fault == .kill || [0, 74].contains(result.status), place)
                    try home.checkAtOnce(isError: result.status == 74, result.errors, place)
                    try home.checkAfterLaunch(mayLack: result.status != 0, place)
                }
                // Not every process gets as far as closing its files before it ends, and not every call is of
                // consequence: a load tells only some of its errors, and repeats the rest with the next one.
                #expect(
                    struck >= (fault == .kill ? calls.count * 3 / 4 : min(4, calls.count / 6)),
                    "\(struck) of \(calls.count)")
                print("\(scenario.testDescription), \(fault): \(calls.count) of \(count) calls, \(struck) struck")
            }
        }

        private func copy(of template: Tool) throws -> Tool {
            let tool = try Tool()
            try FileManager.default.copyItem(at: template.home, to: tool.home)
            return tool
        }
    }

    /// Home after a command with an injected fault.
    private struct StruckHome {
        let scenario: CrashScenario
        let tool: Tool
        /// State of the home before the command.
        let before: HomeAudit
        /// Bytes of the ledger before the command; `nil` if there was no ledger.
        let damaged: Data?

        /// Checks a copy of the home directly after the command: every finished transaction is recorded. After an error
        /// without a repeated delivery, nothing at all was finished.
        func checkAtOnce(isError: Bool, _ errors: String, _ place: Comment) throws {
            // What cannot be read is not looked into.
            switch scenario.ledger {
            case .damaged, .unreleased, .missing, .repairable: return
            case .asItIs, .gone: break
            }
            let copy = try TemporaryFolder()
            try FileManager.default.copyItem(at: tool.home, to: copy["home"])
            let audit = try HomeAudit(copy["home"])
            #expect(audit.finishedWithoutRecord(since: before.finished) == [], place)
            // What cannot be printed has been done all the same.
            if isError, !errors.contains("the output cannot be written") {
                let areOthersFinished = scenario.areSeveralDelivered && audit.finished.isStrictSubset(of: audit.sold)
                #expect(
                    areOthersFinished || scenario.isTriedAgain || audit.finished.isSubset(of: before.finished), place)
            }
        }

        /// Launches the app once more, checks the files of the home, and then repeats the command if it may be
        /// repeated.
        ///
        /// - Parameter mayLack: `true` if the command may have had no effect.
        func checkAfterLaunch(mayLack: Bool, _ place: Comment) throws {
            try checkLedger(place)
            try audit(mayLack: mayLack, place)
            if let statuses = scenario.statusesAgain {
                let again = try tool.run(scenario.command)
                #expect(statuses.contains(again.status), "\(place) again: \(again.errors)")
            }
            let lacks = mayLack && scenario.statusesAgain == nil
            let result = try tool.run("owned", "--json")
            #expect(result.status == 0, place)
            let products = try result.json["owned"] as? [[String: Any]] ?? []
            let owned = Set(products.compactMap { $0["product"] as? String })
            #expect(
                owned == Set(scenario.owned.map(scenario.shop.identifier))
                    || lacks
                        && owned == Set((scenario.ownedBefore ?? scenario.owned).map(scenario.shop.identifier)),
                place)
            let ends = Set(products.compactMap { $0["until"] as? String })
            if scenario.shop == .passes {
                #expect(ends == scenario.ends || lacks && ends == scenario.endsBefore, place)
            }
            try audit(mayLack: lacks, place)
        }

        private func checkLedger(_ place: Comment) throws {
            let result = try tool.run("check")
            // That the loss of a damaged ledger is not settled is all that may be wrong.
            let problems: Int32 =
                switch scenario.ledger {
                case .damaged, .unreleased, .missing: 1
                case .asItIs, .gone, .repairable: 0
                }
            let isWell = result.status == problems && result.lines.count == Int(problems) + 1
            #expect(isWell, "\(place) check: \(result.output)\(result.errors)")
        }

        private func audit(mayLack: Bool, _ place: Comment) throws {
            let audit = try HomeAudit(tool.home)
            #expect(audit.violations(forgotten: forgotten(mayLack: mayLack)) == [], place)
            #expect(
                [scenario.balance, mayLack ? scenario.balanceBefore ?? scenario.balance : scenario.balance]
                    .contains(audit.balance), place)
            let sales = scenario.sales ?? before.sales.count
            if scenario.shop != .voyager {
                #expect([sales, mayLack ? before.sales.count : sales].contains(audit.sales.count), place)
                #expect(audit.madeInTimeline == audit.sales.map(\.id), place)
            }
            if mayLack, case .gone = scenario.ledger, !scenario.isDoneInParts {
                let purchases = audit.entries(of: "purchase").count
                #expect([0, before.entries(of: "purchase").count].contains(purchases), place)
            }
            let content = try audit.installedGuides()
            #expect(content == scenario.content || mayLack && content.isSubset(of: scenario.content), place)
            #expect(try audit.leftovers() == [], place)
            try checkWhatWasSetAside(audit, place)
        }

        /// Returns the finished transactions that the ledger may lack.
        private func forgotten(mayLack: Bool) -> Set<String> {
            switch scenario.ledger {
            case .gone: mayLack ? before.finished : []
            // The store does not tell of consumables that were finished.
            case .damaged, .unreleased, .missing: before.soldConsumables
            case .asItIs, .repairable: []
            }
        }

        /// Checks that a damaged ledger is preserved exactly once, that the new ledger records a loss once if data was
        /// lost, and that no other file is set aside.
        private func checkWhatWasSetAside(_ audit: HomeAudit, _ place: Comment) throws {
            let names = try audit.setAside().filter { $0.hasSuffix(".sqlite") }
            let losses = audit.entries(of: "loss").map(\.key)
            let areWhole = try names.allSatisfy { try Data(contentsOf: tool.home.appending(path: $0)) == damaged }
            switch scenario.ledger {
            case .damaged, .unreleased:
                #expect(names.count == 1 && areWhole, place)
                #expect(losses == names, place)
            case .missing:
                // A new ledger that was not completed is set aside.
                #expect(names.count <= 1, place)
                #expect(losses.count == 1, place)
            case .repairable:
                #expect(names.count == 1 && areWhole, place)
                #expect(losses == [], place)
            case .asItIs, .gone:
                #expect(names == [], place)
                #expect(losses == [], place)
            }
        }
    }
#endif
