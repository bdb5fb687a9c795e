/// The listings of all products in the catalog's order. One can be replaced at little cost, however many there are and
/// whoever still reads the old ones.
struct ListingPages: Sendable {
    private var pages: [[ProductListing]] = []
    private(set) var count = 0

    private static let pageSize = 128

    init() {}

    init(count: Int, _ listing: (Int) -> ProductListing) {
        self.count = count
        pages = stride(from: 0, to: count, by: Self.pageSize).map { start in
            (start..<min(start + Self.pageSize, count)).map(listing)
        }
    }

    subscript(index: Int) -> ProductListing {
        get { pages[index / Self.pageSize][index % Self.pageSize] }
        set { pages[index / Self.pageSize][index % Self.pageSize] = newValue }
    }

    var all: [ProductListing] { Array(pages.joined()) }
}
