import ArgumentParser
import Foundation
import Vitrine
import VitrineCommandSupport
import VitrinePurchasing

struct RestoreCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Restore the purchases that the store knows.",
        discussion: """
            Purchases that the store has revoked are no longer owned afterwards; all others stay. If there is nothing \
            to restore, the exit status is 0 too.

            EXAMPLE:
              vitrine restore
            """
    )

    @Option(
        help: ArgumentHelp(
            "An account in the app, as a UUID. Purchases for other accounts are skipped.", valueName: "uuid"))
    var account: String?

    @OptionGroup var session: SessionOptions

    func report(_ manager: CatalogManager) async throws -> Report {
        let result: RestoreResult
        do {
            result = try await manager.restore(accountToken: try account.map(AccountToken.parse))
        } catch let error as StoreError {
            throw ToolFailure(
                status: error.code == .storage ? .inputOutput : .no,
                reason: "the store query failed: \(error.reason)")
        }
        var lines = result.restored.map { "restored \($0)" } + result.alreadyOwned.map { "already owned: \($0)" }
        lines += result.ended.map { "not owned any more: \($0)" }
        lines += result.revoked.map { "revoked by the store: \($0)" }
        lines += result.otherAccounts.map { "not restored, belongs to another account: \($0)" }
        lines += result.failed.map { "not restored: transaction \($0.transactionID): \($0.reason)" }
        return Report(
            lines: lines.isEmpty ? ["nothing to restore"] : lines,
            json: [
                "restored": result.restored, "alreadyOwned": result.alreadyOwned, "ended": result.ended,
                "takenBack": result.revoked, "otherAccounts": result.otherAccounts,
                "failed": result.failed.map { ["transaction": $0.transactionID, "reason": $0.reason.description] },
            ], status: result.failed.map(\.reason.exitStatus).max() ?? .yes)
    }
}

extension PendingTransaction.State {
    fileprivate var exitStatus: ExitStatus {
        switch self {
        case .waiting(let reason): reason.exitStatus
        case .rejected: .no
        }
    }
}
