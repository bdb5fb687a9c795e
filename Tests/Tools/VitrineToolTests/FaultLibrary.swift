import Foundation
import Testing
import VitrineTestSupport

#if os(Linux)
    /// The C library that counts a process's durable system calls and strikes at one of them.
    struct FaultLibrary: Sendable {
        enum Fault: Int32, CaseIterable, Sendable {
            /// The process is killed before the call.
            case kill = 0
            /// The call fails with an I/O error.
            case inputOutput = 5
            /// The call fails because the disk is full.
            case noSpace = 28
        }

        private let folder: TemporaryFolder

        /// Compiles the library with the Swift toolchain's C compiler.
        init() throws {
            folder = try TemporaryFolder()
            let compiler = Process()
            compiler.executableURL = URL(filePath: "/usr/bin/env")
            compiler.arguments = [
                "clang", "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", library,
                Repository.file("Tests/Faults/faults.c").path(),
            ]
            try compiler.run()
            compiler.waitUntilExit()
            try #require(compiler.terminationStatus == 0)
        }

        private var library: String { folder["faults.so"].path() }

        /// The number of durable system calls that a command makes.
        func count(_ arguments: [String], of tool: Tool) throws -> Int {
            try count { environment in
                let result = try tool.run(arguments, environment: environment)
                #expect(result.status == 0, "\(result.errors)")
                return result.status
            }
        }

        /// The number of durable system calls that a process makes.
        ///
        /// - Parameter run: Runs it in an environment, and answers with its status.
        func count(_ run: (_ environment: [String: String]) throws -> Int32) throws -> Int {
            let file = folder["count-\(UUID().uuidString)"]
            try #require(try run(["LD_PRELOAD": library, "FAULT_COUNT_FILE": file.path()]) == 0)
            return try #require(Int(String(contentsOf: file, encoding: .utf8)))
        }

        /// Runs a command that is struck at one of its durable system calls.
        func run(_ arguments: [String], of tool: Tool, struckAt call: Int, by fault: Fault) throws -> Tool.Result {
            try tool.run(arguments, environment: environment(strikingAt: call, by: fault))
        }

        /// The environment in which a process is struck at one of its durable system calls.
        func environment(strikingAt call: Int, by fault: Fault) -> [String: String] {
            fault == .kill
                ? ["LD_PRELOAD": library, "FAULT_AT": String(call)]
                : environment(strikingAt: call, error: fault.rawValue)
        }

        /// The environment in which one of a process's durable system calls fails.
        func environment(strikingAt call: Int, error: Int32) -> [String: String] {
            ["LD_PRELOAD": library, "FAULT_AT": String(call), "FAULT_ERROR": String(error)]
        }

        /// The environment in which nothing can be written to any file.
        func environment(refusingToWriteWith error: Int32) -> [String: String] {
            environment(strikingAt: 1, error: error).merging(["FAULT_LASTING": "1"]) { $1 }
        }

        /// Reads of the ledger's file that fail: how many, where `nil` stands for all, and whether reads in sequence fail
        /// too, as those of a bad sector do.
        struct ReadFault: Sendable, CustomTestStringConvertible {
            var times: Int?
            var failsInSequence = true

            var testDescription: String {
                "\(times.map(String.init) ?? "all") reads\(failsInSequence ? "" : " at a given position")"
            }
        }

        /// The environment in which a place of the ledger's file cannot be read.
        func environment(failingReadsAt offset: Int, _ fault: ReadFault) -> [String: String] {
            var environment = ["LD_PRELOAD": library, "FAULT_READ_AT": String(offset)]
            environment["FAULT_READ_COUNT"] = fault.times.map(String.init)
            if !fault.failsInSequence { environment["FAULT_READ_PLACED"] = "1" }
            return environment
        }
    }
#endif
