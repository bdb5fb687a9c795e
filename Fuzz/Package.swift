// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Fuzz",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "Vitrine", path: ".."),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    ],
    targets: [
        .target(name: "CFuzzer"),
        .target(
            name: "FuzzSupport",
            dependencies: [
                "CFuzzer", .product(name: "VitrineCatalog", package: "Vitrine"),
                .product(name: "Vitrine", package: "Vitrine"),
                .product(name: "VitrineAppServer", package: "Vitrine"),
                .product(name: "VitrineReceipts", package: "Vitrine"),
                .product(name: "Crypto", package: "swift-crypto"),
            ]
        ),
        .executableTarget(name: "FuzzXML", dependencies: ["FuzzSupport"]),
        .executableTarget(name: "FuzzBinary", dependencies: ["FuzzSupport"]),
        .executableTarget(name: "FuzzCatalog", dependencies: ["FuzzSupport"]),
        .executableTarget(name: "FuzzReceipt", dependencies: ["FuzzSupport"]),
        .executableTarget(name: "FuzzJWS", dependencies: ["FuzzSupport"]),
        .executableTarget(name: "FuzzSignature", dependencies: ["FuzzSupport"]),
        .executableTarget(name: "FuzzArchive", dependencies: ["FuzzSupport"]),
        .executableTarget(name: "FuzzManifest", dependencies: ["FuzzSupport"]),
        .executableTarget(name: "FuzzFacts", dependencies: ["FuzzSupport"]),
    ]
)

let upcomingFeatures = [
    "ExistentialAny", "ImmutableWeakCaptures", "InferIsolatedConformances", "InternalImportsByDefault",
    "MemberImportVisibility", "NonisolatedNonsendingByDefault",
]

for target in package.targets where target.name != "CFuzzer" {
    target.swiftSettings =
        upcomingFeatures.map { .enableUpcomingFeature($0) }
        + [.treatAllWarnings(as: .error), .unsafeFlags(["-sanitize=fuzzer"])]
    if target.type == .executable { target.linkerSettings = [.unsafeFlags(["-sanitize=fuzzer", "-use-ld=lld"])] }
}
