import ArgumentParser
import Entitlements
import Vitrine

struct CheckCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check the integrity of the ledger.",
        discussion: """
            Checks that the file is intact, that the current state follows from the entries, and that each signature \
            in it is valid. The exit status is 1 if there are problems.

            EXAMPLE:
              vitrine check
            """
    )

    @OptionGroup var session: SessionOptions

    func report(_ manager: CatalogManager) async throws -> Report {
        let check = try await manager.ledger.check()
        let problems =
            check.damage + check.differences
            + check.untrusted.map { "entry \($0.sequence) cannot be trusted: \($0.reason)" }
        return Report(
            lines: problems + [
                "\(check.entries) entries checked: \(check.isGood ? "no problems" : "problems found")"
            ],
            json: ["entries": check.entries, "problems": problems], status: check.isGood ? .yes : .no)
    }
}

struct SettleCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "settle",
        abstract: "Confirm that balances are correct again after a ledger was lost.",
        discussion: """
            A ledger that can no longer be read is set aside and rebuilt from the store's data. Data that the store \
            does not have (credited and spent coins) is missing then, and balances are unknown until this command \
            confirms them. The exit status is 1 if no ledger was lost.

            EXAMPLE:
              vitrine settle --reason "balance confirmed with the customer" --by "customer support"
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
