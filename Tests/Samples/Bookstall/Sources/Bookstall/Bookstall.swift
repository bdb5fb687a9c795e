import Foundation

/// A shop for books.
public enum Bookstall {
    /// The property list with the books on sale.
    public static var catalog: URL? { Bundle.module.url(forResource: "Books", withExtension: "plist") }
}
