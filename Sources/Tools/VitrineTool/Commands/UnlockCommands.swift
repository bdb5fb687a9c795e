import ArgumentParser
import Vitrine
import VitrineCommandSupport

struct UnlockCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "unlock",
        abstract: "Grant a product outside the store.",
        discussion: """
            EXAMPLE:
              vitrine unlock com.example.voyager.porto --reason "won in a raffle" \\
                --by "customer support"
            """
    )

    @Argument(help: .product, completion: .product) var identifier: String

    @OptionGroup var author: AuthorOptions

    @OptionGroup var session: SessionOptions

    func report(_ manager: CatalogManager) async throws -> Report {
        do {
            try await manager.unlock(identifier, because: author.reason ?? "unlocked by hand", by: author.by)
        } catch {
            throw ToolFailure(
                status: error.code == .ledger ? .inputOutput : .no,
                reason: error.reason + (manager.catalog.current?.question(for: identifier) ?? ""))
        }
        return Report(
            lines: ["unlocked \(identifier)"],
            json: ["product": identifier, "owned": manager.ownership(of: identifier).word])
    }
}

struct LockCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "lock",
        abstract: "Lock a product that was granted outside the store.",
        discussion: """
            A lock ends every grant of the product, whoever granted it; purchases stay valid. The exit status is 1 if \
            the product was not granted.

            EXAMPLE:
              vitrine lock com.example.voyager.porto --reason "the raffle was void" \\
                --by "customer support"
            """
    )

    @Argument(help: .product, completion: .product) var identifier: String

    @OptionGroup var author: AuthorOptions

    @OptionGroup var session: SessionOptions

    func report(_ manager: CatalogManager) async throws -> Report {
        do {
            let isLocked = try await manager.lock(
                identifier, because: author.reason ?? "locked by hand", by: author.by)
            let ownership = manager.ownership(of: identifier)
            return Report(
                lines: [
                    isLocked
                        ? "locked \(identifier): now \(ownership.description(of: identifier, in: manager.catalog.current))"
                        : "there is no grant of \(identifier) to end"
                ],
                json: ["product": identifier, "locked": isLocked, "owned": ownership.word],
                status: isLocked ? .yes : .no)
        } catch {
            throw ToolFailure(status: .inputOutput, reason: error.reason)
        }
    }
}
