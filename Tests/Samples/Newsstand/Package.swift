// swift-tools-version: 6.2
import PackageDescription

/// A package with an unchanged `import StoreKit`, built off Apple's platforms with SwiftPM's module alias, which a package with a
/// version may use too: see Documentation/StoreKitOnLinux.md. The alias reaches all targets of the package.
let package = Package(
    name: "Newsstand",
    platforms: [.macOS(.v14), .iOS("16.4")],
    dependencies: [.package(path: "StoreKitNames")],
    targets: [
        .target(
            name: "Newsstand",
            dependencies: [
                .product(
                    name: "StoreKitName", package: "StoreKitNames", moduleAliases: ["StoreKit": "NamedStoreKit"],
                    condition: .when(platforms: [.linux]))
            ]
        ),
        .testTarget(
            name: "NewsstandTests",
            dependencies: [
                "Newsstand",
                .product(
                    name: "StoreKitTestName", package: "StoreKitNames",
                    moduleAliases: ["StoreKitTest": "NamedStoreKitTest"], condition: .when(platforms: [.linux])),
            ],
            resources: [.copy("Newsstand.storekit")]
        ),
    ]
)
