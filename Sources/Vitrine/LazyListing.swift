internal import Locking

/// A listing that is put together when somebody asks for it, once: most changes are followed by another before that.
final class LazyListing: Sendable {
    private let made = Locked<[ProductListing]?>(nil)
    private let make: @Sendable () -> [ProductListing]

    init(_ make: @escaping @Sendable () -> [ProductListing]) { self.make = make }

    var products: [ProductListing] {
        made.withLock { made in
            if let made { return made }
            let products = make()
            made = products
            return products
        }
    }
}
