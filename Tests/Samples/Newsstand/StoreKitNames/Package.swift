// swift-tools-version: 6.2
import PackageDescription

/// Apple's module names for OpenStoreKit and OpenStoreKitTest, each a target of one line. An app's package renames them
/// (`moduleAliases`), so that no other target of its build sees a module StoreKit.
let package = Package(
    name: "StoreKitNames",
    platforms: [.macOS(.v14), .iOS("16.4")],
    products: [
        .library(name: "StoreKitName", targets: ["StoreKit"]),
        .library(name: "StoreKitTestName", targets: ["StoreKitTest"]),
    ],
    dependencies: [.package(name: "Vitrine", path: "../../../..")],
    targets: [
        .target(name: "StoreKit", dependencies: [.product(name: "OpenStoreKit", package: "Vitrine")]),
        .target(name: "StoreKitTest", dependencies: [.product(name: "OpenStoreKitTest", package: "Vitrine")]),
    ]
)
