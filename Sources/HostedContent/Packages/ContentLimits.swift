/// Limits of the content of an archive.
public struct ContentLimits: Sendable, Hashable {
    /// Maximum length of all files together in bytes: 4 GiB by default.
    public var size: Int
    /// Maximum number of files and folders: 100,000 by default.
    public var entries: Int
    /// Maximum ratio of the length of all files to that of the archive: 200 by default. Not applied up to 1 MiB.
    public var ratio: Int

    public init(size: Int = 4 * 1024 * 1024 * 1024, entries: Int = 100_000, ratio: Int = 200) {
        self.size = size
        self.entries = entries
        self.ratio = ratio
    }

    private static let uncounted = 1024 * 1024

    /// Maximum length of all files of an archive with a length, in bytes.
    func most(from archive: Int) -> Int {
        let (most, overflows) = archive.multipliedReportingOverflow(by: ratio)
        return overflows ? .max : max(most, Self.uncounted)
    }

    /// Message if files of a length exceed the limits for an archive of a length; `nil` otherwise.
    func excess(of bytes: Int, from archive: Int) -> String? {
        guard bytes <= size else { return "its files have more than \(size) bytes together" }
        guard bytes <= most(from: archive) else {
            return "its files are more than \(ratio) times as long as the archive"
        }
        return nil
    }
}
