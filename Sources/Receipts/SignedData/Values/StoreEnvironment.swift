/// Environment of the store that signed data. The store may add others.
public struct StoreEnvironment: Sendable, Hashable, Codable, RawRepresentable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public static let production = StoreEnvironment(rawValue: "Production")
    public static let sandbox = StoreEnvironment(rawValue: "Sandbox")
    /// Xcode's own store, which signs with a certificate of the developer.
    public static let xcode = StoreEnvironment(rawValue: "Xcode")
    /// A store on the developer's machine.
    public static let localTesting = StoreEnvironment(rawValue: "LocalTesting")
}
