import Foundation
import Vitrine
import VitrineTestSupport

/// Images of one pixel; for HEIF, only the beginning of an image.
enum SampleImage: String, CaseIterable {
    case png, jpeg, gif, webp, losslessWebP, heic

    var data: Data { Data(base64Encoded: base64) ?? Data() }

    var fileExtension: String {
        switch self {
        case .jpeg: "jpg"
        case .losslessWebP: "webp"
        default: rawValue
        }
    }

    /// Number of bytes at the beginning that identify the format.
    var signatureLength: Int {
        switch self {
        case .png: 8
        case .jpeg: 3
        case .gif: 6
        case .webp, .losslessWebP, .heic: 12
        }
    }

    private var base64: String {
        switch self {
        case .png:
            "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
        case .jpeg:
            "/9j/4AAQSkZJRgABAQEAYABgAAD/2wBDAAgGBgcGBQgHBwcJCQgKDBQNDAsLDBkSEw8UHRofHh0aHBwgJC4nICIsIxwcKDcpLDAxNDQ0"
                + "Hyc5PTgyPC4zNDL/wAALCAABAAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAACf/EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8A"
                + "VN//2Q=="
        case .gif: "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
        case .webp: "UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAwA0JaQAA3AA/vuUAAA="
        case .heic: Data("\0\0\0\u{18}ftypheic\0\0\0\0mif1heic".utf8).base64EncodedString()
        case .losslessWebP: "UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA=="
        }
    }
}

/// Response of a server without an image that can be shown.
enum HostileImage: String, CaseIterable {
    case nothing, page, vector, document, cutOff, tooMuch, gone

    var answer: LoopbackServer.Answer {
        switch self {
        case .nothing: .reply()
        case .page: .reply(body: Data("<!DOCTYPE html><p>Please log in</p>".utf8))
        case .vector: .reply(body: Data("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8))
        case .document: .reply(body: Data("%PDF-1.7\n".utf8))
        case .cutOff: .reply(body: SampleImage.png.data.prefix(7))
        case .tooMuch: .reply(body: SampleImage.png.data + Data(count: 4 * 1_024 * 1_024))
        case .gone: .reply(404)
        }
    }

    var code: ImageError.Code {
        switch self {
        case .tooMuch, .gone: .fetch
        case .nothing, .page, .vector, .document, .cutOff: .notAnImage
        }
    }
}
