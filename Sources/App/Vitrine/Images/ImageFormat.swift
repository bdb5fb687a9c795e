package import Foundation

/// Format of an image, recognized by its first bytes.
///
/// PNG, JPEG, GIF, WebP and HEIF are supported. PDF is not, because it may contain more than an image.
package enum ImageFormat: String, Sendable, CaseIterable {
    case png, jpeg = "jpg", gif, webp, heic

    var fileExtension: String { rawValue }

    /// Largest size of a file with an image, in bytes.
    package static let fileSizeLimit = 4 * 1_024 * 1_024

    /// Recognizes the format of an image.
    ///
    /// - Throws: ``ImageError`` `notAnImage` for data in another format.
    package init(of data: Data) throws(ImageError) {
        let start = Array(data.prefix(12))
        guard let format = Self.allCases.first(where: { $0.isFormat(ofFileStartingWith: start) }) else {
            throw ImageError(code: .notAnImage, reason: "the file is not a PNG, JPEG, GIF, WebP or HEIF image")
        }
        self = format
    }

    private func isFormat(ofFileStartingWith start: [UInt8]) -> Bool {
        func has(_ texts: [String], at place: Int = 0) -> Bool {
            texts.contains { start.dropFirst(place).starts(with: $0.utf8) }
        }
        return switch self {
        // PNG (ISO/IEC 15948), 5.2.
        case .png: start.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
        // JPEG (ITU-T T.81), B.1: a start of image, and the beginning of the next marker.
        case .jpeg: start.starts(with: [0xFF, 0xD8, 0xFF])
        // GIF89a, 17.
        case .gif: has(["GIF87a", "GIF89a"])
        // WebP (RFC 9649), 2.4.
        case .webp: has(["RIFF"]) && has(["WEBP"], at: 8)
        // HEIF (ISO/IEC 23008-12), 10.2 and B.4: brands of images whose coding is HEVC or is named by another brand.
        case .heic: has(["ftyp"], at: 4) && has(["heic", "heix", "heim", "heis", "mif1"], at: 8)
        }
    }
}

/// Error that explains why an image cannot be used, in lower case and without a period.
public typealias ImageError = CodedError<ImageErrorCode>

/// Category of ``ImageError``.
public enum ImageErrorCode: String, ErrorCode {
    /// Failure to reach the server, or a response that is not an image.
    case fetch
    /// Data that does not begin like an image of a supported format.
    case notAnImage = "not-an-image"
    /// Images of the catalog that need more space than the cache may use.
    case noRoom = "no-room"
    /// Failure to read or write the cache.
    case storage

    public var advice: String? {
        switch self {
        case .fetch:
            "Connect to the internet and load the products again; check the address of the image in the catalog."
        case .notAnImage: "Replace the image by a PNG, JPEG, GIF, WebP or HEIC file."
        case .noRoom: "Use smaller images in the catalog, or fewer images."
        case .storage: "Free space on the device and check the permissions of the storage directory, then try again."
        }
    }
}
