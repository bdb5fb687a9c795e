import Crypto
import Foundation
import VitrineCatalog
import VitrineCatalogLoading
import VitrineHostedContent
import VitrineNetworking
import VitrineSupport
import VitrineTestSupport

/// Folder for repeated downloads of a test's content.
final class WebDownload: Sendable {
    let folder: TemporaryFolder
    let waits = Recorder<Duration>()
    let reported = Recorder<ContentProgress>()
    private let transport: any HTTPTransport
    private let limits: HTTPLimits

    init(transport: any HTTPTransport = DefaultTransport.patient, limits: HTTPLimits = WebContent.usualLimits) throws {
        folder = try TemporaryFolder()
        self.transport = transport
        self.limits = limits
    }

    /// Returns a new source, as after a relaunch. Delays are recorded instead of waited for.
    func content(
        installedFile: @escaping @Sendable (String) -> URL? = { _ in nil }, signers: ContentSigners? = nil
    ) -> WebContent {
        WebContent(
            transport: transport, limits: limits,
            retries: FetchRetries(
                schedule: RetrySchedule(
                    first: .milliseconds(500), longest: .seconds(30), random: { 0 },
                    sleep: { [waits] in waits.record($0) })), installedFile: installedFile,
            signers: { signers })
    }

    /// Downloads an archive.
    ///
    /// - Returns: The downloaded archive.
    func fetch(_ request: ContentRequest) async throws(ContentError) -> Data {
        let fetched = try await content().fetch(request, in: folder.url) { [reported] in reported.record($0) }
        guard case .archive(let url, _) = fetched, let data = try? Data(contentsOf: url) else {
            throw ContentError(code: .storage, reason: "no archive has come")
        }
        return data
    }

    /// Names of the files in the folder.
    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder.url.path()).sorted() }
    }
}

extension ContentRequest {
    /// Creates a request for an archive without a manifest.
    init(_ archive: Data, at urls: URL...) {
        self.init(productIdentifier: "rome", urls: urls, digest: archive.digestText, length: archive.count)
    }
}

extension Data {
    var digestText: String { SHA256.hash(data: self).map { String(format: "%02x", $0) }.joined() }
}
