import Foundation
import Testing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

#if os(Linux)
    /// Commands that change a store with a receiver of notifications. Each process is killed, or its disk fails, at one
    /// durable system call after another.
    @Suite(.blocksThreads) struct StoreOutboxCrashSweepTests {
        struct Change: Sendable, CustomTestStringConvertible {
            let testDescription: String
            var before: [[String]] = []
            let command: [String]
            /// Types of the notifications that the command causes.
            let types: [String]
        }

        private static let silver = ["buy", "club.silver"]
        private static let coins = ["buy", "coins"]

        static let changes = [
            Change(testDescription: "a purchase", command: silver, types: ["SUBSCRIBED"]),
            Change(
                testDescription: "an upgrade", before: [silver], command: ["buy", "club.argent"],
                types: ["DID_CHANGE_RENEWAL_PREF"]),
            Change(
                testDescription: "a refund", before: [coins], command: ["store", "refund", "1"], types: ["REFUND"]),
            Change(
                testDescription: "a refund that is reversed", before: [coins, ["store", "refund", "1"]],
                command: ["store", "reverse-refund", "1"], types: ["REFUND_REVERSED"]),
            Change(
                testDescription: "a request for a refund", before: [silver], command: ["store", "request-refund", "1"],
                types: ["DID_CHANGE_RENEWAL_STATUS", "CONSUMPTION_REQUEST"]),
            Change(
                testDescription: "three renewals", before: [silver], command: ["store", "advance", "2040-04-20"],
                types: ["DID_RENEW", "DID_RENEW", "DID_RENEW"]),
            Change(
                testDescription: "a failed payment, and the end of the subscription",
                before: [
                    silver, ["store", "set", "grace", "on"], ["store", "set", "billing", "fail", "club.silver"],
                ],
                command: ["store", "advance", "2040-05-20"],
                types: ["DID_FAIL_TO_RENEW", "GRACE_PERIOD_EXPIRED", "EXPIRED"]),
        ]

        /// Returns the calls at which a fault is injected: the last one, which follows the change, and some or all
        /// earlier ones.
        private static func calls(upTo count: Int, by fault: FaultLibrary.Fault) -> StrideThrough<Int> {
            let isWhole = ProcessInfo.processInfo.environment["CRASH_SWEEP"] == "all"
            let strikes = fault == .kill ? 6 : 2
            return stride(from: count, through: 1, by: isWhole ? -1 : -max(1, count / strikes))
        }

        @Test(arguments: changes, FaultLibrary.Fault.allCases)
        func `a store change and its notifications are saved together or not at all if the command crashes`(
            _ change: Change, by fault: FaultLibrary.Fault
        ) async throws {
            let (faults, template) = (try FaultLibrary(), try Self.makeTool(change))
            let (whole, before) = (try copy(of: template), try OutboxAudit(template.store))
            let count = try faults.count(change.command, of: whole)
            #expect(count > 5)
            let after = try OutboxAudit(whole.store)
            #expect(try await Self.types(of: after, since: before, in: whole) == change.types)
            var (struck, changed) = (0, 0)
            for call in Self.calls(upTo: count, by: fault) {
                let tool = try copy(of: template)
                let result = try faults.run(change.command, of: tool, struckAt: call, by: fault)
                let place = Comment("call \(call) of \(count): \(result.output)\(result.errors)")
                #expect(fault == .kill || [0, 74].contains(result.status), place)
                let audit = try OutboxAudit(tool.store)
                #expect(audit.isSame(as: before) || audit.isSame(as: after), place)
                #expect(result.status != 0 || audit.isSame(as: after), place)
                if result.status != 0 { struck += 1 }
                if audit.isSame(as: after) { changed += 1 }
                let types = try await Self.types(of: audit, since: before, in: tool)
                #expect(types == (audit.isSame(as: after) ? change.types : []), place)
                let isMissing = audit.isSame(as: before)
                #expect(try tool.run(isMissing ? change.command : ["owned"]).status == 0, place)
                #expect(try OutboxAudit(tool.store).isSame(as: after), place)
            }
            #expect(fault != .kill || struck > changed && changed > 0)
            print(
                "\(change.testDescription), \(fault): \(struck) struck of \(count) calls, \(changed) after the change")
        }

        private static func makeTool(_ change: Change) throws -> Tool {
            let tool = try Tool.club()
            try tool.succeed("store", "webhook", "http://127.0.0.1:9/notifications")
            for command in change.before {
                let result = try tool.run(command)
                try #require(result.status == 0, "\(command): \(result.errors)")
            }
            return tool
        }

        /// Returns the types of the notifications since an earlier state of the store, and verifies their signed
        /// payloads.
        private static func types(
            of audit: OutboxAudit, since before: OutboxAudit, in tool: Tool
        ) async throws -> [String] {
            let store = try SimulatedStore(folder: tool.store)
            let verifier = SignedDataVerifier(
                roots: try TrustedRoots(pem: store.rootCertificate), bundleIdentifier: store.bundleIdentifier,
                environment: .sandbox)
            var types: [String] = []
            for made in audit.notifications.dropFirst(before.notifications.count) {
                guard case .verified(let notification) = await verifier.verify(notification: made.signedPayload) else {
                    types.append("\(made.identifier) is not what the store has signed")
                    continue
                }
                #expect(notification.payload.notificationID == made.identifier)
                types.append(notification.payload.type.rawValue)
            }
            return types
        }

        private func copy(of template: Tool) throws -> Tool {
            let tool = try Tool()
            try FileManager.default.copyItem(at: template.home, to: tool.home)
            return tool
        }
    }

    extension Tool {
        /// Folder of the home's simulated store.
        var store: URL { home.appending(path: "Store") }
    }
#endif
