internal import Foundation

/// What the first bytes of an image say: its format and size.
///
/// PNG, JPEG, GIF, WebP and HEIF are known. A PDF is none: it may hold more than a picture.
struct ImageHeader: Sendable, Hashable {
    enum Format: String, Sendable, CaseIterable {
        case png, jpeg = "jpg", gif, webp, heic

        /// What a file of it is called at its end.
        var fileExtension: String { rawValue }
    }

    /// In pixels.
    struct Size: Sendable, Hashable {
        let width: Int
        let height: Int
    }

    let format: Format
    /// `nil` for HEIF, which does not say it at a fixed place.
    let size: Size?

    private static let longestSide = 8_192
    private static let mostPixels = 32 * 1_024 * 1_024

    /// - Throws: ``ImageError``: `notAnImage`, also where the header is cut off; `tooLarge` for more than 8,192 pixels in a
    ///   row or column, or 32 Mi in all.
    init(of data: Data) throws(ImageError) {
        let bytes = ImageBytes(data)
        guard let format = Format(bytes) else {
            throw ImageError(code: .notAnImage, reason: "what came is no PNG, JPEG, GIF, WebP or HEIF image")
        }
        self.format = format
        size = bytes.size(of: format)
        guard format == .heic || size != nil else {
            throw ImageError(code: .notAnImage, reason: "the \(format) image is broken")
        }
        guard let size else { return }
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

/// The bytes of a file that may end anywhere.
private struct ImageBytes {
    private let bytes: [UInt8]

    init(_ data: Data) { bytes = Array(data) }

    func starts(with start: [UInt8]) -> Bool { bytes.starts(with: start) }

    func text(_ range: Range<Int>) -> String? {
        range.upperBound <= bytes.count ? String(decoding: bytes[range], as: UTF8.self) : nil
    }

    /// - Returns: `nil` where the header is cut off, or is none.
    func size(of format: ImageHeader.Format) -> ImageHeader.Size? {
        switch format {
        // PNG (ISO/IEC 15948), 11.2.2: IHDR comes first.
        case .png: text(12..<16) == "IHDR" ? size(big(16, 4), big(20, 4)) : nil
        // GIF89a, 18: the logical screen descriptor.
        case .gif: size(little(6, 2), little(8, 2))
        case .jpeg: jpegSize
        case .webp: webPSize
        case .heic: nil
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

    /// JPEG (ITU-T T.81), B.1 and B.2.2: the frame header behind the segments before it.
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

    /// WebP (RFC 9649), 2.5 to 2.7: each kind says it in another way.
    private var webPSize: ImageHeader.Size? {
        switch text(12..<16) {
        case "VP8X": size(little(24, 3).map { $0 + 1 }, little(27, 3).map { $0 + 1 })
        case "VP8L":
            little(21, 4).flatMap { bits in size((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1) }
        case "VP8 ": size(little(26, 2).map { $0 & 0x3FFF }, little(28, 2).map { $0 & 0x3FFF })
        default: nil
        }
    }
}
