import Foundation
import TestSupport
import Vitrine

/// Images of one pixel.
enum SampleImage: String, CaseIterable {
    case png, jpeg, gif, webp, losslessWebP

    var data: Data { Data(base64Encoded: base64) ?? Data() }

    var fileExtension: String {
        switch self {
        case .jpeg: "jpg"
        case .losslessWebP: "webp"
        default: rawValue
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
        case .losslessWebP: "UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA=="
        }
    }
}

/// What a server sends that is no image to show.
enum HostileImage: String, CaseIterable {
    case nothing, page, vector, document, cutOff, noPixels, manyPixels, noFrame, tooMuch, gone

    var answer: LoopbackServer.Answer {
        switch self {
        case .nothing: .reply()
        case .page: .reply(body: Data("<!DOCTYPE html><p>Please log in</p>".utf8))
        case .vector: .reply(body: Data("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8))
        case .document: .reply(body: Data("%PDF-1.7\n".utf8))
        case .cutOff: .reply(body: SampleImage.png.data.prefix(20))
        case .noPixels: .reply(body: png(width: 0, height: 1))
        case .manyPixels: .reply(body: png(width: 8_000, height: 8_000))
        case .noFrame: .reply(body: Data([0xFF, 0xD8, 0xFF, 0xE0, 0x00, 0x00]))
        case .tooMuch: .reply(body: SampleImage.png.data + Data(count: 4 * 1_024 * 1_024))
        case .gone: .reply(404)
        }
    }

    var code: ImageError.Code {
        switch self {
        case .manyPixels: .tooLarge
        case .tooMuch, .gone: .fetch
        default: .notAnImage
        }
    }

    private func png(width: UInt32, height: UInt32) -> Data {
        var data = SampleImage.png.data
        data.replaceSubrange(16..<20, with: withUnsafeBytes(of: width.bigEndian, Array.init))
        data.replaceSubrange(20..<24, with: withUnsafeBytes(of: height.bigEndian, Array.init))
        return data
    }
}
