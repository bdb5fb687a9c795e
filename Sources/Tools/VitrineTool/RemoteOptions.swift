import ArgumentParser
import Foundation
import VitrineCatalog
internal import VitrineCatalogLoading
import VitrineCommandSupport
import VitrineNetworking
import VitrineSupport

/// Options of `vitrine init` for a remote catalog.
struct RemoteOptions: ParsableArguments {
    enum Signatures: String, CaseIterable, ExpressibleByArgument {
        case off, report, enforce

        var mode: CatalogTrust.Mode? { CatalogTrust.Mode(rawValue: rawValue) }
    }

    @Option(
        help: ArgumentHelp(
            """
            The URL of the catalog on a web server: a plist, or a JSON array of identifiers. The file of --catalog is \
            used until this catalog has been fetched.
            """, valueName: "url"))
    var remote: String?

    @Option(
        help: ArgumentHelp(
            "The number of days to use a downloaded catalog without a new request. (default: 1)", valueName: "days")
    )
    var cacheDays: Double?

    @Option(
        help: ArgumentHelp(
            """
            How to handle the remote catalog's signature: off, report to warn if it is not valid, or enforce to \
            require a valid one. (default: enforce with --root, else off)
            """, valueName: "mode"))
    var signatures: Signatures?

    @Option(
        help: ArgumentHelp(
            """
            A public key that may sign keys.plist: the file that 'vitrine catalog keygen' or 'minisign -G' writes. The \
            option can be given twice.
            """, valueName: "file.pub"), completion: .file())
    var root: [String] = []

    @Option(
        help: ArgumentHelp(
            "The channel that the catalog must be signed for, such as beta. (default: production)", valueName: "name"))
    var channel: String?

    func validate() throws {
        if let remote { _ = try Self.address(remote) }
        if let cacheDays, !(0...3650).contains(cacheDays) {
            throw ValidationError("--cache-days must be from 0 to 3650.")
        }
        guard root.isEmpty && channel == nil || signatures != .off else {
            throw ValidationError("--root and --channel cannot be combined with --signatures off.")
        }
    }

    /// Parses an address that an app may request.
    ///
    /// - Throws: `ValidationError` for any other text.
    static func address(_ text: String) throws -> URL {
        guard text.contains(":/") else {
            let host = text.prefix { !":/".contains($0) }
            let scheme = WebAddress.isLoopback(String(host)) ? "http" : "https"
            throw ValidationError("\(text) has no scheme; did you mean \(scheme)://\(text)?")
        }
        guard let url = URL(string: text) else { throw ValidationError("\(WebAddress.printed(text)) is not a URL.") }
        if let objection = PlainHTTP.loopback.objection(to: url) {
            throw ValidationError(
                "\(WebAddress.printed(text)) \(objection). Apps do not request it; http is allowed only for a server on "
                    + "this device.")
        }
        return url
    }

    /// Returns the settings of the remote catalog: the current settings, changed by these options.
    ///
    /// - Parameters:
    ///   - before: Current settings of the storage directory.
    ///   - app: Function that returns the app for which a signed catalog must be signed.
    /// - Returns: `nil` if no remote catalog is set, now or before.
    func settings(after before: RemoteSettings?, app: () throws -> String) throws -> RemoteSettings? {
        guard isNamed else { return before }
        guard let url = remote ?? before?.url else {
            throw ToolFailure(status: .usage, reason: "the home has no remote catalog; set its URL with --remote")
        }
        return RemoteSettings(
            url: url, cacheDays: cacheDays ?? before?.cacheDays,
            signatures: try signatures(after: before?.signatures, app: app))
    }

    /// `true` if any option for a remote catalog is given.
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
                throw ToolFailure(status: .usage, reason: "signatures need a trusted public key; name one with --root")
            }
            return nil
        }
        return RemoteSettings.Signatures(
            mode: signatures?.mode ?? before?.mode ?? .enforce, roots: roots, app: try app(),
            channel: channel ?? before?.channel ?? "production")
    }
}

/// Stored settings of a remote catalog.
struct RemoteSettings: Codable {
    var url: String
    var cacheDays: Double?
    var signatures: Signatures?

    struct Signatures: Codable {
        var mode: CatalogTrust.Mode
        /// Public root keys in minisign's format, which must sign `keys.plist`, the list of keys that may sign
        /// catalogs.
        var roots: [String]
        var app: String
        var channel: String
    }

    /// Description of the remote catalog, and how its signature is handled.
    var description: String {
        "the newest catalog at \(WebAddress.printed(url))"
            + (signatures.map { $0.mode == .enforce ? ", which must be signed" : ", whose signature is checked" } ?? "")
    }

    /// Returns the remote catalog according to the settings.
    ///
    /// - Throws: ``ToolFailure`` if the URL or a key is invalid.
    func catalog() throws(ToolFailure) -> RemoteCatalog {
        guard let url = URL(string: url) else {
            throw ToolFailure(status: .unusableData, reason: "\(WebAddress.printed(url)) is not a URL")
        }
        var remote = RemoteCatalog(url: url)
        if let cacheDays { remote.cacheDays = cacheDays }
        if let signatures {
            var roots: [MinisignPublicKey] = []
            for text in signatures.roots { roots.append(try PublicKeyFile.read(text)) }
            remote.trust = CatalogTrust(
                mode: signatures.mode, roots: roots, app: signatures.app, channel: signatures.channel)
        }
        return remote
    }
}
