// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Vitrine", path: "..")],
    targets: [
        .systemLibrary(name: "CLibXML2Floor", pkgConfig: "libxml-2.0"),
        .target(name: "CSQLiteFloor", linkerSettings: [.linkedLibrary("sqlite3")]),
        .target(name: "CDiskSync"),
        .executableTarget(
            name: "CatalogBenchmark",
            dependencies: ["CLibXML2Floor", .product(name: "ProductCatalog", package: "Vitrine")]),
        .executableTarget(
            name: "LedgerBenchmark",
            dependencies: ["CSQLiteFloor", "CDiskSync", .product(name: "Vitrine", package: "Vitrine")]),
    ]
)
