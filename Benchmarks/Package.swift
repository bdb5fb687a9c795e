// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Vitrine", path: "..")],
    targets: [
        .systemLibrary(name: "CLibXML2Floor", pkgConfig: "libxml-2.0"),
        .executableTarget(
            name: "CatalogBenchmark",
            dependencies: ["CLibXML2Floor", .product(name: "ProductCatalog", package: "Vitrine")]),
    ]
)
