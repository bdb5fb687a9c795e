// swift-tools-version: 6.2
import PackageDescription

/// A package whose catalog is checked at each build: see Documentation/Teams.md. Scripts/check-plugins builds it.
let package = Package(
    name: "Bookstall",
    platforms: [.macOS(.v14), .iOS("16.4")],
    dependencies: [.package(name: "Vitrine", path: "../../..")],
    targets: [
        .target(
            name: "Bookstall", resources: [.copy("Books.plist"), .copy("Settings.plist"), .copy("Maps")],
            plugins: [.plugin(name: "LintCatalogs", package: "Vitrine")])
    ]
)
