/// What an archive of content may ask for at most.
public struct ContentLimits: Sendable, Hashable {
    /// Bytes of all its files together: 4 GiB by default.
    public var size: Int
    /// Files and folders: 100,000 by default.
    public var entries: Int
    /// How many times as long its files may be as the archive itself: 200 by default. Up to 1 MiB does not count.
    public var ratio: Int

    public init(size: Int = 4 * 1024 * 1024 * 1024, entries: Int = 100_000, ratio: Int = 200) {
        self.size = size
        self.entries = entries
        self.ratio = ratio
    }

    private static let uncounted = 1024 * 1024

    /// How many bytes may come from an archive of so many.
    func most(from archive: Int) -> Int {
        let (most, overflows) = archive.multipliedReportingOverflow(by: ratio)
        return overflows ? .max : max(most, Self.uncounted)
    }

    /// Why files of so many bytes cannot come from an archive of so many; `nil` where they can.
    func excess(of bytes: Int, from archive: Int) -> String? {
        guard bytes <= size else { return "its files have more than \(size) bytes together" }
        guard bytes <= most(from: archive) else {
            return "its files are more than \(ratio) times as long as the archive"
        }
        return nil
    }
}
