import Foundation
import Testing
import VitrineTestSupport

@testable import VitrineCatalog
@testable import VitrineCatalogLoading

/// Changes of a single bit in the four files of a signed catalog, all of which are refused.
@Suite(.hangLimit) struct SignedBytesTests {
    /// One of the four files.
    struct File: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let path: @Sendable () -> WritableKeyPath<SignedCatalogFiles, Data>
    }

    private static let publisher = CatalogPublisher(catalog: "<plist><array><string>a</string></array></plist>")

    static let files = [
        File(testDescription: "the catalog") { \.catalog },
        File(testDescription: "its signature") { \.signature },
        File(testDescription: "keys.plist") { \.keys },
        File(testDescription: "the signature of keys.plist") { \.keysSignature },
    ]

    /// Verifies the files of a signed catalog.
    ///
    /// - Returns: `true` if an app that has never seen a catalog would use the files.
    private func isBelieved(_ files: SignedCatalogFiles) async -> Bool {
        let verifier = CatalogVerifier(trust: Self.publisher.trust(), numbers: MemoryNumbers())
        return await !verifier.verify(files, at: CatalogPublisher.date).isRefused
    }

    @Test(arguments: files) func `every change of a single bit in a file of a signed catalog is refused`(file: File)
        async throws
    {
        let good = try Self.publisher.files()
        #expect(await isBelieved(good))
        let path = file.path()
        for index in good[keyPath: path].indices {
            for bit in 0..<8 {
                var changed = good
                changed[keyPath: path][index] ^= 1 << bit
                #expect(await !isBelieved(changed), "bit \(bit) of byte \(index)")
            }
        }
    }

    @Test(arguments: files) func `every truncated file of a signed catalog is refused`(file: File) async throws {
        let good = try Self.publisher.files()
        let path = file.path()
        for count in 0..<good[keyPath: path].count {
            var changed = good
            changed[keyPath: path] = good[keyPath: path].prefix(count)
            #expect(await !isBelieved(changed), "\(count) bytes")
        }
    }

    @Test(arguments: files, ["\n", " ", "\0", "\r\n"])
    func `every file of a signed catalog with appended bytes is refused`(file: File, addition: String) async throws {
        var changed = try Self.publisher.files()
        changed[keyPath: file.path()] += Data(addition.utf8)

        #expect(await !isBelieved(changed))
    }

    @Test func `a signature file above the size limit is refused`() throws {
        let huge = Data(repeating: UInt8(ascii: "\n"), count: 64 * 1024 + 1)

        #expect(
            throws: CatalogSignatureFailure(
                .malformed, "a signature may have at most 65536 bytes, but this one has more")
        ) {
            try MinisignSignature(huge)
        }
    }
}
