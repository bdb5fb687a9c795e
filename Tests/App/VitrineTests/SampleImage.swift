import Foundation
import Vitrine
import VitrineTestSupport

/// Images of one pixel.
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
        case .heic: Data.heif([(1, 1)]).base64EncodedString()
        case .losslessWebP: "UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA=="
        }
    }
}

/// What a server sends that is no image to show.
enum HostileImage: String, CaseIterable {
    case nothing, page, vector, document, cutOff, noPixels, manyPixels, noFrame, noSize, manyPixelsBeside, brokenBox,
        tooMuch, gone

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
        case .noSize: .reply(body: .heif([]))
        case .manyPixelsBeside: .reply(body: .heif([(1, 1), (8_000, 8_000)]))
        case .brokenBox: .reply(body: .heif([(1, 1)]).dropLast(2))
        case .tooMuch: .reply(body: SampleImage.png.data + Data(count: 4 * 1_024 * 1_024))
        case .gone: .reply(404)
        }
    }

    var code: ImageError.Code {
        switch self {
        case .manyPixels, .manyPixelsBeside: .tooLarge
        case .tooMuch, .gone: .fetch
        default: .notAnImage
        }
    }

    private func png(width: UInt32, height: UInt32) -> Data {
        var data = SampleImage.png.data
        data.replaceSubrange(16..<24, with: Data(bigEndian: width) + Data(bigEndian: height))
        return data
    }
}

extension Data {
    /// The head of a HEIF file with images of some sizes, and nothing else of it.
    fileprivate static func heif(_ sizes: [(width: UInt32, height: UInt32)]) -> Data {
        let properties = sizes.map { size in
            box("ispe", Data(count: 4) + Data(bigEndian: size.width) + Data(bigEndian: size.height))
        }
        let container = box("iprp", box("ipco", Data(properties.joined())))
        return box("ftyp", Data("heic".utf8) + Data(count: 4) + Data("mif1heic".utf8))
            + box("meta", Data(count: 4) + box("hdlr", Data(count: 24)) + container)
    }

    private static func box(_ type: String, _ content: Data) -> Data {
        Data(bigEndian: UInt32(8 + content.count)) + Data(type.utf8) + content
    }

    fileprivate init(bigEndian number: UInt32) { self = Swift.withUnsafeBytes(of: number.bigEndian) { Data($0) } }
}
