import Foundation
import Testing

@testable import Vitrine

@Suite(.timeLimit(.minutes(45))) struct ImageHeaderTests {
    @Test(arguments: SampleImage.allCases)
    func `the header of each sample image has the right format and a size of one pixel`(image: SampleImage) throws {
        let header = try ImageHeader(of: image.data)

        #expect(header.size == ImageHeader.Size(width: 1, height: 1))
        #expect(header.format.fileExtension == image.fileExtension)
    }

    /// Cut off at each byte, and with each byte changed to what lies at the ends of numbers.
    @Test(arguments: SampleImage.allCases)
    func `a damaged image is refused with a reason, or its size is within the limits`(image: SampleImage) {
        let data = image.data
        let cutOff = data.indices.map { data.prefix($0) }
        let changed = data.indices.flatMap { index in
            ([0x00, 0x01, 0x7F, 0x80, 0xFF] as [UInt8]).map { byte in
                var changed = data
                changed[index] = byte
                return changed
            }
        }
        for broken in cutOff + changed {
            do throws(ImageError) {
                let size = try ImageHeader(of: broken).size
                #expect((1...8_192).contains(size.width) && (1...8_192).contains(size.height))
                #expect(size.width * size.height <= 32 * 1_024 * 1_024)
            } catch {
                #expect([.notAnImage, .tooLarge].contains(error.code), "\(error)")
                #expect(!error.reason.isEmpty)
            }
        }
        #expect(throws: ImageError.self) { try ImageHeader(of: data.prefix(8)) }
    }

    @Test func `a box of a HEIF image may have a length of eight bytes or extend to the end of the file`() throws {
        let short = SampleImage.heic.data
        let meta = try #require(short.range(of: Data("meta".utf8))).lowerBound - 4
        var toTheEnd = short
        toTheEnd.replaceSubrange(meta..<meta + 4, with: Data(count: 4))
        var long = short
        let length = UInt64(short.count - meta + 8)
        long.replaceSubrange(
            meta..<meta + 8,
            with: Data([0, 0, 0, 1]) + Data("meta".utf8) + withUnsafeBytes(of: length.bigEndian) { Data($0) })

        #expect(try ImageHeader(of: toTheEnd).size == ImageHeader.Size(width: 1, height: 1))
        #expect(try ImageHeader(of: long).size == ImageHeader.Size(width: 1, height: 1))
    }
}
