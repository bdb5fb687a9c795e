import Foundation
import Testing
import VitrineTestSupport

@testable import Vitrine

@Suite(.hangLimit) struct ImageFormatTests {
    @Test(arguments: SampleImage.allCases)
    func `the format of each sample image is recognized by its first twelve bytes`(image: SampleImage) throws {
        #expect(try ImageFormat(of: image.data).fileExtension == image.fileExtension)
        #expect(try ImageFormat(of: image.data.prefix(12)).fileExtension == image.fileExtension)
    }

    @Test(arguments: SampleImage.allCases)
    func `a file that is shorter than its format's signature is not recognized as an image`(image: SampleImage) {
        for length in 0..<image.signatureLength {
            let error = #expect(throws: ImageError.self) { try ImageFormat(of: image.data.prefix(length)) }
            #expect(error?.code == .notAnImage, "\(length)")
        }
    }

    @Test(arguments: ["heic", "heix", "heim", "heis", "mif1"])
    func `a HEIF file of each supported brand is recognized as an image`(brand: String) throws {
        #expect(try ImageFormat(of: Data("\0\0\0\u{18}ftyp\(brand)".utf8)) == .heic)
    }

    @Test(
        arguments: [
            ("AVIF image", "\0\0\0\u{18}ftypavif"), ("video", "\0\0\0\u{18}ftypmp42"),
            ("other RIFF file", "RIFF\0\0\0\0WAVE"), ("later GIF", "GIF90a\u{1}\0\u{1}\0"),
            ("PDF document", "%PDF-1.7\n%abc"), ("vector image", "<svg xmlns='http://www.w3.org/2000/svg'/>"),
        ])
    func `a file of an unsupported format is not recognized as an image`(id: String, text: String) {
        let error = #expect(throws: ImageError.self) { try ImageFormat(of: Data(text.utf8)) }
        #expect(error?.code == .notAnImage)
    }
}
