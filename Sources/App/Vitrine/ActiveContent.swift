internal import Foundation
internal import VitrineCatalog
internal import VitrineHostedContent
internal import VitrineSupport

/// Record of the content whose URL the app has received. Such content is not removed to free storage while this record
/// exists.
final class ContentUses: Sendable {
    private let directory: ContentDirectory
    private let now: @Sendable () -> Date
    private let byPath = Locked<[ContentPath: ContentUse]>([:])

    init(directory: ContentDirectory, now: @escaping @Sendable () -> Date) {
        self.directory = directory
        self.now = now
    }

    /// Records that the app receives the URL of the content at a path, so that the content is not removed to free
    /// storage.
    ///
    /// - Returns: `false` if the content is no longer installed.
    func begin(at path: ContentPath) throws(ContentError) -> Bool {
        guard let use = try directory.use(at: path, on: now()) else { return false }
        byPath.withLock { $0[path] = use }
        return true
    }
}

/// Paths of content that is being installed, each with the number of operations that install it.
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
