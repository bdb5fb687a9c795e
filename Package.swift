// swift-tools-version: 6.2
import PackageDescription

let applePlatforms: [Platform] = [.macOS, .macCatalyst, .iOS, .tvOS, .watchOS, .visionOS]

let package = Package(
    name: "Vitrine",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(
            name: "Vitrine",
            targets: [
                "Vitrine", "ProductCatalog", "CatalogLoading", "Entitlements", "HostedContent", "Networking",
                "Purchasing",
                "Receipts",
            ]),
        .library(name: "VitrineMigration", targets: ["VitrineMigration"]),
        .library(name: "ProductCatalog", targets: ["ProductCatalog"]),
        .library(name: "CatalogLoading", targets: ["CatalogLoading", "Networking"]),
        .library(name: "Receipts", targets: ["Receipts", "Networking"]),
        .library(name: "StoreSimulator", targets: ["StoreSimulator"]),
        .library(name: "StoreServer", targets: ["StoreServer"]),
        .library(name: "AppServer", targets: ["AppServer"]),
        .library(name: "OpenStoreKit", targets: ["OpenStoreKit", "StoreSimulator"]),
        .library(name: "OpenStoreKitTest", targets: ["OpenStoreKitTest"]),
        .library(name: "StoreKitShim", targets: ["StoreKitShim"]),
        .library(name: "StoreKitAdapter", targets: ["StoreKitAdapter"]),
        .executable(name: "vitrine", targets: ["VitrineTool"]),
        .executable(name: "vitrine-server", targets: ["ServerTool"]),
        .executable(name: "vitrine-catalogs", targets: ["CatalogTool"]),
        .plugin(name: "LintCatalogs", targets: ["LintCatalogs"]),
        .plugin(name: "LintCatalogsCommand", targets: ["LintCatalogsCommand"]),
    ],
    traits: [
        .trait(
            name: "PostgreSQL", description: "Keeps the customers of the app's own server in PostgreSQL, through libpq."
        )
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
        // Without the trait that would have it read its settings with swift-configuration.
        .package(
            url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: ["FullFoundation"]),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .systemLibrary(
            name: "CLibXML2",
            pkgConfig: "libxml-2.0",
            providers: [.apt(["libxml2-dev"]), .brew(["libxml2"])]
        ),
        .systemLibrary(
            name: "CLibArchive",
            pkgConfig: "libarchive",
            providers: [.apt(["libarchive-dev"]), .brew(["libarchive"])]
        ),
        .systemLibrary(name: "CLibPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        .systemLibrary(name: "CFileSystem"),
        .target(
            name: "FileSystem",
            dependencies: ["CFileSystem", .product(name: "SystemPackage", package: "swift-system")]
        ),
        .target(name: "PropertyList", dependencies: ["CLibXML2", "FileSystem"]),
        .target(name: "ProductCatalog", dependencies: ["FileSystem", "PropertyList"]),
        .target(
            name: "CatalogLoading",
            dependencies: [
                "ProductCatalog", "PropertyList", "Networking", "FileSystem",
                .product(name: "Crypto", package: "swift-crypto"),
            ]
        ),
        .target(
            name: "Networking",
            dependencies: [
                "FileSystem",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                // On Linux it would bring Foundation's networking, and with it 43 shared libraries to load at each start.
                .product(
                    name: "HTTPTypesFoundation", package: "swift-http-types",
                    condition: .when(platforms: applePlatforms)),
                .product(
                    name: "AsyncHTTPClient", package: "async-http-client", condition: .when(platforms: [.linux])),
                .product(name: "NIOCore", package: "swift-nio", condition: .when(platforms: [.linux])),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: .when(platforms: [.linux])),
                .product(name: "NIOPosix", package: "swift-nio", condition: .when(platforms: [.linux])),
                .product(
                    name: "NIOHTTPCompression", package: "swift-nio-extras", condition: .when(platforms: [.linux])),
                .product(name: "NIOSSL", package: "swift-nio-ssl", condition: .when(platforms: [.linux])),
            ]
        ),
        .target(
            name: "Receipts",
            dependencies: [
                "FileSystem", "Networking",
                .product(name: "X509", package: "swift-certificates"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            resources: [.embedInCode("Resources/AppleRootCA.cer"), .embedInCode("Resources/AppleRootCAG3.cer")]
        ),
        .target(
            name: "Entitlements",
            dependencies: [
                "ProductCatalog", .product(name: "HashTreeCollections", package: "swift-collections"),
            ]
        ),
        .target(
            name: "EntitlementsSQLite",
            dependencies: [
                "Entitlements", "FileSystem", .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ]
        ),
        .target(name: "Purchasing", dependencies: ["ProductCatalog", "Receipts", "Entitlements", "Networking"]),
        .target(
            name: "HostedContent",
            dependencies: [
                "CFileSystem", "CLibArchive", "CatalogLoading", "FileSystem", "Networking", "ProductCatalog",
                "PropertyList",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        .target(
            name: "Vitrine",
            dependencies: [
                "FileSystem",
                "ProductCatalog", "CatalogLoading", "PropertyList", "Receipts", "Entitlements", "EntitlementsSQLite",
                "Purchasing", "HostedContent", "Networking",
                .target(name: "StoreKitAdapter", condition: .when(platforms: applePlatforms)),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "OpenCombine", package: "OpenCombine", condition: .when(platforms: [.linux])),
            ],
            resources: [.copy("Resources/PrivacyInfo.xcprivacy")]
        ),
        .target(
            name: "VitrineMigration", dependencies: ["Vitrine", "ProductCatalog", "PropertyList", "FileSystem"]
        ),
        .target(
            name: "StoreSimulator",
            dependencies: [
                "FileSystem",
                "ProductCatalog", "Receipts", "Purchasing",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ]
        ),
        .target(
            name: "StoreServer",
            dependencies: [
                "FileSystem", "Receipts", "StoreSimulator",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]
        ),
        .target(
            name: "PreviewServer",
            dependencies: [
                "FileSystem", "ShopPreview", "StoreServer",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Mustache", package: "swift-mustache"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            resources: [
                .embedInCode("Resources/card.mustache"), .embedInCode("Resources/counter.mustache"),
                .embedInCode("Resources/fields.mustache"), .embedInCode("Resources/icon.svg"),
                .embedInCode("Resources/index.mustache"),
                .embedInCode("Resources/notice.mustache"), .embedInCode("Resources/page.js"),
                .embedInCode("Resources/page.mustache"), .embedInCode("Resources/parts.mustache"),
                .embedInCode("Resources/reasons.mustache"),
                .embedInCode("Resources/scene.mustache"), .embedInCode("Resources/shop.mustache"),
                .embedInCode("Resources/style.css"), .embedInCode("Resources/timeline.mustache"),
                .embedInCode("Resources/toolbar.mustache"),
            ]
        ),
        .target(
            name: "Customers",
            dependencies: [
                "CatalogLoading", "Descriptions", "Entitlements", "FileSystem", "ProductCatalog", "PropertyList",
                "Purchasing", "Receipts", "Vitrine",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ]
        ),
        .target(
            name: "CustomersPostgreSQL",
            dependencies: [
                "Customers", "FileSystem", .target(name: "CLibPQ", condition: .when(traits: ["PostgreSQL"])),
            ]
        ),
        .target(
            name: "AppServer",
            dependencies: [
                "CatalogLoading", "Customers", "CustomersPostgreSQL", "FileSystem", "HostedContent", "ProductCatalog",
                "PropertyList", "Receipts", "StoreServer",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            resources: [
                .embedInCode("Resources/operator.css"), .embedInCode("Resources/operator.html"),
                .embedInCode("Resources/operator.js"),
            ]
        ),
        .target(
            name: "OpenStoreKit",
            dependencies: [
                "FileSystem", "ProductCatalog", "Purchasing", "Receipts", "StoreSimulator",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "OpenCombine", package: "OpenCombine", condition: .when(platforms: [.linux])),
            ]
        ),
        .target(
            name: "OpenStoreKitTest",
            dependencies: ["FileSystem", "OpenStoreKit", "ProductCatalog", "Purchasing", "Receipts", "StoreSimulator"]
        ),
        .target(
            name: "StoreKitShim", dependencies: [.target(name: "OpenStoreKit", condition: .when(platforms: [.linux]))]),
        .target(
            name: "StoreKitAdapter",
            dependencies: ["FileSystem", "ProductCatalog", "Purchasing", "Receipts", "StoreKitShim"]
        ),
        .target(
            name: "Descriptions",
            dependencies: [
                "CatalogLoading", "Entitlements", "HostedContent", "ProductCatalog", "Purchasing", "Receipts",
                "Vitrine",
            ]
        ),
        .target(
            name: "ShopPreview",
            dependencies: [
                "Descriptions", "Entitlements", "FileSystem", "HostedContent", "ProductCatalog", "PropertyList",
                "Purchasing", "Receipts", "StoreSimulator", "Vitrine",
            ]
        ),
        .target(
            name: "CatalogCommands",
            dependencies: [
                "FileSystem", "ProductCatalog", "PropertyList",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),
        .executableTarget(
            name: "CatalogTool",
            dependencies: [
                "CatalogCommands", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),
        .plugin(name: "LintCatalogs", capability: .buildTool(), dependencies: ["CatalogTool"]),
        .plugin(
            name: "LintCatalogsCommand",
            capability: .command(
                intent: .custom(verb: "lint-catalogs", description: "Check the product catalogs of a package.")),
            dependencies: ["CatalogTool"]
        ),
        .executableTarget(
            name: "VitrineTool",
            dependencies: [
                "CatalogCommands", "Descriptions", "FileSystem", "ProductCatalog", "CatalogLoading", "PropertyList",
                "Entitlements", "EntitlementsSQLite",
                "HostedContent", "Networking", "Purchasing",
                "Receipts", "StoreSimulator", "Vitrine",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),
        .executableTarget(
            name: "ServerTool",
            dependencies: [
                "AppServer", "CatalogCommands", "FileSystem", "PreviewServer", "ShopPreview", "StoreServer",
                "StoreSimulator",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ]
        ),
        .target(
            name: "TestSupport",
            dependencies: [
                "Networking", "ProductCatalog", "CatalogLoading", "PropertyList", "Receipts", "Entitlements",
                "Purchasing", "StoreSimulator",
                .target(name: "OpenStoreKit", condition: .when(platforms: [.linux])),
                .target(name: "StoreKitAdapter", condition: .when(platforms: [.linux])),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            path: "Tests/TestSupport"
        ),
        .executableTarget(
            name: "ContentHelper", dependencies: ["HostedContent", "CatalogLoading", "ProductCatalog"],
            path: "Tests/ContentHelper"
        ),
        .executableTarget(
            name: "AdapterHelper",
            dependencies: [
                "Purchasing", "Receipts", .target(name: "StoreKitAdapter", condition: .when(platforms: [.linux])),
                "StoreSimulator", "TestSupport", "Vitrine",
            ],
            path: "Tests/AdapterHelper"
        ),
        .executableTarget(
            name: "StoreKitCrowd", dependencies: ["OpenStoreKitTest"], path: "Tests/StoreKitCrowd"
        ),
        .testTarget(name: "FileSystemTests", dependencies: ["FileSystem", "TestSupport"]),
        .testTarget(
            name: "NetworkingTests",
            dependencies: [
                "Networking", "TestSupport", .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        .testTarget(name: "PropertyListTests", dependencies: ["PropertyList", "TestSupport"]),
        .testTarget(name: "ProductCatalogTests", dependencies: ["ProductCatalog", "PropertyList", "TestSupport"]),
        .testTarget(
            name: "CatalogLoadingTests",
            dependencies: [
                "CatalogLoading", "ProductCatalog", "PropertyList", "Networking", "TestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
            ]
        ),
        .testTarget(
            name: "ReceiptsTests",
            dependencies: [
                "Receipts", "Networking", "StoreSimulator", "TestSupport",
                .product(name: "X509", package: "swift-certificates"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ]
        ),
        .testTarget(name: "EntitlementsTests", dependencies: ["Entitlements", "ProductCatalog", "TestSupport"]),
        .testTarget(
            name: "EntitlementsSQLiteTests",
            dependencies: [
                "EntitlementsSQLite", "Entitlements", "ProductCatalog", "TestSupport",
                .product(name: "GRDB", package: "GRDB.swift"),
            ]
        ),
        .testTarget(
            name: "PurchasingTests",
            dependencies: [
                "Purchasing", "ProductCatalog", "Receipts", "Networking", "Entitlements", "EntitlementsSQLite",
                "StoreSimulator", "TestSupport",
            ]
        ),
        .testTarget(
            name: "HostedContentTests",
            dependencies: [
                "HostedContent", "ProductCatalog", "CatalogLoading", "PropertyList", "Networking", "CFileSystem",
                "CLibArchive", "TestSupport", .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]
        ),
        .testTarget(
            name: "StoreSimulatorTests",
            dependencies: [
                "StoreSimulator", "Purchasing", "ProductCatalog", "Receipts", "TestSupport",
                .product(name: "GRDB", package: "GRDB.swift"),
            ]
        ),
        .testTarget(
            name: "CustomersTests",
            dependencies: [
                "Customers", "CustomersPostgreSQL", "Entitlements", "FileSystem", "ProductCatalog", "Purchasing",
                "Receipts", "StoreSimulator", "TestSupport", "Vitrine",
                .product(name: "Crypto", package: "swift-crypto"),
            ]
        ),
        .testTarget(
            name: "AppServerTests",
            dependencies: [
                "AppServer", "CatalogLoading", "Customers", "CustomersPostgreSQL", "Entitlements", "FileSystem",
                "HostedContent", "Networking", "ProductCatalog", "Purchasing", "PropertyList", "Receipts", "ServerTool",
                "StoreServer", "StoreSimulator", "TestSupport", "Vitrine",
                "VitrineTool",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]
        ),
        .testTarget(name: "ShopPreviewTests", dependencies: ["ShopPreview", "TestSupport"]),
        .testTarget(
            name: "PreviewServerTests",
            dependencies: [
                "PreviewServer", "ServerTool", "ShopPreview", "TestSupport",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]
        ),
        .testTarget(
            name: "StoreServerTests",
            dependencies: [
                "ServerTool", "StoreServer", "StoreSimulator", "Entitlements", "EntitlementsSQLite", "Networking",
                "ProductCatalog", "Purchasing", "Receipts", "TestSupport", "VitrineTool",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]
        ),
        .testTarget(
            name: "OpenStoreKitTests",
            dependencies: [
                "OpenStoreKit", "OpenStoreKitTest", "ProductCatalog", "Receipts", "StoreKitCrowd", "StoreKitShim",
                "StoreSimulator",
                "TestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            exclude: ["surface.tsv"],
            resources: [.copy("Kiosk.storekit")]
        ),
        .testTarget(
            name: "StoreKitAdapterTests",
            dependencies: [
                .target(name: "OpenStoreKit", condition: .when(platforms: [.linux])), "ProductCatalog", "Purchasing",
                "Receipts", .target(name: "StoreKitAdapter", condition: .when(platforms: [.linux])),
                "StoreSimulator",
                "TestSupport", "Vitrine",
            ]
        ),
        .testTarget(
            name: "VitrineMigrationTests",
            dependencies: ["VitrineMigration", "Vitrine", "ProductCatalog", "PropertyList", "TestSupport"]
        ),
        .testTarget(
            name: "VitrineTests",
            dependencies: [
                "Vitrine", "VitrineMigration", "ProductCatalog", "CatalogLoading", "PropertyList", "Receipts",
                "Networking", "Entitlements",
                "EntitlementsSQLite", "HostedContent", "Purchasing", "StoreSimulator", "TestSupport",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "OpenCombine", package: "OpenCombine", condition: .when(platforms: [.linux])),
                .product(name: "X509", package: "swift-certificates"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "Crypto", package: "swift-crypto"),
            ]
        ),
        .testTarget(
            name: "VitrineToolTests",
            dependencies: [
                "AdapterHelper", "CatalogTool", "ContentHelper", "ServerTool", "VitrineTool", "TestSupport",
                "HostedContent",
                "ProductCatalog", "PropertyList",
                "CatalogLoading",
                "Receipts",
                "StoreSimulator",
                "Purchasing",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ]
        ),
    ]
)

let upcomingFeatures = [
    "ExistentialAny", "ImmutableWeakCaptures", "InferIsolatedConformances", "InternalImportsByDefault",
    "MemberImportVisibility", "NonisolatedNonsendingByDefault",
]

for target in package.targets where target.type != .system && target.type != .plugin {
    target.swiftSettings =
        upcomingFeatures.map { .enableUpcomingFeature($0) } + [.treatAllWarnings(as: .error)]
    // Fuzz/run has the targets of this package alone report to libFuzzer what they have executed.
    if Context.environment["VITRINE_FUZZING"] != nil {
        target.swiftSettings?.append(.unsafeFlags(["-sanitize=fuzzer"]))
    }
}
