import Foundation
import Vitrine
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

#if os(Linux)
    import VitrineStoreKitAdapter
#endif

/// Performs the commands `buy`, `restore` and `load` of the tool in a home with the sample catalog, with the StoreKit
/// adapter between the manager and the simulated store. A test can kill its process.
@main
struct AdapterHelper {
    /// Exits with status 64 for invalid arguments, and with 74 after a failure.
    static func main() async throws {
        #if os(Linux)
            let arguments = Array(CommandLine.arguments.dropFirst())
            let home = Home(url: URL(filePath: ".vitrine"))
            let simulated = try SimulatedStore(folder: home.store)
            let store = try AdaptedStore(simulated)
            let clock = simulated.clock
            var options = ManagerOptions()
            options.clock = ManagerOptions.Clock(
                now: { clock.now }, sleepUntil: { try await clock.sleep(until: $0) })
            options.loading.schedule = .never
            options.content.resumesDownloads = false
            options.images.areFetched = false
            let manager = try await CatalogManager(
                catalog: .file(Repository.sample("Voyager.plist")), store: store,
                verifier: SignedDataVerifier(
                    roots: TrustedRoots(pem: simulated.rootCertificate), bundleIdentifier: simulated.bundleIdentifier,
                    environment: .sandbox, now: { clock.now }),
                home: home, content: PackageFolder(url: Repository.samplePackages), options: options)
            let isLoaded = await manager.loadProducts() == .productsLoaded
            let isDone = try await run(arguments, manager)
            await manager.contentSettled()
            let isDelivered = await manager.purchases.pending().isEmpty
            await manager.stop()
            exit(isLoaded && isDone && isDelivered ? 0 : 74)
        #endif
    }

    private static func run(_ arguments: [String], _ manager: CatalogManager) async throws -> Bool {
        switch arguments.first {
        case "load": return true
        case "restore": return try await manager.restore().failed.isEmpty
        case "buy":
            let quantity = arguments.count == 4 ? Int(arguments[3]) ?? 1 : 1
            let answer = await manager.purchase(arguments[1], options: PurchaseOptions(quantity: quantity))
            if case .success = answer { return true }
            print(answer)
            return false
        default: exit(64)
        }
    }
}
