/// Names of the documents of a customer.
package struct DocumentNames: JSONBody, Hashable {
    package let names: [String]

    package init(names: [String]) { self.names = names }
}

/// Exclusive lock of a device in an exchange.
package struct ExchangeLock: JSONBody, Hashable {
    /// Identifier of the lock.
    package let lock: String

    package init(lock: String) { self.lock = lock }
}

/// Request for a link to a file of hosted content.
package struct LinkRequest: JSONBody, Hashable {
    /// Path of the file in the folder with the app's content.
    package let path: String

    package init(path: String) { self.path = path }
}

/// Link to a file of hosted content. Anyone who has the link can download the file.
package struct ContentLink: JSONBody, Hashable {
    /// Path and query of the link's URL.
    package let link: String
    /// Expiration of the link, in milliseconds since 1970.
    package let until: Int64

    package init(link: String, until: Int64) { (self.link, self.until) = (link, until) }
}
