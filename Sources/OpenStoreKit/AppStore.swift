internal import StoreSimulator

/// The store on this device.
public enum AppStore {
    /// Indicates that purchases are allowed on this device.
    public static var canMakePayments: Bool { StoreConnection.current.canMakePayments }

    /// Synchronizes the transactions of this device with the store, which asks the customer for a password.
    ///
    /// - Throws: ``StoreKitError``: `userCancelled` if the customer cancels; other cases if the store cannot be reached,
    ///   or fails.
    public static func sync() async throws { try await StoreConnection.current.sync() }

    /// Identifier of this device, to which signed data is bound; `nil` without a store.
    public static var deviceVerificationID: UUID? { StoreConnection.current.attached?.store.deviceVerificationID }

    /// Age rating of the app; always `nil` in a simulated store, which has none.
    public static var ageRatingCode: Int? {
        get async { nil }
    }

    /// Environment of a store.
    public struct Environment: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        public static let production = Environment(rawValue: "Production")
        public static let sandbox = Environment(rawValue: "Sandbox")
        /// Store of a test session.
        public static let xcode = Environment(rawValue: "Xcode")
    }

    /// Platform of an app's original purchase.
    public struct Platform: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        public static let iOS = Platform(rawValue: "iOS")
        public static let macOS = Platform(rawValue: "macOS")
        public static let tvOS = Platform(rawValue: "tvOS")
        public static let visionOS = Platform(rawValue: "visionOS")
    }
}
