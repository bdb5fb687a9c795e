public import CatalogLoading
internal import FileSystem
public import Foundation
internal import HTTPTypes
public import Networking
internal import ProductCatalog

/// Content on web servers of the app's own: an archive beside its manifest, or by itself under a digest that the catalog
/// has.
///
/// An address whose path ends with `.plist` is that of a manifest, and the archive lies beside it; the digest and the
/// length of a request are then the manifest's. Any other address is that of an archive, and is asked only where the
/// request has a digest. The addresses of a request are tried in their order: where one fails, the next goes on.
///
/// An archive comes in parts of 4 MiB at most, each asked for by `Range` under `If-Range` (RFC 9110 §14.2, §13.1.5), so
/// that what is here is not fetched again, also by another process. What a server has instead that names its versions
/// by nothing strong, or knows no ranges, comes in one piece.
///
/// Where there are background transfers, an archive of which nothing is here comes by one of them, in one piece.
public struct WebContent: ContentSource {
    /// What each request may take: the size is that of a whole archive, 4 GiB by default, and a reply may take a day as
    /// long as something comes.
    public static let usualLimits = HTTPLimits(size: 4 << 30, whole: 86_400)

    private let fetcher: HTTPFetcher
    private let limits: HTTPLimits
    private let retries: FetchRetries
    private let installedFile: @Sendable (String) -> URL?
    private let signers: @Sendable () -> ContentSigners?
    private let now: @Sendable () -> Date
    /// What fetches whole archives; `nil` where they come in the foreground.
    package var background: BackgroundTransfers?

    /// - Parameters:
    ///   - transport: What asks the servers.
    ///   - limits: What each request may take; `size` is the most that an archive may have.
    ///   - retries: When a request that failed is made again.
    ///   - installedFile: A file on this device that had a digest, in 64 small hexadecimal digits, when it was installed:
    ///     where a server has files by themselves, such a one is copied instead of fetched.
    ///   - signers: Who has to have signed a manifest that a request has no digest of: its signature lies beside it. `nil`
    ///     for nobody.
    ///   - now: What dates of servers are counted from.
    public init(
        transport: any HTTPTransport = DefaultTransport(), limits: HTTPLimits = WebContent.usualLimits,
        retries: FetchRetries = FetchRetries(), installedFile: @escaping @Sendable (String) -> URL? = { _ in nil },
        signers: @escaping @Sendable () -> ContentSigners? = { nil }, now: @escaping @Sendable () -> Date = { Date() }
    ) {
        fetcher = HTTPFetcher(transport: transport)
        self.limits = limits
        self.retries = retries
        self.installedFile = installedFile
        self.signers = signers
        self.now = now
    }

    /// - Throws: ``ContentError``: `notFound` where the request has no address; `network`, `server` or `wrongContent`,
    ///   with what is wrong with each address; `noSpace` or `storage` where it cannot be kept; `cancelled`.
    public func fetch(
        _ request: ContentRequest, in folder: URL, progress: @escaping @Sendable (ContentProgress) -> Void
    ) async throws(ContentError) -> FetchedContent {
        var failures: [(url: URL, error: ContentError)] = []
        for url in request.urls {
            do throws(ContentError) {
                return try await fetch(request, at: url, in: folder, progress: progress)
            } catch {
                // That there is no room for it may be the mistake of the only one who says how much it is.
                let isUnconfirmed = error.code == .noSpace && !request.saysLength(at: url)
                guard error.isOfOneServer || isUnconfirmed else { throw error }
                failures.append((url, error))
            }
        }
        guard !failures.isEmpty else {
            throw ContentError(
                code: .notFound, reason: "there is no address for the content of \(request.productIdentifier)")
        }
        throw ContentError(failures)
    }

    private func fetch(
        _ request: ContentRequest, at url: URL, in folder: URL,
        progress: @escaping @Sendable (ContentProgress) -> Void
    ) async throws(ContentError) -> FetchedContent {
        guard url.isOfManifest else {
            guard let digest = request.digest else {
                throw ContentError(
                    code: .wrongContent,
                    reason: "the catalog has no digest for the archive, without which any other could take its place")
            }
            let archive = RemoteFile(url: url, digest: digest, length: request.length)
            return .archive(try await self.archive(archive, for: request, in: folder, progress: progress), nil)
        }
        let (manifest, place) = try await ManifestFetch(
            fetcher: fetcher, limits: limits, retries: retries, signers: signers(), now: now
        ).manifest(for: request, at: url)
        let archive = RemoteFile(
            url: place.sibling(manifest.archive.name), digest: manifest.archive.digest,
            length: manifest.archive.length)
        if try await background?.isUnderWay(TransferName(archive, for: request)) != true,
            let files = try PackageReuse(manifest, in: folder, installedFile: installedFile)
        {
            do throws(ContentError) {
                return .package(try await package(files, beside: place, progress: progress))
            } catch {
                // Where the files by themselves are not as they should be, the archive may be.
                guard error.code == .server || error.code == .wrongContent else { throw error }
            }
        }
        return .archive(try await self.archive(archive, for: request, in: folder, progress: progress), manifest)
    }

    private func archive(
        _ archive: RemoteFile, for request: ContentRequest, in folder: URL,
        progress: @escaping @Sendable (ContentProgress) -> Void
    ) async throws(ContentError) -> URL {
        if let background {
            let name = TransferName(archive, for: request)
            // What has begun in the foreground goes on there: nothing of it is fetched again.
            let hasBegunHere = try PartFile.hasBegun(archive, in: folder)
            let isUnderWay = try await background.isUnderWay(name)
            if isUnderWay || !hasBegunHere {
                return try await BackgroundFetch(
                    transfers: background, name: name, file: archive, folder: folder, limits: limits,
                    retries: retries, progress: progress
                ).run()
            }
        }
        try FolderTree.remove(allBut: PartFile.names, in: folder)
        return try await file(archive, in: folder, progress: progress)
    }

    private func file(
        _ file: RemoteFile, in folder: URL, progress: @escaping @Sendable (ContentProgress) -> Void
    ) async throws(ContentError) -> URL {
        try await FileFetch(
            file: file, folder: folder, fetcher: fetcher, limits: limits, retries: retries, now: now, progress: progress
        ).run()
    }

    /// Puts a package together from files that are here and files that are fetched by themselves.
    private func package(
        _ files: PackageReuse, beside manifest: URL, progress: @escaping @Sendable (ContentProgress) -> Void
    ) async throws(ContentError) -> ContentPackage {
        var received = 0
        for missing in files.missing {
            let before = received
            let file = RemoteFile(
                url: manifest.sibling(files.folderName).appending(component: missing.digest), digest: missing.digest,
                length: missing.length)
            let place = try await self.file(file, in: try files.downloadFolder(for: missing)) { part in
                progress(ContentProgress(received: before + part.received, total: files.missingLength))
            }
            try files.place(place, as: missing)
            received += missing.length
        }
        return try files.package()
    }
}

extension ContentRequest {
    /// Whether somebody else than the server says how long the archive is: the catalog, or a manifest that it vouches for.
    fileprivate func saysLength(at url: URL) -> Bool {
        url.isOfManifest ? digest != nil : length != nil
    }
}

extension URL {
    fileprivate var isOfManifest: Bool { path().lowercased().hasSuffix(".plist") }

    /// What lies beside it under a name.
    func sibling(_ name: String) -> URL {
        var components = URLComponents(url: self, resolvingAgainstBaseURL: true)
        components?.query = nil
        components?.fragment = nil
        return (components?.url ?? self).deletingLastPathComponent().appending(component: name)
    }
}

extension TransferName {
    fileprivate init(_ archive: RemoteFile, for request: ContentRequest) {
        self.init(productIdentifier: request.productIdentifier, digest: archive.digest)
    }
}

/// A file on a server, as it has to be.
struct RemoteFile: Sendable {
    let url: URL
    /// SHA-256 in 64 small hexadecimal digits.
    let digest: String
    /// In bytes; `nil` where nobody has said so.
    let length: Int?
}
