import Foundation
import Testing
import VitrineTestSupport

/// Home on whose device another App Store account is signed in.
@Suite(.blocksThreads, .hangLimit) struct AccountCommandTests {
    private let tool: Tool

    init() throws {
        tool = try Tool.voyager()
        for product in ["lisbon", "coins50"] { try tool.succeed("buy", .voyager(product)) }
    }

    private func account(of customer: String) throws -> String {
        let customers = try tool.succeed("store", "customers", "--json").json["customers"] as? [[String: Any]] ?? []
        return try #require(
            customers.first { $0["name"] as? String == customer }?["appTransactionID"] as? String)
    }

    private func owns(_ product: String) throws -> Bool { try tool.run("owned", .voyager(product)).status == 0 }

    private func coins() throws -> String? { try tool.succeed("wallet", "coins").lines.last }

    @Test func `purchases stay owned by default, and a restore with another account reports the change of the account`()
        throws
    {
        #expect(
            try tool.succeed("store", "account", "anna").output
                == "the App Store account of anna is signed in, in place of that of default\n")
        #expect(
            try tool.succeed("store", "account", "anna").output
                == "the App Store account of anna is signed in already\n")
        let (former, account) = (try account(of: "default"), try account(of: "anna"))
        let change = "warning: the App Store account has changed from \(former) to \(account)"
        #expect(try tool.run("restore").errors.contains(change))
        #expect(try !tool.run("restore").errors.contains(change))

        #expect(try owns("lisbon"))
        #expect(try coins() == "coins   50")
        let why = try tool.run("why", .voyager("lisbon"))
        #expect(
            why.lines.last == "  bought by the App Store account \(former), which is not the present one")
        #expect(why.status == 0)
        #expect(try tool.run("check").status == 0)
    }

    @Test func `with separate accounts only the purchases of the present account are owned, and all are kept`() throws {
        try tool.succeed("init", "--accounts", "separate")
        #expect(try owns("lisbon"))
        try tool.succeed("store", "account", "anna")
        let (former, account) = (try account(of: "default"), try account(of: "anna"))
        let load = try tool.run("load")
        #expect(
            load.errors.contains("warning: the App Store account has changed from \(former) to \(account)"),
            "\(load.errors)")
        #expect(try owns("lisbon") == false)
        #expect(try coins() == "coins   0")
        let why = try tool.run("why", .voyager("lisbon"))
        #expect(why.lines.last == "  owned by the App Store account \(former), which is not the present one")
        #expect(why.status == 1)
        #expect(try tool.run("why", .voyager("lisbon"), "--json").json["otherAccounts"] as? [String] == [former])
        try tool.succeed("buy", .voyager("vienna"))

        try tool.succeed("store", "account", "default")
        #expect(try owns("lisbon"))
        #expect(try owns("vienna") == false)
        #expect(try coins() == "coins   50")
        #expect(try tool.run("check").status == 0)
        try tool.succeed("store", "account", "anna")
        #expect(try owns("vienna"))
        #expect(try tool.run("check").status == 0)
    }

    @Test func `a device without a connection shows what it has shown until the account can be verified`() throws {
        try tool.succeed("init", "--accounts", "separate")
        try tool.succeed("load")
        try tool.succeed("store", "account", "anna")
        try tool.succeed("store", "set", "offline", "on")
        #expect(try owns("lisbon"))
        try tool.succeed("store", "set", "offline", "off")
        #expect(try owns("lisbon") == false)
    }

    @Test(arguments: [
        (["store", "account", ""], 64, "The name of the customer must not be empty."),
        (["store", "account", "anna", "--home", "none"], 66, "no simulated store in none"),
        (["init", "--accounts", "each"], 64, "each"),
    ])
    func `vitrine refuses an account that cannot be signed in, and an unknown policy`(
        _ arguments: [String], status: Int32, message: String
    ) throws {
        let result = try tool.run(arguments)
        #expect(result.status == status)
        #expect(result.errors.contains(message), "\(result.errors)")
    }
}

#if os(Linux)
    /// Load after a change of the App Store account that is killed, or whose disk fails, at one durable system call after
    /// another.
    @Suite(.blocksThreads) struct AccountCrashSweepTests {
        /// Returns the interval between the calls at which a fault is injected.
        private static func interval(of fault: FaultLibrary.Fault) -> Int {
            if ProcessInfo.processInfo.environment["CRASH_SWEEP"] == "all" { return 1 }
            return fault == .kill ? 11 : 31
        }

        @Test(arguments: FaultLibrary.Fault.allCases)
        func `no purchase is lost or recorded for another account when a change of the account is interrupted`(
            by fault: FaultLibrary.Fault
        ) throws {
            let (faults, template) = (try FaultLibrary(), try Tool.voyager())
            try template.succeed("init", "--accounts", "separate")
            for product in ["lisbon", "coins50"] { try template.succeed("buy", .voyager(product)) }
            try template.succeed("store", "account", "anna")
            // Anna has bought a guide on another device, which the load receives.
            try template.succeed(
                "init", "--home", "tablet", "--catalog", Repository.sample("Voyager.plist").path(), "--join",
                ".vitrine/Store", "--customer", "anna", "--device", "tablet")
            try template.succeed("buy", .voyager("vienna"), "--home", "tablet")
            let count = try faults.count(["load"], of: try copy(of: template))
            #expect(count > 5)
            for call in stride(from: 1, through: count, by: Self.interval(of: fault)) {
                let tool = try copy(of: template)
                let result = try faults.run(["load"], of: tool, struckAt: call, by: fault)
                let place = Comment("call \(call) of \(count): \(result.errors)")
                #expect(fault == .kill || [0, 74].contains(result.status), place)
                #expect(try purchasesInFirstLedger(of: tool) == ["1", "2"], place)
                #expect(try tool.run("load").status == 0, place)
                #expect(try tool.run("owned", .voyager("lisbon")).status == 1, place)
                #expect(try tool.run("owned", .voyager("vienna")).status == 0, place)
                #expect(try tool.succeed("wallet", "coins").lines.last == "coins   0", place)
                #expect(try purchasesInFirstLedger(of: tool) == ["1", "2"], place)
                #expect(try tool.run("check").status == 0, place)
                try tool.succeed("store", "account", "default")
                #expect(try tool.run("owned", .voyager("lisbon")).status == 0, place)
                #expect(try tool.succeed("wallet", "coins").lines.last == "coins   50", place)
            }
        }

        private func copy(of template: Tool) throws -> Tool {
            let tool = try Tool()
            try FileManager.default.copyItem(at: template.home, to: tool.home)
            return tool
        }

        /// Returns the transactions that the ledger of the first account has recorded.
        private func purchasesInFirstLedger(of tool: Tool) throws -> [String] {
            // Reading a copy leaves the files as the interrupted load has left them.
            let copy = try copy(of: tool)
            return try withExtendedLifetime(copy) { try HomeAudit($0.home).entries(of: "purchase").map(\.key) }
        }
    }
#endif
