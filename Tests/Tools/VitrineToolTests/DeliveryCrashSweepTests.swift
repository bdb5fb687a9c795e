import Foundation
import Testing
import VitrineStoreSimulator
import VitrineTestSupport

#if os(Linux)
    /// Deliveries of a store's notifications by servers that are killed, or whose disk fails, at one durable system
    /// call after another.
    @Suite(.blocksThreads) struct DeliveryCrashSweepTests {
        enum Attempt: String, CaseIterable, Sendable {
            case first
            /// Second attempt, after a receiver refused all notifications once.
            case second
        }

        private let faults: FaultLibrary
        private let receiver: LoopbackServer

        init() async throws {
            faults = try FaultLibrary()
            receiver = try await LoopbackServer { $0.path == "/refused" ? .reply(503) : .reply() }
        }

        @Test(arguments: Attempt.allCases, FaultLibrary.Fault.allCases)
        func `every notification is delivered with unchanged bytes although the server is killed or its disk fails`(
            _ attempt: Attempt, by fault: FaultLibrary.Fault
        ) async throws {
            let template = try await makeTool(attempt)
            let notifications = try OutboxAudit(template.store).notifications
            let count = try faults.count { environment in
                try copy(of: template, sendingTo: "counted").deliver(notifications.count, environment).status
            }
            #expect(count > 5)
            var struck = 0
            for call in Self.calls(upTo: count, by: fault) {
                let tool = try copy(of: template, sendingTo: "\(call)")
                let environment = faults.environment(strikingAt: call, by: fault)
                let run = try tool.deliver(notifications.count, environment)
                let place = Comment("call \(call) of \(count): \(run.errors)")
                #expect(fault == .kill || [0, 74].contains(run.status), place)
                if run.status != 0 || run.errors.contains("error") { struck += 1 }
                let open = try OutboxAudit(tool.store).notifications.filter(\.isOpen).count
                if open > 0 { #expect(try tool.deliver(open).status == 0, place) }
                try check(tool, received(at: "\(call)"), notifications, attempt, place)
            }
            #expect(struck > 0)
            print("the \(attempt) attempt, \(fault): \(struck) struck of \(count) calls")
        }

        private static func calls(upTo count: Int, by fault: FaultLibrary.Fault) -> StrideThrough<Int> {
            let isWhole = ProcessInfo.processInfo.environment["CRASH_SWEEP"] == "all"
            let strikes = fault == .kill ? 12 : 3
            return stride(from: 1, through: count, by: isWhole ? 1 : max(1, count / strikes))
        }

        /// Checks the received notifications, and the attempts that the store has recorded. The store records an
        /// attempt after the response, so a server that is killed in between repeats the attempt.
        private func check(
            _ tool: Tool, _ bodies: [Data], _ notifications: [OutboxAudit.Notification], _ attempt: Attempt,
            _ place: Comment
        ) throws {
            #expect(Set(bodies) == Set(notifications.map(\.body)), place)
            #expect(bodies.count <= notifications.count + 1, place)
            let audit = try OutboxAudit(tool.store).notifications
            #expect(audit.map(\.signedPayload) == notifications.map(\.signedPayload), place)
            let refused = attempt == .second ? ["UNSUCCESSFUL_HTTP_RESPONSE_CODE"] : []
            for notification in audit {
                #expect(notification.attempts == refused + ["SUCCESS"] && !notification.isOpen, place)
            }
        }

        private func received(at name: String) -> [Data] {
            receiver.requests.filter { $0.path == "/\(name)" }.map(\.body)
        }

        private func makeTool(_ attempt: Attempt) async throws -> Tool {
            let tool = try Tool.club()
            try tool.succeed("store", "environment", "production", "--app-id", "1234567890")
            try tool.succeed("store", "webhook", receiver.url.appending(path: "refused").absoluteString)
            try tool.succeed("buy", "club.silver")
            try tool.succeed("buy", "coins")
            try tool.succeed("store", "refund", "2")
            try tool.succeed("store", "advance", "2040-02-20")
            let before = try OutboxAudit(tool.store).notifications
            #expect(before.count == 4 && before.allSatisfy { $0.isOpen && $0.attempts == [] })
            guard attempt == .second else { return tool }
            #expect(try tool.deliver(before.count).status == 0)
            #expect(Set(received(at: "refused")) == Set(before.map(\.body)))
            try await SimulatedStore(folder: tool.store).advance(by: 3_600)
            return tool
        }

        private func copy(of template: Tool, sendingTo name: String) throws -> Tool {
            let tool = try Tool()
            try FileManager.default.copyItem(at: template.home, to: tool.home)
            try OutboxAudit.setAddress(receiver.url.appending(path: name), of: tool.store)
            return tool
        }
    }

    extension Tool {
        /// Result of a server that has delivered notifications.
        fileprivate struct DeliveryRun {
            let status: Int32
            let errors: String
        }

        /// Runs `vitrine-server` for the home's store until it ends, has recorded a number of attempts, or fails
        /// repeatedly.
        fileprivate func deliver(_ count: Int, _ environment: [String: String] = [:]) throws -> DeliveryRun {
            var server = self
            server.executable = Bundle.main.bundleURL.appending(path: "vitrine-server")
            let pipe = Pipe()
            let process = try server.startShowing(
                ["store", store.path(), "--verbose"], errors: pipe.fileHandleForWriting, environment: environment)
            var errors = ""
            var isEnding = false
            while case let bytes = pipe.fileHandleForReading.availableData, !bytes.isEmpty {
                errors += String(decoding: bytes, as: UTF8.self)
                let (notes, failures) = (
                    errors.matches(of: /notification \d+: [A-Z]/), errors.matches(of: /error vitrine-server/)
                )
                guard !isEnding, notes.count >= count || failures.count > 100 else { continue }
                isEnding = true
                process.terminate()
            }
            process.waitUntilExit()
            return DeliveryRun(status: process.terminationStatus, errors: errors)
        }
    }
#endif
