// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "Vitrine", path: ".."),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(
            url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: ["FullFoundation"]),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    ],
    targets: [
        .systemLibrary(name: "CLibXML2Floor", pkgConfig: "libxml-2.0"),
        .target(name: "CSQLiteFloor", linkerSettings: [.linkedLibrary("sqlite3")]),
        .target(name: "CDiskSync"),
        .target(name: "CCMSFloor", linkerSettings: [.linkedLibrary("crypto")]),
        .target(name: "Measuring"),
        .target(
            name: "SimulatedShop",
            dependencies: [
                .product(name: "VitrineStoreSimulator", package: "Vitrine"),
                .product(name: "Vitrine", package: "Vitrine"),
            ]),
        .executableTarget(
            name: "CatalogBenchmark",
            dependencies: ["CLibXML2Floor", "Measuring", .product(name: "VitrineCatalog", package: "Vitrine")]),
        .executableTarget(
            name: "LedgerBenchmark",
            dependencies: [
                "CSQLiteFloor", "CDiskSync", "Measuring", "SimulatedShop",
                .product(name: "Vitrine", package: "Vitrine"),
            ]),
        .executableTarget(
            name: "SignatureBenchmark",
            dependencies: [
                "CCMSFloor", "Measuring", .product(name: "VitrineReceipts", package: "Vitrine"),
                .product(name: "VitrineStoreSimulator", package: "Vitrine"),
                .product(name: "Vitrine", package: "Vitrine"),
                .product(name: "X509", package: "swift-certificates"),
                .product(name: "Crypto", package: "swift-crypto"),
            ]),
        .executableTarget(
            name: "StoreBenchmark",
            dependencies: [
                "CSQLiteFloor", "Measuring", .product(name: "VitrineStoreSimulator", package: "Vitrine"),
                .product(name: "Vitrine", package: "Vitrine"), .product(name: "Crypto", package: "swift-crypto"),
            ]),
        .executableTarget(
            name: "StoreKitBenchmark",
            dependencies: [
                "Measuring", "SimulatedShop", .product(name: "OpenStoreKit", package: "Vitrine"),
                .product(name: "VitrineStoreKitAdapter", package: "Vitrine"),
            ]),
        .executableTarget(
            name: "ServerBenchmark",
            dependencies: [
                "Measuring", .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"), .product(name: "VitrineReceipts", package: "Vitrine"),
                .product(name: "VitrineAppStoreEmulator", package: "Vitrine"),
                .product(name: "VitrineStoreSimulator", package: "Vitrine"),
            ]),
        .executableTarget(
            name: "ListingBenchmark",
            dependencies: ["Measuring", "SimulatedShop", .product(name: "Vitrine", package: "Vitrine")]),
        .executableTarget(
            name: "EventBenchmark",
            dependencies: ["Measuring", "SimulatedShop", .product(name: "Vitrine", package: "Vitrine")]),
    ]
)
