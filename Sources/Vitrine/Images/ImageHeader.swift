internal import Foundation

/// Format and size of an image, read from its first bytes.
///
/// PNG, JPEG, GIF, WebP and HEIF are supported. PDF is not, because it may contain more than an image.
struct ImageHeader: Sendable, Hashable {
    enum Format: String, Sendable, CaseIterable {
        case png, jpeg = "jpg", gif, webp, heic

        /// File name extension of the format.
        var fileExtension: String { rawValue }
    }

    /// Size in pixels.
    struct Size: Sendable, Hashable {
        let width: Int
        let height: Int
    }

    let format: Format
    /// Size of the image; for HEIF the size around all images in the file.
    let size: Size

    private static let longestSide = 8_192
    private static let mostPixels = 32 * 1_024 * 1_024

    /// - Throws: ``ImageError``: `notAnImage`, also if the header is cut off; `tooLarge` for more than 8,192 pixels in
    ///   a row or column, or 32 Mi in all.
    init(of data: Data) throws(ImageError) {
        let bytes = ImageBytes(data)
        guard let format = Format(bytes) else {
            throw ImageError(code: .notAnImage, reason: "the data is not a PNG, JPEG, GIF, WebP or HEIF image")
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
