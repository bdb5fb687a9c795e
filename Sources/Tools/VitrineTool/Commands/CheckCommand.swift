import ArgumentParser
import Vitrine
import VitrineCommandSupport
import VitrineEntitlements

struct CheckCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check the integrity of the ledger.",
        discussion: """
            Checks that the ledger's file is intact, that the current state and each change of a wallet follow from \
            the entries, that each signature in the ledger is valid, and that the loss of an earlier ledger, if there \
            was one, is settled. The exit status is 1 if there are problems. Credits of other amounts, and non-renewing \
            subscriptions of other durations, than the present catalog states are reported as remarks, not as problems.

            A ledger of up to 4 MiB is examined and repaired whenever a command opens it, and a larger one with \
            --repair. A ledger that cannot be repaired is set aside, and replaced by a new one.

            EXAMPLE:
              vitrine check
              vitrine check --repair
            """
    )

    @Flag(help: "Repair a damaged ledger before it is checked.")
    var repair = false

    @OptionGroup var session: SessionOptions

    var activity: String? { "checking the ledger" }

    func report(_ manager: CatalogManager) async throws -> Report {
        let damage = repair ? try await manager.ledger.repair() : []
        let check = try await manager.ledger.check()
        let outcome = check.loss == nil ? "repaired" : "not repaired, ledger set aside"
        let problems =
            check.damage + check.differences + check.wrongAmounts
            + check.untrusted.map { "entry \($0.sequence) cannot be trusted: \($0.reason)" }
            + (check.loss.map { ["the loss of an earlier ledger is not settled (\($0.reason)): \(Self.advice)"] } ?? [])
        return Report(
            lines: damage.map { "\(outcome): \($0)" } + problems + [
                "\(check.entries) entries checked: \(check.isGood ? "no problems" : "problems found")"
            ],
            json: [
                "entries": check.entries, "problems": problems, "remarks": check.remarks,
                "repaired": check.loss == nil ? damage : [],
            ],
            status: check.isGood ? .yes : .no, remarks: check.remarks.map { "remark: \($0)" })
    }

    private static let advice = "check the balances, then confirm them with 'vitrine settle'"
}

struct SettleCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "settle",
        abstract: "Confirm that balances are correct again after a ledger was lost.",
        discussion: """
            A ledger that can no longer be read is set aside and rebuilt from the store's data. The store has no data \
            about units that were spent from a wallet or were credited to it earlier, so balances are unknown until \
            this command confirms them. The exit status is 1 if no ledger was lost.

            EXAMPLE:
              vitrine settle --reason "balance confirmed with the customer" \\
                --by "customer support"
            """
    )

    @OptionGroup var author: AuthorOptions

    @OptionGroup var session: SessionOptions

    func report(_ manager: CatalogManager) async throws -> Report {
        let isSettled = try await manager.ledger.settleLoss(
            because: author.reason ?? "settled by hand", by: author.by)
        return Report(
            lines: [isSettled ? "balances are known again" : "no ledger was lost"],
            json: ["settled": isSettled], status: isSettled ? .yes : .no)
    }
}
