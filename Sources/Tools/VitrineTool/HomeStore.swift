import ArgumentParser
import Foundation
import Vitrine
import VitrineCommandSupport
import VitrineStoreSimulator

/// Store of another storage directory that this one has joined, as one device of one customer.
struct JoinedStore: Codable {
    /// Absolute path of the store's folder.
    let folder: String
    var customer: String
    let device: String

    /// Text with the device, its customer and the store, for messages.
    var description: String { "device \(device) of the customer \(customer) in the store \(folder)" }

    /// Opens the joined store.
    ///
    /// - Parameter mayAdd: `true` to add the customer or device if it is missing in the store.
    func open(
        mayAdd: Bool = false, storefront: String? = nil, language: String? = nil
    ) throws(SimulatedStoreError) -> SimulatedStore {
        try SimulatedStore(
            folder: URL(filePath: folder, directoryHint: .isDirectory), customer: customer, device: device,
            mayAdd: mayAdd, storefront: storefront, language: language)
    }
}

extension Home {
    /// `true` if the storage directory has its own store, even if it cannot be read.
    var hasOwnStore: Bool { FileManager.default.fileExists(atPath: store.path(percentEncoded: false)) }

    /// Returns the folder of the simulated store: the storage directory's own store, or the joined one.
    func storeFolder() throws -> URL {
        guard !hasOwnStore, let joined = try HomeSettings.read(from: self)?.store else { return store }
        return URL(filePath: joined.folder, directoryHint: .isDirectory)
    }

    /// Opens the simulated store: the storage directory's own store, or the joined one.
    ///
    /// - Throws: `SimulatedStoreError` if there is no store, or it cannot be opened; ``ToolFailure`` if the settings
    ///   cannot be read.
    func openStore(storefront: String? = nil, language: String? = nil) throws -> SimulatedStore {
        if !hasOwnStore, let joined = try HomeSettings.read(from: self)?.store {
            return try joined.open(storefront: storefront, language: language)
        }
        // The store can be used even if the settings are damaged.
        let customer = (try? HomeSettings.read(from: self))??.customer
        return try SimulatedStore(folder: store, customer: customer, storefront: storefront, language: language)
    }
}

extension HomeSettings {
    /// Sets the customer of the store whose App Store account is signed in on the device of the storage directory.
    mutating func signIn(_ name: String) {
        if store != nil { store?.customer = name } else { customer = name }
    }
}

/// Options of `vitrine init` for joining the store of another storage directory.
struct JoinOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            The folder Store of another home. This home then uses the simulated store of that home instead of one of \
            its own, as a device of its own: --customer and --device name them.
            """,
            valueName: "folder"), completion: .directory)
    var join: String?

    @Option(
        help: ArgumentHelp(
            "The name of the home's customer in the joined store, who is added if the store does not have them.",
            valueName: "name"))
    var customer: String?

    @Option(
        help: ArgumentHelp(
            "The name of the home among the devices of its customer. Each home needs a name of its own.",
            valueName: "name"))
    var device: String?

    func validate() throws {
        let given = [join, customer, device]
        guard given.allSatisfy({ $0 == nil }) || given.allSatisfy({ $0?.isEmpty == false }) else {
            throw ValidationError("--join, --customer and --device have to be given together, and must not be empty.")
        }
    }

    /// Returns the joined store according to the options. The store is not changed yet.
    ///
    /// - Parameters:
    ///   - before: Store that was joined before.
    ///   - home: Storage directory, which must not have its own store.
    /// - Returns: `nil` if no store is joined, now or before.
    func store(after before: JoinedStore?, in home: Home) throws -> JoinedStore? {
        guard let join, let customer, let device else { return before }
        guard !home.hasOwnStore else {
            throw ToolFailure(
                status: .usage,
                reason: "the home \(home.url.relativePath) has a store of its own, and cannot join another with --join")
        }
        if let before, before.customer != customer || before.device != device {
            throw ToolFailure(
                status: .usage,
                reason:
                    "the ledger of the home belongs to the \(before.description): --customer and --device cannot be changed"
            )
        }
        let folder = URL(filePath: join, directoryHint: .isDirectory)
        _ = try SimulatedStore(folder: folder)
        return JoinedStore(
            folder: folder.standardizedFileURL.path(percentEncoded: false), customer: customer, device: device)
    }
}
