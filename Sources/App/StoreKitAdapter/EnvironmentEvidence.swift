internal import Foundation
internal import VitrineReceipts

/// Evidence on a device of the store environment of this copy of the app, found without a request to the App Store.
struct EnvironmentEvidence: Sendable {
    /// Environment that the app receipt names; `nil` if it names none.
    var named: StoreEnvironment?
    /// Environment to assume if neither the receipt nor an earlier app transaction names one.
    var assumed: StoreEnvironment
    /// `true` if the app transaction is requested at launch. StoreKit may then ask the customer to sign in, so that it
    /// is `false` in a released app.
    var asksStore: Bool

    /// Build of the app and the device that runs it.
    enum Build: Sendable {
        /// Build for the App Store or TestFlight.
        case release
        /// Debug build on a device, which buys in the sandbox or in Xcode's store.
        case debug
        /// Debug build in a simulator, which buys in Xcode's store. Simulators before iOS 18.4 ask for a sign-in when
        /// an app without a `.storekit` file requests its app transaction.
        case debugInSimulator
        /// Build for Linux, which buys in a simulated store.
        case simulatedStore
    }

    /// Reads the evidence on a device.
    ///
    /// - Parameters:
    ///   - receipt: File of the app receipt, which need not exist; `nil` if the system has none.
    ///   - isNameTelling: `true` if the system names the file `sandboxReceipt` in the sandbox, as iOS does. The name counts
    ///     where the content of the file cannot be verified. On a Mac, for apps of iOS too, the name is the same in all
    ///     environments.
    ///   - bundleIdentifier: Bundle identifier of the app.
    ///   - roots: Root certificates of receipts.
    init(
        of build: Build, receipt: URL?, isNameTelling: Bool, bundleIdentifier: String, roots: TrustedRoots = .apple
    ) async {
        switch build {
        case .release:
            let signed = await Self.environment(in: receipt, bundleIdentifier: bundleIdentifier, roots: roots)
            let named = isNameTelling ? receipt.flatMap(Self.environment(naming:)) : nil
            self.init(named: signed ?? named, assumed: .production, asksStore: false)
        case .debug: self.init(named: nil, assumed: .sandbox, asksStore: true)
        case .debugInSimulator: self.init(named: nil, assumed: .xcode, asksStore: false)
        case .simulatedStore: self.init(named: nil, assumed: .production, asksStore: true)
        }
    }

    init(named: StoreEnvironment?, assumed: StoreEnvironment, asksStore: Bool) {
        (self.named, self.assumed, self.asksStore) = (named, assumed, asksStore)
    }

    /// Returns the environment that the name of the receipt file tells. A file named `receipt` has to exist: the system
    /// gives this name also where there is no receipt.
    private static func environment(naming receipt: URL) -> StoreEnvironment? {
        if receipt.lastPathComponent == "sandboxReceipt" { return .sandbox }
        let exists = FileManager.default.fileExists(atPath: receipt.path(percentEncoded: false))
        return exists ? .production : nil
    }

    /// Returns the environment in a receipt whose signature, app and environment are verified.
    private static func environment(
        in receipt: URL?, bundleIdentifier: String, roots: TrustedRoots
    ) async -> StoreEnvironment? {
        guard let data = try? await StoreKitStore(receiptFile: receipt).appReceipt() else { return nil }
        for environment in [StoreEnvironment.production, .sandbox] {
            let verifier = AppReceiptVerifier(
                roots: roots, bundleIdentifier: bundleIdentifier, environment: environment, deviceIdentifier: nil)
            if case .verified = await verifier.verify(receipt: data) { return environment }
        }
        return nil
    }

    /// Reads the evidence on this device.
    static func ofThisCopy(bundleIdentifier: String) async -> EnvironmentEvidence {
        #if os(iOS) && !targetEnvironment(macCatalyst)
            let isNameTelling = !ProcessInfo.processInfo.isiOSAppOnMac
        #elseif os(tvOS) || os(visionOS)
            let isNameTelling = true
        #else
            let isNameTelling = false
        #endif
        return await EnvironmentEvidence(
            of: .current, receipt: StoreKitStore.mainReceiptFile, isNameTelling: isNameTelling,
            bundleIdentifier: bundleIdentifier)
    }
}

extension EnvironmentEvidence.Build {
    static var current: Self {
        #if !canImport(Darwin)
            .simulatedStore
        #elseif DEBUG && targetEnvironment(simulator)
            .debugInSimulator
        #elseif DEBUG
            .debug
        #else
            .release
        #endif
    }
}
