internal import VitrineStoreSimulator

/// Namespace for the functions of the App Store on this device.
@available(iOS 15.0, macOS 12.0, tvOS 15.0, watchOS 8.0, visionOS 1.0, *)
public enum AppStore: Sendable {
    /// Indicates that purchases are allowed on this device.
    public static var canMakePayments: Bool { StoreConnection.current.canMakePayments }

    /// Synchronizes the transactions of this device with the store, which asks the customer for a password.
    ///
    /// - Throws: ``StoreKitError``: `userCancelled` if the customer cancels; other cases if the store cannot be
    ///   reached, or fails.
    public static func sync() async throws { try await StoreConnection.current.sync() }

    /// Identifier of this device, to which signed data is bound; `nil` without a store.
    public static var deviceVerificationID: UUID? { StoreConnection.current.attached?.store.deviceVerificationID }

    /// Age rating of the app; always `nil` in a simulated store, which has none.
    @available(iOS 26.2, macOS 26.2, tvOS 26.2, watchOS 26.2, visionOS 26.2, *)
    public static var ageRatingCode: Int? {
        get async { nil }
    }

    /// Environment of a store.
    @available(iOS 16.0, macOS 13.0, tvOS 16.0, watchOS 9.0, visionOS 1.0, *)
    public struct Environment: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        public static let production = Environment(rawValue: "Production")
        public static let sandbox = Environment(rawValue: "Sandbox")
        /// Store of a test session.
        public static let xcode = Environment(rawValue: "Xcode")
    }

    /// Platform of an app's original purchase.
    @available(iOS 18.4, macOS 15.4, tvOS 18.4, watchOS 11.4, visionOS 2.4, *)
    public struct Platform: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        public static let iOS = Platform(rawValue: "iOS")
        public static let macOS = Platform(rawValue: "macOS")
        public static let tvOS = Platform(rawValue: "tvOS")
        public static let visionOS = Platform(rawValue: "visionOS")
    }
}
