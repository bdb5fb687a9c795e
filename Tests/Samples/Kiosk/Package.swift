// swift-tools-version: 6.2
import PackageDescription

/// An app with an unchanged `import StoreKit`, built off Apple's platforms with the compiler's module alias, which only a root package,
/// or one given by its path, may use: see Documentation/StoreKitOnLinux.md.
let package = Package(
    name: "Kiosk",
    platforms: [.macOS(.v14), .iOS("16.4")],
    dependencies: [.package(name: "Vitrine", path: "../../..")],
    targets: [
        .target(
            name: "Kiosk",
            dependencies: [
                .product(name: "OpenStoreKit", package: "Vitrine", condition: .when(platforms: [.linux]))
            ],
            swiftSettings: [
                .unsafeFlags(["-module-alias", "StoreKit=OpenStoreKit"], .when(platforms: [.linux]))
            ]
        ),
        .testTarget(
            name: "KioskTests",
            dependencies: [
                "Kiosk",
                .product(name: "OpenStoreKitTest", package: "Vitrine", condition: .when(platforms: [.linux])),
            ],
            resources: [.copy("Kiosk.storekit")],
            swiftSettings: [
                .unsafeFlags(
                    [
                        "-module-alias", "StoreKit=OpenStoreKit", "-module-alias", "StoreKitTest=OpenStoreKitTest",
                    ], .when(platforms: [.linux]))
            ]
        ),
    ]
)

// Clients of StoreKit as other people wrote them, which lie beside the project for its developers. Scripts/check-clients
// copies them here; their files are not part of the project.
if Context.environment["STOREKIT_CLIENTS"] != nil {
    let alias: [SwiftSetting] = [
        .unsafeFlags(
            ["-module-alias", "StoreKit=OpenStoreKit", "-module-alias", "StoreKitTest=OpenStoreKitTest"],
            .when(platforms: [.linux]))
    ]
    let storeKit = Target.Dependency.product(
        name: "OpenStoreKit", package: "Vitrine", condition: .when(platforms: [.linux]))
    let storeKitTest = Target.Dependency.product(
        name: "OpenStoreKitTest", package: "Vitrine", condition: .when(platforms: [.linux]))
    package.targets = [
        // Stands in for Apple's module of this name.
        .target(name: "OSLog", path: "OSLog"),
        .target(
            name: "StoreKitPlus", dependencies: [storeKit], path: "Clients/StoreKitPlus/Sources/StoreKitPlus",
            // SwiftUI
            exclude: ["StoreKitPlus.docc", "Products/ProductUsp.swift", "Products/ProductUsp+Label.swift"],
            swiftSettings: alias),
        .testTarget(
            name: "StoreKitPlusTests", dependencies: ["StoreKitPlus", storeKit],
            path: "Clients/StoreKitPlus/Tests/StoreKitPlusTests", swiftSettings: alias),
        .target(
            name: "StoreTransactionKit", dependencies: [storeKit, "OSLog"],
            path: "Clients/StoreTransactionKit/Sources/StoreTransactionKit", exclude: ["StoreTransactionKit.docc"],
            swiftSettings: alias),
        .target(
            name: "StoreTransactionKitTesting", dependencies: ["StoreTransactionKit", storeKit],
            path: "Clients/StoreTransactionKit/Sources/StoreTransactionKitTesting", swiftSettings: alias),
        .testTarget(
            name: "StoreTransactionKitTests", dependencies: ["StoreTransactionKit", storeKit],
            path: "Clients/StoreTransactionKit/Tests/StoreTransactionKitTests", swiftSettings: alias),
        .testTarget(
            name: "StoreTransactionKitTestingTests", dependencies: ["StoreTransactionKitTesting", storeKit],
            path: "Clients/StoreTransactionKit/Tests/StoreTransactionKitTestingTests", swiftSettings: alias),
        .testTarget(
            name: "StoreTransactionKitIntegrationTests", dependencies: ["StoreTransactionKit", storeKit, storeKitTest],
            path: "Clients/StoreTransactionKit/Tools/TestApp/StoreTransactionKitIntegrationTests",
            swiftSettings: alias),
    ]
}
