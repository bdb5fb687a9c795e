package import Foundation

/// Format and size of an image, read from its first bytes.
///
/// PNG, JPEG, GIF, WebP and HEIF are supported. PDF is not, because it may contain more than an image.
package struct ImageHeader: Sendable, Hashable {
    package enum Format: String, Sendable, CaseIterable {
        case png, jpeg = "jpg", gif, webp, heic

        /// File name extension of the format.
        var fileExtension: String { rawValue }
    }

    /// Size in pixels.
    package struct Size: Sendable, Hashable {
        package let width: Int
        package let height: Int
    }

    package let format: Format
    /// Size of the image; for HEIF the largest width and the largest height of the images in the file.
    package let size: Size

    /// Largest size of a file with an image, in bytes.
    package static let fileSizeLimit = 4 * 1_024 * 1_024
    private static let longestSide = 8_192
    private static let mostPixels = 32 * 1_024 * 1_024

    /// - Throws: ``ImageError``: `notAnImage`, also if the header is cut off; `tooLarge` for more than 8,192 pixels in
    ///   a row or column, or more than 32 × 1,024 × 1,024 pixels.
    package init(of data: Data) throws(ImageError) {
        let bytes = ImageBytes(data)
        guard let format = Format(bytes) else {
            throw ImageError(code: .notAnImage, reason: "the file is not a PNG, JPEG, GIF, WebP or HEIF image")
        }
        guard let size = bytes.size(of: format) else {
            throw ImageError(code: .notAnImage, reason: "the \(format) image is damaged")
        }
        (self.format, self.size) = (format, size)
        guard size.width > 0, size.height > 0 else {
            throw ImageError(code: .notAnImage, reason: "the \(format) image has no pixels")
        }
        guard max(size.width, size.height) <= Self.longestSide, size.width * size.height <= Self.mostPixels else {
            throw ImageError(
                code: .tooLarge, reason: "the image has \(size.width) × \(size.height) pixels, too many for a screen")
        }
    }
}

extension ImageHeader.Format {
    fileprivate init?(_ bytes: ImageBytes) {
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .png
        } else if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else if bytes.text(0..<6) == "GIF87a" || bytes.text(0..<6) == "GIF89a" {
            self = .gif
        } else if bytes.text(0..<4) == "RIFF", bytes.text(8..<12) == "WEBP" {
            self = .webp
        } else if bytes.text(4..<8) == "ftyp", let brand = bytes.text(8..<12),
            ["heic", "heix", "heim", "heis", "mif1"].contains(brand)
        {
            self = .heic
        } else {
            return nil
        }
    }
}

/// Bytes of a file that may be cut off anywhere.
struct ImageBytes {
    private let bytes: [UInt8]

    init(_ data: Data) { bytes = Array(data) }

    func starts(with start: [UInt8]) -> Bool { bytes.starts(with: start) }

    func text(_ range: Range<Int>) -> String? {
        range.upperBound <= bytes.count ? String(decoding: bytes[range], as: UTF8.self) : nil
    }

    /// - Returns: `nil` if the header is cut off or invalid.
    func size(of format: ImageHeader.Format) -> ImageHeader.Size? {
        switch format {
        // PNG (ISO/IEC 15948), 11.2.2: IHDR is the first chunk.
        case .png: text(12..<16) == "IHDR" ? size(big(16, 4), big(20, 4)) : nil
        // GIF89a, 18: the logical screen descriptor.
        case .gif: size(little(6, 2), little(8, 2))
        case .jpeg: jpegSize
        case .webp: webPSize
        case .heic: heifSize
        }
    }

    private func size(_ width: Int?, _ height: Int?) -> ImageHeader.Size? {
        guard let width, let height else { return nil }
        return ImageHeader.Size(width: width, height: height)
    }

    private func big(_ start: Int, _ count: Int) -> Int? {
        guard start >= 0, start + count <= bytes.count else { return nil }
        return bytes[start..<start + count].reduce(0) { $0 << 8 | Int($1) }
    }

    private func little(_ start: Int, _ count: Int) -> Int? {
        guard start + count <= bytes.count else { return nil }
        return bytes[start..<start + count].reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    /// JPEG (ITU-T T.81), B.1 and B.2.2: the frame header follows other segments.
    private var jpegSize: ImageHeader.Size? {
        var place = 2
        while let marker = big(place, 2), marker >> 8 == 0xFF {
            let code = marker & 0xFF
            switch code {
            case 0xFF: place += 1
            case 0x01, 0xD0...0xD8: place += 2
            case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF: return size(big(place + 7, 2), big(place + 5, 2))
            case 0xD9, 0xDA: return nil
            default:
                guard let length = big(place + 2, 2), length >= 2 else { return nil }
                place += 2 + length
            }
        }
        return nil
    }

    /// WebP (RFC 9649), 2.5 to 2.7: each format stores the size differently.
    private var webPSize: ImageHeader.Size? {
        switch text(12..<16) {
        case "VP8X": size(little(24, 3).map { $0 + 1 }, little(27, 3).map { $0 + 1 })
        case "VP8L":
            little(21, 4).flatMap { bits in size((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1) }
        case "VP8 ": size(little(26, 2).map { $0 & 0x3FFF }, little(28, 2).map { $0 & 0x3FFF })
        default: nil
        }
    }

    // MARK: HEIF

    /// HEIF (ISO/IEC 23008-12), 6.5.3: each image has a property with its size.
    private var heifSize: ImageHeader.Size? {
        guard let meta = content(of: "meta", in: bytes.indices), meta.count >= Self.versionLength,
            let properties = content(of: "iprp", in: meta.dropFirst(Self.versionLength)),
            let container = content(of: "ipco", in: properties)
        else { return nil }
        let sizes = boxes(in: container).filter { $0.type == "ispe" }.map(\.content.lowerBound).map {
            size(big($0 + Self.versionLength, 4), big($0 + Self.versionLength + 4, 4))
        }
        return size(sizes.compactMap { $0?.width }.max(), sizes.compactMap { $0?.height }.max())
    }

    /// Number of bytes of the version and flags at the beginning of some HEIF boxes.
    private static let versionLength = 4

    private func content(of type: String, in range: Range<Int>) -> Range<Int>? {
        boxes(in: range).first { $0.type == type }?.content
    }

    /// Returns the boxes of a part of the file (ISO/IEC 14496-12, 4.2), up to the first that is invalid.
    private func boxes(in range: Range<Int>) -> [(type: String, content: Range<Int>)] {
        var boxes: [(type: String, content: Range<Int>)] = []
        var place = range.lowerBound
        while place < range.upperBound, let short = big(place, 4), let type = text(place + 4..<place + 8) {
            // 1 means that a longer number follows, and 0 that the box extends to the end.
            let head = short == 1 ? 16 : 8
            let length = short == 1 ? big(place + 8, 8) : short == 0 ? range.upperBound - place : short
            guard let length, length >= head, length <= range.upperBound - place else { break }
            boxes.append((type, place + head..<place + length))
            place += length
        }
        return boxes
    }
}

/// Error that explains why an image cannot be used, as the rest of a sentence.
public typealias ImageError = CodedError<ImageErrorCode>

/// Category of ``ImageError``.
public enum ImageErrorCode: String, ErrorCode {
    /// Failure to reach the server, or a response that is not an image.
    case fetch
    /// Data that is not an image of a supported format, or is damaged.
    case notAnImage = "not-an-image"
    /// Image with more pixels than a screen can need.
    case tooLarge = "too-large"
    /// Images of the catalog that need more space than the cache may use.
    case noRoom = "no-room"
    /// Failure to read or write the cache.
    case storage

    public var advice: String? {
        switch self {
        case .fetch:
            "Connect to the internet and load the products again; check the address of the image in the catalog."
        case .notAnImage: "Replace the image by a PNG, JPEG, GIF, WebP or HEIC file."
        case .tooLarge: "Replace the image by a smaller one."
        case .noRoom: "Use smaller images in the catalog, or fewer images."
        case .storage: "Free space on the device and check the permissions of the storage directory, then try again."
        }
    }
}
