// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Vitrine", path: "..")],
    targets: [
        .executableTarget(
            name: "CatalogBenchmark", dependencies: [.product(name: "ProductCatalog", package: "Vitrine")])
    ]
)
