import ArgumentParser
internal import CatalogLoading
import Foundation
import Networking
import ProductCatalog

/// What `vitrine init` is told about a remote catalog.
struct RemoteOptions: ParsableArguments {
    enum Signatures: String, CaseIterable, ExpressibleByArgument {
        case off, report, enforce

        var mode: CatalogTrust.Mode? { CatalogTrust.Mode(rawValue: rawValue) }
    }

    @Option(
        help: ArgumentHelp(
            """
            Where a web server has the catalog: a plist, or a JSON array of identifiers. --catalog is what is used \
            until there is one.
            """, valueName: "url"))
    var remote: String?

    @Option(
        help: ArgumentHelp(
            "For how many days a downloaded catalog is used without asking the server. (default: 1)", valueName: "days")
    )
    var cacheDays: Double?

    @Option(
        help: ArgumentHelp(
            """
            What is done about the remote catalog's signature: off, report what is wrong with it, or enforce that it is \
            good. (default: enforce with --root, else off)
            """, valueName: "mode"))
    var signatures: Signatures?

    @Option(
        help: ArgumentHelp(
            """
            A key that may sign keys.plist: the file that vitrine catalog keygen or minisign -G writes. Can be given \
            twice.
            """, valueName: "file.pub"))
    var root: [String] = []

    @Option(
        help: ArgumentHelp("The channel that a signed catalog has to be of. (default: production)", valueName: "name"))
    var channel: String?

    func validate() throws {
        if let remote {
            guard let url = URL(string: remote), let scheme = url.scheme?.lowercased(), url.host()?.isEmpty == false,
                ["http", "https"].contains(scheme)
            else { throw ValidationError("\(remote) is no address that begins with https:// or http://.") }
            guard scheme == "https" || url.host().map(PlainHTTP.loopback.allows) == true else {
                throw ValidationError("\(remote) is never asked: only https is, and this device itself by http.")
            }
        }
        if let cacheDays, !(0...3650).contains(cacheDays) {
            throw ValidationError("--cache-days is from 0 to 3650.")
        }
        guard root.isEmpty && channel == nil || signatures != .off else {
            throw ValidationError("--root and --channel are for signatures, which --signatures off leaves out.")
        }
    }

    /// Only what is named changes.
    ///
    /// - Parameters:
    ///   - before: What the home remembers.
    ///   - app: The app that a signed catalog has to be for.
    /// - Returns: `nil` where no remote catalog is named, now or before.
    func settings(after before: RemoteSettings?, app: () throws -> String) throws -> RemoteSettings? {
        guard isNamed else { return before }
        guard let url = remote ?? before?.url else {
            throw ToolFailure(status: .usage, reason: "the home has no remote catalog yet: --remote names one")
        }
        return RemoteSettings(
            url: url, cacheDays: cacheDays ?? before?.cacheDays,
            signatures: try signatures(after: before?.signatures, app: app))
    }

    /// Something is said about a remote catalog.
    var isNamed: Bool {
        remote != nil || cacheDays != nil || signatures != nil || !root.isEmpty || channel != nil
    }

    private func signatures(
        after before: RemoteSettings.Signatures?, app: () throws -> String
    ) throws -> RemoteSettings.Signatures? {
        guard signatures != .off else { return nil }
        let roots = root.isEmpty ? before?.roots ?? [] : try root.map { try PublicKeyFile.read($0).line }
        guard !roots.isEmpty else {
            guard signatures == nil, channel == nil else {
                throw ToolFailure(status: .usage, reason: "whose signatures count, --root says")
            }
            return nil
        }
        return RemoteSettings.Signatures(
            mode: signatures?.mode ?? before?.mode ?? .enforce, roots: roots, app: try app(),
            channel: channel ?? before?.channel ?? "production")
    }
}
