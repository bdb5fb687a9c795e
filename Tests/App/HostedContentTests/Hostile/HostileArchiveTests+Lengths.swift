import Testing
import VitrineHostedContent

extension HostileArchiveTests {
    @Test(arguments: lengths)
    func `an archive that exceeds a size limit is refused, and no file is written outside the target`(_ attack: Attack)
        async throws
    {
        try await check(attack)
    }

    private static let lengths: [Attack] = [
        Attack("a bomb in a zip", "times as long as the archive") {
            try SampleArchive.compressed(.zip, "Contents/bomb", count: 4_000_000, in: $0)
        },
        Attack("a bomb in a tar", "times as long as the archive") {
            try SampleArchive.compressed(.tarGzip, "Contents/bomb", count: 4_000_000, in: $0)
        },
        Attack("more than one file may have", "more than 4294967296 bytes together") { _ in
            TarBytes(
                TarBytes.entry("ContentInfo.plist", SampleArchive.info),
                TarBytes.entry("Contents/a", "", length: 5_000_000_000)
            ).bytes
        },
        Attack("zeros behind the end of a tar", "the end of the archive is too long") {
            try SampleArchive.compressed(SampleArchive.tar(end: 16_000_000), .gzip, in: $0)
        },
        Attack("a header of pax that is too long", "the headers of an entry of the archive are too long") {
            let more = TarBytes.pax([("comment", String(repeating: "a", count: 1_200_000))])
            return try SampleArchive.compressed(SampleArchive.tar(more), .gzip, in: $0)
        },
        Attack("a long name of GNU's for every file", "the archive decompresses to more than 200 times its length") {
            let name = String(repeating: "a", count: 900_000)
            let more = (0..<4).flatMap {
                TarBytes.entry("././@LongLink", "Contents/\($0)\0\(name)", type: "L") + TarBytes.entry("Contents/\($0)")
            }
            return try SampleArchive.compressed(SampleArchive.tar(more), .gzip, in: $0)
        },
        Attack("a list of holes without an end", "is a sparse file") { _ in
            tar(TarBytes.sparse("Contents/a", blocks: 4_000))
        },
        Attack("a tar that is compressed twice", "the tar is truncated") {
            try SampleArchive.compressed(SampleArchive.tar(), .gzip, .gzip, in: $0)
        },
    ]
}
