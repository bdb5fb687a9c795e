internal import VitrineReceipts

/// Environments of the store. A server may serve one app in several of them, under different names. A build of the app
/// has one name, and does not know its environment: the same build runs at App Review, in TestFlight and for customers.
extension CustomerRecords {
    /// Returns the app whose customer a device becomes: of the apps with the bundle identifier of the named one, the one
    /// in the environment of the device's app transaction.
    ///
    /// - Parameters:
    ///   - name: Name of an app, or the bundle identifier of apps with other names.
    ///   - appTransaction: App transaction of the device, which is still to be verified for the returned app; `nil` if
    ///     the device has none. The named app is then the only answer.
    /// - Throws: ``CustomerError`` `notFound`.
    func app(_ name: String, showing appTransaction: String?) throws(CustomerError) -> ServedApp {
        let claimed = appTransaction.flatMap { UnverifiedJWS($0)?.decode(EnvironmentClaim.self)?.receiptType }
        guard let claimed, apps[name]?.environment != claimed else { return try app(name) }
        let bundle = bundleIdentifier(ofApp: name)
        let found = apps.values.filter { $0.bundleIdentifier == bundle && $0.environment == claimed }
        guard let first = found.min(by: { $0.name < $1.name }) else { return try app(name) }
        return first
    }

    private func bundleIdentifier(ofApp name: String) -> String { apps[name]?.bundleIdentifier ?? name }

    /// Returns the app of a device if it has the bundle identifier of a named app, in whichever environment. Files that
    /// the catalog names under one name are then those of the device's own environment.
    ///
    /// - Parameter name: Name of an app, or the bundle identifier of apps with other names.
    package func app(_ name: String, of device: EnrolledDevice) -> ServedApp? {
        guard let own = apps[device.app], own.bundleIdentifier == bundleIdentifier(ofApp: name) else { return nil }
        return own
    }
}

/// Environment that an app transaction claims.
private struct EnvironmentClaim: Decodable {
    let receiptType: StoreEnvironment
}
