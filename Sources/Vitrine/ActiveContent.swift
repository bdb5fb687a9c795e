internal import FileSystem
internal import Foundation
internal import HostedContent
internal import ProductCatalog

/// Content that was provided, and is in use from then on.
final class ContentUses: Sendable {
    private let directory: ContentDirectory
    private let now: @Sendable () -> Date
    private let byPath = Locked<[ContentPath: ContentUse]>([:])

    init(directory: ContentDirectory, now: @escaping @Sendable () -> Date) {
        self.directory = directory
        self.now = now
    }

    /// - Returns: `false` if the content is no longer installed.
    func begin(at path: ContentPath) throws(ContentError) -> Bool {
        guard let use = try directory.use(at: path, on: now()) else { return false }
        byPath.withLock { $0[path] = use }
        return true
    }
}

/// Paths of content with active operations, each with the number of its operations.
final class ActiveInstallations: Sendable {
    private let counts = Locked<[ContentPath: Int]>([:])

    var all: Set<ContentPath> { counts.withLock { Set($0.keys) } }

    func add(_ places: [ContentPath]) {
        counts.withLock { counts in
            for place in places { counts[place, default: 0] += 1 }
        }
    }

    func remove(_ places: [ContentPath]) {
        counts.withLock { counts in
            for place in places { counts[place] = counts[place].flatMap { $0 > 1 ? $0 - 1 : nil } }
        }
    }
}
