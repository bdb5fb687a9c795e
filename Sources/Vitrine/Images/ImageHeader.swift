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
    /// For HEIF the size around all images in it.
    let size: Size

    private static let longestSide = 8_192
    private static let mostPixels = 32 * 1_024 * 1_024

    /// - Throws: ``ImageError``: `notAnImage`, also where the header is cut off; `tooLarge` for more than 8,192 pixels in a
    ///   row or column, or 32 Mi in all.
    init(of data: Data) throws(ImageError) {
        let bytes = ImageBytes(data)
        guard let format = Format(bytes) else {
            throw ImageError(code: .notAnImage, reason: "what came is no PNG, JPEG, GIF, WebP or HEIF image")
        }
        guard let size = bytes.size(of: format) else {
            throw ImageError(code: .notAnImage, reason: "the \(format) image is broken")
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
