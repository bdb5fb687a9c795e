import Foundation
import Testing
import VitrineTestSupport

#if os(Linux)
    /// Home that is not writable, because the disk is full or mounted read-only.
    @Suite(.blocksThreads, .hangLimit) struct ReadOnlyHomeTests {
        @Test(arguments: [EROFS, ENOSPC])
        func `ownership and balances are readable on a read-only or full disk, and purchases are refused`(error: Int32)
            throws
        {
            let tool = try Tool.voyager()
            for product in ["coins50", "lisbon"] { #expect(try tool.run("buy", .voyager(product)).status == 0) }
            let before = try tool.files()
            let faults = try FaultLibrary()
            let refusing = faults.environment(refusingToWriteWith: error)

            let owned = try tool.run("owned", environment: refusing)
            #expect(owned.status == 0)
            #expect(owned.lines.contains { $0.hasPrefix("com.example.voyager.lisbon ") }, "\(owned.errors)")
            #expect(try tool.run("wallet", "coins", environment: refusing).lines.last == "coins   50")
            #expect(try tool.run("export", environment: refusing).output.contains(String.voyager("lisbon")))
            let bought = try tool.run("buy", .voyager("porto"), environment: refusing)
            #expect(bought.status != 0)
            #expect(!bought.output.hasPrefix("bought"))
            #expect(try tool.files() == before)

            #expect(try tool.run("buy", .voyager("porto")).status == 0)
            #expect(try tool.run("check").status == 0)
            #expect(try tool.run("store", "transactions").lines.count == 4)
        }
    }
#endif
