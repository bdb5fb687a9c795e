#if canImport(Darwin)
    public import VitrineSupport
    public import Foundation

    // Not built or run on Linux.

    /// iCloud's key-value store of the app, for apps with the entitlement
    /// `com.apple.developer.ubiquity-kvstore-identifier`.
    ///
    /// iCloud delivers the changes of other devices in the background. The app should exchange when it enters the
    /// foreground, and when `NSUbiquitousKeyValueStore.didChangeExternallyNotification` is posted.
    public struct CloudKeyValueStorage: KeyValueStorage {
        public init() {}

        public func values() throws(ExchangeError) -> [String: Data] {
            let store = NSUbiquitousKeyValueStore.default
            store.synchronize()
            return store.dictionaryRepresentation.compactMapValues { $0 as? Data }
        }

        public func store(_ value: Data, for key: String) throws(ExchangeError) {
            let store = NSUbiquitousKeyValueStore.default
            store.set(value, forKey: key)
            guard store.synchronize() else {
                throw ExchangeError(code: .transport, reason: "iCloud's key-value store cannot be used by this app")
            }
        }
    }
#endif
