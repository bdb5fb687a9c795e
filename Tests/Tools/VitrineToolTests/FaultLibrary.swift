import Foundation
import Testing
import VitrineTestSupport

#if os(Linux)
    /// C library that counts a process's durable system calls, and injects a fault at one of them.
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

        /// Returns the number of durable system calls of a command.
        func count(_ arguments: [String], of tool: Tool) throws -> Int {
            try count { environment in
                let result = try tool.run(arguments, environment: environment)
                #expect(result.status == 0, "\(result.errors)")
                return result.status
            }
        }

        /// Returns the number of durable system calls of a process.
        ///
        /// - Parameter run: Function that runs the process in an environment, and returns its status.
        func count(_ run: (_ environment: [String: String]) throws -> Int32) throws -> Int {
            let file = folder["count-\(UUID().uuidString)"]
            try #require(try run(["LD_PRELOAD": library, "FAULT_COUNT_FILE": file.path()]) == 0)
            return try #require(Int(String(contentsOf: file, encoding: .utf8)))
        }

        /// Runs a command with a fault at one of its durable system calls.
        func run(_ arguments: [String], of tool: Tool, struckAt call: Int, by fault: Fault) throws -> Tool.Result {
            try tool.run(arguments, environment: environment(strikingAt: call, by: fault))
        }

        /// Returns the environment that injects a fault at one of a process's durable system calls.
        func environment(strikingAt call: Int, by fault: Fault) -> [String: String] {
            fault == .kill
                ? ["LD_PRELOAD": library, "FAULT_AT": String(call)]
                : environment(strikingAt: call, error: fault.rawValue)
        }

        /// Returns the environment in which one of a process's durable system calls fails.
        func environment(strikingAt call: Int, error: Int32) -> [String: String] {
            ["LD_PRELOAD": library, "FAULT_AT": String(call), "FAULT_ERROR": String(error)]
        }

        /// Returns the environment in which every write to a file fails.
        func environment(refusingToWriteWith error: Int32) -> [String: String] {
            environment(strikingAt: 1, error: error).merging(["FAULT_LASTING": "1"]) { $1 }
        }

        /// Failing reads of the ledger's file: their number (`nil` for all), and whether sequential reads fail too, as
        /// with a bad sector.
        struct ReadFault: Sendable, CustomTestStringConvertible {
            var times: Int?
            var failsInSequence = true

            var testDescription: String {
                "\(times.map(String.init) ?? "all") reads\(failsInSequence ? "" : " at a given position")"
            }
        }

        /// Returns the environment in which an offset of the ledger's file cannot be read.
        func environment(failingReadsAt offset: Int, _ fault: ReadFault) -> [String: String] {
            var environment = ["LD_PRELOAD": library, "FAULT_READ_AT": String(offset)]
            environment["FAULT_READ_COUNT"] = fault.times.map(String.init)
            if !fault.failsInSequence { environment["FAULT_READ_PLACED"] = "1" }
            return environment
        }
    }
#endif
