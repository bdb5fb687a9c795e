import Foundation
import HostedContent
import PropertyList
import TestSupport
import Testing

/// Archives that are read while other threads read XML with libxml2.
@Suite struct SideBySideTests {
    /// It names an encoding that libxml2 converts, and so is not left to the reader of plain XML.
    private static let plist = Array(
        """
        <?xml version="1.0" encoding="ISO-8859-2"?>
        <plist version="1.0"><array>\(String(repeating: "<string>a&#353;</string>", count: 200))</array></plist>
        """.utf8)

    @Test func `xars and property lists are read on several threads at once`() async throws {
        let folder = try TemporaryFolder()
        _ = try SampleArchive.compressed(.xar, "Contents/a", count: 10, in: folder["whole"])
        let archive = folder["whole"]
        try await withThrowingTaskGroup { group in
            for number in 0..<8 {
                group.addTask {
                    for _ in 0..<100 {
                        if number % 2 == 0 {
                            #expect(try ContentArchive.verify(archive).files.count == 3)
                        } else {
                            let document = try PropertyListDocument(bytes: Self.plist)
                            #expect(document.root.elements.last?.string == "aš")
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
