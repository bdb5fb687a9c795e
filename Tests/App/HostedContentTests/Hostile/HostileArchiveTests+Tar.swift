import Testing
import VitrineHostedContent

extension HostileArchiveTests {
    @Test(arguments: tars)
    func `a truncated tar or a tar with trailing data is refused, and no file is written outside the target`(
        _ attack: Attack
    ) async throws { try await check(attack) }

    private static let tars: [Attack] = [
        Attack("a tar that is cut off between two entries", "is truncated") { _ in SampleArchive.tar(end: 0) },
        Attack("a tar with a negative length", "a header of the tar is damaged") { _ in
            SampleArchive.tar(TarBytes.entry("Contents/a", length: -8))
        },
        Attack("a tar with half an end", "is truncated") { _ in SampleArchive.tar(end: 512) },
        Attack("a tar with another behind its end", "has data after the end of the tar") { _ in
            SampleArchive.tar() + SampleArchive.tar()
        },
        Attack("a tar with something else behind its end", "has data after the end of the tar") { _ in
            SampleArchive.tar() + [UInt8](repeating: 0x58, count: 1_024)
        },
        Attack("a tar in gzip with something behind its end", "bytes follow the end of compressed data") {
            try SampleArchive.compressed(.tarGzip, "Contents/a", count: 1, in: $0) + [1, 2, 3]
        },
    ]
}
