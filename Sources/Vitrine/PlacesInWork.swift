internal import FileSystem
internal import HostedContent
internal import ProductCatalog

/// Paths of content with active operations, each with the number of its operations.
final class PlacesInWork: Sendable {
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
