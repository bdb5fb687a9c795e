package import Foundation
internal import HTTPTypes
internal import VitrineCatalog
package import VitrineCatalogLoading
internal import VitrineFileSystem
package import VitrineNetworking
internal import VitrineSupport

/// Content on the app's own web servers: an archive beside its manifest, or an archive without a manifest whose digest
/// the catalog contains.
///
/// An address whose path ends with `.plist` refers to a manifest beside its archive; the digest and the length of the
/// request then describe the manifest. Any other address refers to an archive, and is requested only if the request has
/// a digest. The addresses of a request are tried in their order; after a failure the fetch continues from the next
/// address.
///
/// An archive is fetched in parts of up to 4 MiB, each requested by `Range` with `If-Range` (RFC 9110 §14.2, §13.1.5),
/// and bytes that this or another process has received are not fetched again. Files of servers without strong
/// validators or without ranges are fetched in one piece.
///
/// With background transfers, an archive without received bytes is fetched by one of them, in one piece.
package struct WebContent: ContentSource {
    /// Default limits of each request: 4 GiB for a whole archive, and one day for a reply as long as bytes are
    /// received.
    package static let usualLimits = HTTPLimits(size: 4 << 30, whole: 86_400)

    private let fetcher: HTTPFetcher
    private let limits: HTTPLimits
    private let retries: FetchRetries
    private let installedFile: @Sendable (String) -> URL?
    private let signers: @Sendable () -> ContentSigners?
    private let now: @Sendable () -> Date
    /// Transfers that fetch whole archives in the background; `nil` if archives are fetched in the foreground.
    package var background: BackgroundTransfers?
    /// Server that sends content only to owners; `nil` if there is none.
    package var server: (any ProtectedContentServer)?

    /// Creates the source of content on the app's web servers.
    ///
    /// - Parameters:
    ///   - transport: Transport of the requests.
    ///   - limits: Limits of each request; `size` is the maximum length of an archive.
    ///   - retries: Schedule of retries of failed requests.
    ///   - installedFile: Returns an installed file on this device that had the given digest, in 64 lowercase
    ///     hexadecimal digits, when it was installed. If a server has each file of a package by itself, such a file is
    ///     copied instead of fetched.
    ///   - signers: Returns the accepted signers of manifests whose digest the catalog does not contain; the server
    ///     has the signature beside the manifest. `nil` if such a manifest needs no signature.
    ///   - now: Clock for the interpretation of dates in a server's replies.
    package init(
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

    /// Fetches content from the addresses of the request, one after the other until one succeeds.
    ///
    /// - Throws: ``ContentError``: `notFound` if the request has no address; `network`, `server` or `wrongContent`,
    ///   with the failure of each address; `noSpace` or `storage` if the bytes cannot be stored; `cancelled`.
    package func fetch(
        _ request: ContentRequest, in folder: URL, progress: @escaping @Sendable (ContentProgress) -> Void
    ) async throws(ContentError) -> FetchedContent {
        var failures: [(url: URL, error: ContentError)] = []
        for (index, url) in request.urls.enumerated() {
            do throws(ContentError) {
                return try await fetch(request, at: url, in: folder, progress: progress)
            } catch {
                // The length may be wrong if only this server names it.
                let isUnconfirmed = error.code == .noSpace && !request.saysLength(at: url)
                guard error.isOfOneServer || isUnconfirmed else {
                    // The system keeps trying a server that never answers, although the next one may have the content.
                    guard error.code == .inProgress, index + 1 < request.urls.count, let background,
                        await background.withdrawWithoutBytes(request.productIdentifier)
                    else { throw error }
                    failures.append((url, ContentError(code: .network, reason: "no bytes were received")))
                    continue
                }
                failures.append((url, error))
            }
        }
        guard !failures.isEmpty else {
            throw ContentError(
                code: .notFound, reason: "the catalog has no address for the content of \(request.productIdentifier)")
        }
        throw ContentError(failures)
    }

    /// Limits of the requests that only check whether a server has a file at an address.
    private static let limitsOfQuestion = HTTPLimits(size: 4 << 30, seconds: 3)

    /// Asks the servers before a product is sold whether they have its content as the catalog describes it: the manifest
    /// is read, and the head of the reply for the archive. A server that sends content only to owners is only asked
    /// whether it has the file that the catalog names.
    ///
    /// - Returns: `false` if a server could not be reached or cannot answer now; the other servers are then not asked.
    /// - Throws: ``ContentError`` with the failure of each address if a fetch from each would fail permanently: the
    ///   transport refuses the address, the server refuses the request or has no such file, or the manifest or the length
    ///   of the archive differs.
    package func checkPresence(of request: ContentRequest) async throws(ContentError) -> Bool {
        var failures: [(url: URL, error: ContentError)] = []
        for url in request.urls {
            do throws(ContentError) {
                try await checkPresence(of: request, at: url)
                return true
            } catch {
                guard error.isContradiction else { return false }
                failures.append((url, error))
            }
        }
        throw ContentError(failures)
    }

    private func checkPresence(of request: ContentRequest, at url: URL) async throws(ContentError) {
        guard url.isOfManifest || request.digest != nil else { throw Self.missingDigest }
        if let server, server.has(url) { return try await server.checkPresence(of: url) }
        guard url.isOfManifest else { return try await checkFile(at: url, length: request.length) }
        let (manifest, place) = try await ManifestFetch(
            fetcher: fetcher, limits: Self.limitsOfQuestion, retries: FetchRetries(times: 0), signers: signers(),
            now: now
        ).manifest(for: request, at: url)
        let name = manifest.archive.name
        if let compression = TarCompression(nameOfFile: name) {
            throw .wrongContent(
                "\(name) is compressed with \(compression.rawValue), which apps on Apple's systems cannot read")
        }
        try await checkFile(at: place.sibling(name), length: manifest.archive.length)
    }

    private func checkFile(at url: URL, length: Int?) async throws(ContentError) {
        let response: HTTPResponse
        do throws(HTTPFetchError) {
            // Some servers permit no HEAD. Of a file that is there, the first byte is enough.
            response = try await fetcher.head(
                of: url, fields: [.acceptEncoding: "identity", .range: "bytes=0-0"], limits: Self.limitsOfQuestion)
        } catch {
            throw ContentError(error)
        }
        let stated: Int?
        switch response.status {
        case .ok: stated = response.headerFields[.contentLength].flatMap { Int($0) }
        case .partialContent: stated = ContentRange(response.headerFields[.contentRange])?.length
        // The server cannot send a part of the file, and may send the whole one.
        case .rangeNotSatisfiable: stated = nil
        default: throw ContentError(response, now: now())
        }
        guard let length, let stated, stated != length else { return }
        throw .wrongContent("the archive has \(stated) bytes on the server, but should have \(length)")
    }

    private static let missingDigest = ContentError.wrongContent(
        "the archive is not fetched, because the catalog has no digest for it")

    private func fetch(
        _ request: ContentRequest, at url: URL, in folder: URL,
        progress: @escaping @Sendable (ContentProgress) -> Void
    ) async throws(ContentError) -> FetchedContent {
        guard url.isOfManifest else {
            guard let digest = request.digest else { throw Self.missingDigest }
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
            let files = try PackageReuse(manifest, archive: archive, in: folder, installedFile: installedFile)
        {
            do throws(ContentError) {
                return .package(try await package(files, beside: place, progress: progress))
            } catch {
                // The archive may be correct even if the single files are not.
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
            // A download that was started in the foreground continues there, so that no byte is fetched again.
            let hasBegunHere = try PartFile.hasBegun(archive, in: folder)
            let isUnderWay = try await background.isUnderWay(name)
            if isUnderWay || !hasBegunHere {
                return try await BackgroundFetch(
                    transfers: background, name: name, file: archive, server: server, folder: folder,
                    limits: limits, retries: retries, progress: progress
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

    /// Assembles a package from installed files and from files that are fetched one by one.
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
    /// Returns `true` if the length of the archive is known from the catalog, or from a manifest whose digest the
    /// catalog has.
    fileprivate func saysLength(at url: URL) -> Bool {
        url.isOfManifest ? digest != nil : length != nil
    }
}

extension URL {
    fileprivate var isOfManifest: Bool { path().lowercased().hasSuffix(".plist") }

    /// Returns the address of another file in the folder of the file at this address, without query and fragment.
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

/// A file on a server, with its required digest and length.
struct RemoteFile: Sendable {
    let url: URL
    /// SHA-256 of the file in 64 lowercase hexadecimal digits.
    let digest: String
    /// Length of the file in bytes; `nil` if unknown.
    let length: Int?
}
