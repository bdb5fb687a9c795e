import Foundation
import Vitrine
import VitrineCatalog
import VitrineNetworking
import VitrineSupport

/// Fetching of the images that catalogs name by address, which no other command does.
extension Examination {
    /// Largest number of images that are fetched.
    private static let mostImages = 200
    private static let imagesAtOnce = 4

    /// Fetches the images of the examined catalogs, and examines status, type and size as an app does.
    mutating func lookAtImages(isOffline: Bool) async {
        let addresses = imageAddresses.prefix(Self.mostImages)
        guard !addresses.isEmpty else { return add("the images", .good, "no catalog names one by address") }
        guard !isOffline else { return add("the images", .unknown, "not asked for, because of --offline") }
        var rest = addresses[...]
        while !rest.isEmpty {
            let found = await withTaskGroup(of: (Int, Result).self) { group in
                for (index, address) in rest.prefix(Self.imagesAtOnce).enumerated() {
                    group.addTask { (index, await Self.image(at: address)) }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            for (_, result) in found.sorted(by: { $0.0 < $1.0 }) { add(result) }
            rest = rest.dropFirst(Self.imagesAtOnce)
        }
        if imageAddresses.count > addresses.count {
            add("the other images", .unknown, "not asked for: only \(Self.mostImages) are")
        }
    }

    private static func image(at url: URL) async -> Result {
        let subject = "the image \(WebAddress.printed(url))"
        do throws(HTTPFetchError) {
            let outcome = try await HTTPFetcher(transport: DefaultTransport()).fetch(
                url, limits: HTTPLimits(size: ImageFormat.fileSizeLimit, seconds: 30), now: Date())
            guard case .fetched(let copy) = outcome else {
                return Result(subject: subject, state: .unknown, finding: "the server has sent no image")
            }
            return examined(copy, subject)
        } catch {
            let isUnknown = [.unreachable, .timeout, .cancelled].contains(error.code)
            return Result(subject: subject, state: isUnknown ? .unknown : .wrong, finding: error.reason)
        }
    }

    private static func examined(_ copy: HTTPCopy, _ subject: String) -> Result {
        let reply = "status 200, \(copy.mediaType ?? "no type"), \(copy.body.count) bytes"
        do throws(ImageError) {
            let format = try ImageFormat(of: copy.body)
            return Result(subject: subject, state: .good, finding: "\(reply), \(format.rawValue)")
        } catch {
            return Result(subject: subject, state: .wrong, finding: "\(reply): \(error.reason)")
        }
    }
}

extension CatalogProduct {
    /// Addresses of the product's images, without the names of files.
    var imageAddresses: [URL] {
        [productIcon, featuredImage].compactMap { text in
            guard let url = text.flatMap(URL.init(string:)), ["http", "https"].contains(url.scheme?.lowercased()) else {
                return nil
            }
            return url
        }
    }
}
