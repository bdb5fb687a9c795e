package import Foundation
internal import VitrineCatalog
internal import VitrineCatalogLoading
package import VitrineHostedContent
internal import VitrineNetworking
package import VitrinePurchasing

/// Sources of hosted content: the app's own servers for content with an address in the catalog; otherwise the store,
/// and then a folder of packages. A replacement for the servers is used after the folder of packages.
package struct ContentSources: ContentSource {
    /// The app's own servers.
    package struct Servers: Sendable {
        let transport: any HTTPTransport
        /// The app's own server with customers, which sends content only to owners; `nil` if there is none.
        let own: (any ProtectedContentServer)?
        let signers: @Sendable () -> ContentSigners?
        /// Transfers that fetch whole archives in the background; `nil` if archives are fetched in the foreground.
        let background: BackgroundTransfers?
        let now: @Sendable () -> Date
        /// Directory of installed content: if a server offers single files, files that are already installed are copied
        /// instead of fetched.
        let directory: ContentDirectory
    }

    private enum Source {
        case servers(Servers)
        case replacement(any ContentSource)
        case store(any StoreHostedContent)
        case folder(PackageFolder)
    }

    /// Servers; `nil` if there are none.
    private let servers: Servers?
    private let replacement: (any ContentSource)?
    private let store: (any StoreHostedContent)?
    private let folder: PackageFolder?

    package init(
        servers: Servers? = nil, replacement: (any ContentSource)? = nil, store: (any StoreHostedContent)? = nil,
        folder: PackageFolder? = nil
    ) {
        self.servers = servers
        self.replacement = replacement
        self.store = store
        self.folder = folder
    }

    /// Fetches content from the sources that may have it, one after the other.
    ///
    /// - Throws: ``ContentError``: `notFound` if no source has the content, or the error of the source.
    package func fetch(
        _ request: ContentRequest, in folder: URL, progress: @escaping @Sendable (ContentProgress) -> Void
    ) async throws(ContentError) -> FetchedContent {
        var failure = ContentError(
            code: .notFound, reason: "there is no source for the content of \(request.productIdentifier)")
        for source in sources(of: request) {
            do throws(ContentError) {
                return try await fetch(request, from: source, in: folder, progress: progress)
            } catch {
                guard error.code == .notFound else { throw error }
                failure = error
            }
        }
        throw failure
    }

    /// Checks before a purchase that content can be obtained: packages on this device can be opened, and servers have the
    /// content that the catalog describes. A server that cannot be reached does not prevent the purchase; no further
    /// server is then asked.
    ///
    /// - Throws: ``ContentError`` of the first request whose content cannot be obtained.
    package func checkPresence(of requests: [ContentRequest]) async throws(ContentError) {
        let packages = try folder?.index()
        var asked = 0
        for request in requests {
            if request.urls.isEmpty || replacement != nil {
                guard let packages, packages.products.contains(request.productIdentifier) else { continue }
                _ = try packages.package(for: request.productIdentifier).checked(for: request)
            } else if let servers, asked < Self.mostAsked {
                asked = try await servers.content.checkPresence(of: request) ? asked + 1 : Self.mostAsked
            }
        }
    }

    /// Returns `true` if a server, or the replacement for the servers, may be asked for requested content: if the transport
    /// accepts one of its addresses.
    package func mayAsk(for request: ContentRequest) -> Bool {
        guard let servers else { return false }
        return request.urls.contains { servers.transport.objection(to: $0) == nil }
    }

    /// Maximum number of products whose content is checked on servers before a purchase.
    private static let mostAsked = 8

    /// Returns the sources of requested content, in the order in which they are tried. Content with an address is only
    /// on the servers, unless there is a replacement for them.
    private func sources(of request: ContentRequest) -> [Source] {
        guard request.urls.isEmpty else {
            guard let replacement else { return servers.map { [.servers($0)] } ?? [] }
            return (folder.map { [.folder($0)] } ?? []) + [.replacement(replacement)]
        }
        return [store.map { .store($0) }, folder.map { .folder($0) }].compactMap(\.self)
    }

    private func fetch(
        _ request: ContentRequest, from source: Source, in folder: URL,
        progress: @escaping @Sendable (ContentProgress) -> Void
    ) async throws(ContentError) -> FetchedContent {
        switch source {
        case .servers(let servers): try await servers.content.fetch(request, in: folder, progress: progress)
        case .store(let store):
            .package(
                try await package(for: request, in: store, folder: folder, progress: progress).checked(for: request))
        case .replacement(let source): try await source.fetch(request, in: folder, progress: progress)
        case .folder(let packages): try await packages.fetch(request, in: folder, progress: progress)
        }
    }

    private func package(
        for request: ContentRequest, in store: any StoreHostedContent, folder: URL,
        progress: @escaping @Sendable (ContentProgress) -> Void
    ) async throws(ContentError) -> ContentPackage {
        let package: URL?
        do throws(StoreError) {
            package = try await store.contentPackage(for: request.productIdentifier, in: folder) { received, total in
                progress(ContentProgress(received: received, total: total))
            }
        } catch {
            guard !Task.isCancelled else { throw ContentError(code: .cancelled, reason: error.reason) }
            throw ContentError(error)
        }
        guard let package else {
            throw ContentError(code: .notFound, reason: "the store has no content for \(request.productIdentifier)")
        }
        return try ContentPackage(folder: package)
    }
}

extension ContentSources.Servers {
    fileprivate var content: WebContent {
        // Installed files that cannot be read are fetched again.
        let files = try? directory.installedFiles()
        var web = WebContent(
            transport: transport, installedFile: { files?.file(withDigest: $0) }, signers: signers, now: now)
        (web.background, web.server) = (background, own)
        return web
    }
}

extension ContentError {
    fileprivate init(_ error: StoreError) {
        let code: Code =
            switch error.code {
            case .storage: .storage
            case .network: .network
            default: .server
            }
        self.init(code: code, reason: error.reason)
    }
}
