internal import Foundation
internal import Vitrine
internal import VitrineFileSystem
internal import VitrineSupport

/// Cache for the results of image checks, so that an unchanged image file is read only once.
struct ImageShelf {
    private struct Entry {
        let stamp: FileStamp
        let result: Result<ImageFormat, ImageError>
    }

    /// Reason why an image cannot be shown, as the rest of a sentence.
    struct ImageError: Error {
        let reason: String
    }

    private var entries: [URL: Entry] = [:]

    /// Maximum number of cached checks.
    private static let mostEntries = 5_000

    /// Checks the format and the size in bytes of an image.
    ///
    /// - Returns: The reason why the image cannot be shown; `nil` if it can.
    mutating func failureReason(of url: URL) -> String? {
        guard let stamp = FileStamp(url) else { return "the file does not exist" }
        if let known = entries[url], known.stamp == stamp { return known.result.failureReason }
        if entries.count >= Self.mostEntries { entries = [:] }
        let result = Result { () throws(ImageError) in try Self.read(url).format }
        entries[url] = Entry(stamp: stamp, result: result)
        return result.failureReason
    }

    /// Reads an image and checks its format and its size in bytes.
    static func read(_ url: URL) throws(ImageError) -> (data: Data, format: ImageFormat) {
        let data: Data
        do {
            data = try BoundedFile.read(url, limit: ImageFormat.fileSizeLimit)
        } catch {
            throw ImageError(reason: error.reason)
        }
        guard data.count <= ImageFormat.fileSizeLimit else {
            throw ImageError(reason: "the file is larger than \(ImageFormat.fileSizeLimit / 1_024 / 1_024) MiB")
        }
        let format: ImageFormat
        do {
            format = try ImageFormat(of: data)
        } catch {
            throw ImageError(reason: "\(error)")
        }
        guard format != .heic else { throw ImageError(reason: "browsers do not show HEIF images") }
        return (data, format)
    }
}

extension Result<ImageFormat, ImageShelf.ImageError> {
    fileprivate var failureReason: String? { if case .failure(let error) = self { error.reason } else { nil } }
}

extension ImageFormat {
    var mediaType: String {
        switch self {
        case .png: "image/png"
        case .jpeg: "image/jpeg"
        case .gif: "image/gif"
        case .webp: "image/webp"
        case .heic: "image/heic"
        }
    }
}

/// Role of a product's image.
enum ImageRole: String {
    case icon, featured

    /// Returns the identifier of a product's image: the product's index and the role.
    func identifier(_ position: Int) -> String { "\(position)-\(rawValue)" }

    /// Parses the identifier of a product's image; `nil` if it is not valid.
    static func parse(_ identifier: String) -> (position: Int, role: ImageRole)? {
        let parts = identifier.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count <= 9, parts[0].allSatisfy(\.isASCII),
            parts[0].allSatisfy(\.isNumber), let position = Int(parts[0]),
            let role = ImageRole(rawValue: String(parts[1]))
        else { return nil }
        return (position, role)
    }
}
