import Foundation
import Testing
import VitrineTestSupport

#if os(Linux)
    /// Offsets in the ledger's file that cannot be read, temporarily or permanently.
    @Suite(.blocksThreads, .hangLimit) struct LedgerReadErrorTests {
        private static let pageSize = 4096

        private func ledgersSetAside(of tool: Tool) throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: tool.home.path()).filter {
                $0.hasPrefix("ledger.damaged")
            }
        }

        @Test(arguments: [
            FaultLibrary.ReadFault(times: 1), FaultLibrary.ReadFault(times: 2), FaultLibrary.ReadFault(times: 3),
            FaultLibrary.ReadFault(times: nil), FaultLibrary.ReadFault(times: nil, failsInSequence: false),
        ])
        func `a ledger with read errors is not treated as damaged and is not set aside`(_ fault: FaultLibrary.ReadFault)
            throws
        {
            let tool = try Tool.voyager()
            for product in ["coins50", "coins500", "lisbon"] {
                #expect(try tool.run("buy", .voyager(product)).status == 0)
            }
            let ledger = try Data(contentsOf: tool.home.appending(path: "ledger.sqlite"))
            let pages = ledger.count / Self.pageSize
            #expect(pages > 10)
            let faults = try FaultLibrary()

            var failures = 0
            for page in 0..<pages {
                let environment = faults.environment(failingReadsAt: page * Self.pageSize, fault)
                let wallet = try tool.run("wallet", "coins", environment: environment)
                if wallet.status == 0 {
                    #expect(wallet.lines.last == "coins   550", "page \(page)")
                } else {
                    failures += 1
                    #expect(wallet.status == 74, "page \(page): \(wallet.output)\(wallet.errors)")
                }
                #expect(try ledgersSetAside(of: tool).isEmpty, "page \(page): \(wallet.errors)")
            }
            #expect(failures > 0 || fault.times == 1 || !fault.failsInSequence)
            #expect(try tool.run("wallet", "coins").lines.last == "coins   550")
            #expect(try tool.run("check").status == 0)
        }
    }
#endif
