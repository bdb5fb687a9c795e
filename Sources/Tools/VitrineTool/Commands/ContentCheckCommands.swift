import ArgumentParser
import Foundation
import Vitrine
import VitrineCommandSupport
import VitrineHostedContent

struct ContentCheckCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check that installed content is unchanged.",
        discussion: """
            Without identifiers, all installed content is read, whether it is owned or not. The check itself uses no \
            network; the products are loaded first, as by each command. The exit status is 1 if content has changed \
            since it was installed.

            EXAMPLE:
              vitrine content check
            """
    )

    @OptionGroup var content: NamedContent
    @OptionGroup var session: SessionOptions

    var awaitsContent: Bool { false }

    var activity: String? { "comparing content" }

    func report(_ manager: CatalogManager) async throws -> Report {
        let wanted = try content.identifiers { try manager.installedProducts() }
        var report = try await ContentReport.of(wanted, failing: "changed since it was installed") { identifier in
            let check = try await manager.content.check(for: identifier)
            guard check.isWhole else { throw ToolFailure(status: .no, reason: check.description) }
            return (
                "intact, version \(check.content.version)",
                ["product": identifier, "version": check.content.version]
            )
        }
        if wanted.isEmpty { report.lines = ["no content is installed"] }
        return report
    }
}

extension ContentCheck {
    /// Description of the differences between the installed content and the list of files that was stored at its
    /// installation.
    fileprivate var description: String {
        guard isListed else {
            return "the list of the content's files is missing or damaged; install the content again to create one"
        }
        return [
            Self.clause(missing, "is missing", "are missing"), Self.clause(changed, "has changed", "have changed"),
            Self.clause(extra, "was added later", "were added later"),
        ].compactMap(\.self).joined(separator: "; ")
    }

    private static func clause(_ files: [String], _ one: String, _ several: String) -> String? {
        files.isEmpty ? nil : "\(files.joined(separator: ", ")) \(files.count == 1 ? one : several)"
    }
}

struct ContentRepairCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "repair",
        abstract: "Download changed or missing files of installed content again.",
        discussion: """
            Without identifiers, all installed and owned content is checked. If the server offers each file of the \
            content by itself, only the damaged ones are downloaded. Ctrl-C pauses the current download, and the \
            remaining products are not repaired. The exit status is that of 'vitrine content download'.

            EXAMPLE:
              vitrine content repair
            """
    )

    @OptionGroup var content: NamedContent
    @OptionGroup var session: SessionOptions

    func report(_ manager: CatalogManager) async throws -> Report {
        let wanted = try content.identifiers { try manager.installedProducts(ownedOnly: true) }
        var isInterrupted = false
        var report = try await ContentReport.of(wanted, failing: "not repaired") { identifier in
            guard !isInterrupted else {
                throw ToolFailure(status: .unknown, reason: "not attempted, because the command was interrupted")
            }
            do throws(OwnedContentError) {
                let isRepaired = try await manager.content.repair(for: identifier)
                let path = try manager.content.url(for: identifier).path(percentEncoded: false)
                return (
                    isRepaired ? "repaired in \(path)" : "intact",
                    ["product": identifier, "path": path]
                )
            } catch {
                isInterrupted = error.code == .stopped
                throw error
            }
        }
        if wanted.isEmpty { report.lines = ["no content is installed"] }
        return report
    }
}

extension CatalogManager {
    /// Returns the products of the catalog with installed content.
    ///
    /// - Parameter ownedOnly: `true` for owned products only.
    nonisolated func installedProducts(ownedOnly: Bool = false) throws(ContentError) -> [String] {
        try content.listings().filter { listing in
            listing.version != nil && (!ownedOnly || [.installed, .updateAvailable].contains(listing.state))
        }.map(\.id)
    }
}
