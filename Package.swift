// swift-tools-version: 6.2
import PackageDescription

// Documentation/Design.md explains the layers, the traits and what an app resolves; Scripts/check-targets guards the graph.

let applePlatforms: [Platform] = [.macOS, .macCatalyst, .iOS, .tvOS, .visionOS]

// MARK: Libraries of other packages

/// A library that every app has.
func library(_ name: String, _ package: String) -> Target.Dependency { .product(name: name, package: package) }

/// A library that an app does not resolve: it belongs to a trait.
func library(_ name: String, _ package: String, in trait: String) -> Target.Dependency {
    .product(name: name, package: package, condition: .when(traits: [trait]))
}

/// A library that an app has on Linux, where the trait `Linux` brings it.
func libraryOnLinux(_ name: String, _ package: String) -> Target.Dependency {
    .product(name: name, package: package, condition: .when(platforms: [.linux], traits: ["Linux"]))
}

let asn1 = library("SwiftASN1", "swift-asn1")
let crypto = library("Crypto", "swift-crypto")
let cryptoExtras = library("CryptoExtras", "swift-crypto")
let deques = library("DequeModule", "swift-collections")
let grdb = library("GRDB", "GRDB.swift")
let hashTrees = library("HashTreeCollections", "swift-collections")
let httpTypes = library("HTTPTypes", "swift-http-types")
let logging = library("Logging", "swift-log")
let sqlite = library("GRDBSQLite", "GRDB.swift")
let system = library("SystemPackage", "swift-system")
let x509 = library("X509", "swift-certificates")

let openCombine = libraryOnLinux("OpenCombine", "OpenCombine")

let argumentParser = library("ArgumentParser", "swift-argument-parser", in: "Lint")

let asyncHTTPClient = library("AsyncHTTPClient", "async-http-client", in: "Servers")
let hummingbird = library("Hummingbird", "hummingbird", in: "Servers")
let hummingbirdCore = library("HummingbirdCore", "hummingbird", in: "Servers")
let metrics = library("Metrics", "swift-metrics", in: "Servers")
let mustache = library("Mustache", "swift-mustache", in: "Servers")
let nioCore = library("NIOCore", "swift-nio", in: "Servers")
let nioEmbedded = library("NIOEmbedded", "swift-nio", in: "Servers")
let nioHTTP1 = library("NIOHTTP1", "swift-nio", in: "Servers")
let nioPosix = library("NIOPosix", "swift-nio", in: "Servers")
let nioSSL = library("NIOSSL", "swift-nio-ssl", in: "Servers")
let serviceLifecycle = library("ServiceLifecycle", "swift-service-lifecycle", in: "Servers")
let unixSignals = library("UnixSignals", "swift-service-lifecycle", in: "Servers")

// MARK: Targets

/// A module of the system's library. Apple's SDKs have those that an app needs; where a Mac has others from Homebrew, they are
/// for macOS alone, and must not reach the flags of a build for iOS.
func systemLibrary(_ name: String, _ folder: String, pkgConfig: String? = nil, apt: String? = nil) -> Target {
    #if os(Linux)
        .systemLibrary(
            name: name, path: "Sources/\(folder)", pkgConfig: pkgConfig, providers: apt.map { [.apt([$0])] })
    #else
        .systemLibrary(name: name, path: "Sources/\(folder)")
    #endif
}

/// A module in the folder of its layer.
func module(
    _ name: String, _ folder: String, _ dependencies: [Target.Dependency], resources: [Resource]? = nil
) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/\(folder)", resources: resources)
}

/// A program in the folder of its layer.
func program(_ name: String, _ folder: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, path: "Sources/\(folder)")
}

/// The tests of a module, in the folder of its layer.
func tests(
    _ name: String, _ folder: String, _ dependencies: [Target.Dependency], exclude: [String] = [],
    resources: [Resource]? = nil
) -> Target {
    .testTarget(
        name: name, dependencies: dependencies + ["VitrineTestSupport"], path: "Tests/\(folder)", exclude: exclude,
        resources: resources)
}

/// Values and rules that apps, servers and tools share.
let core: [Target] = [
    systemLibrary("CVitrineSystem", "Core/CSystem"),
    systemLibrary("CVitrineXML2", "Core/CXML2", pkgConfig: "libxml-2.0", apt: "libxml2-dev"),
    module("VitrineSupport", "Core/Support", []),
    module("VitrineFileSystem", "Core/FileSystem", ["CVitrineSystem", "VitrineSupport", system]),
    module("VitrinePropertyList", "Core/PropertyList", ["CVitrineXML2", "VitrineFileSystem", "VitrineSupport"]),
    module("VitrineCatalog", "Core/Catalog", ["VitrineFileSystem", "VitrinePropertyList", "VitrineSupport"]),
    module(
        "VitrineNetworking", "Core/Networking",
        [
            "VitrineFileSystem", "VitrineSupport", httpTypes,
            // On Linux it would bring Foundation's networking, and with it 43 shared libraries to load at each start.
            .product(
                name: "HTTPTypesFoundation", package: "swift-http-types", condition: .when(platforms: applePlatforms)),
            libraryOnLinux("AsyncHTTPClient", "async-http-client"), libraryOnLinux("NIOCore", "swift-nio"),
            libraryOnLinux("NIOHTTP1", "swift-nio"), libraryOnLinux("NIOPosix", "swift-nio"),
            libraryOnLinux("NIOHTTPCompression", "swift-nio-extras"), libraryOnLinux("NIOSSL", "swift-nio-ssl"),
        ]),
    module(
        "VitrineCatalogLoading", "Core/CatalogLoading",
        [
            "VitrineCatalog", "VitrineFileSystem", "VitrineNetworking", "VitrinePropertyList", "VitrineSupport",
            crypto,
        ]),
    module("VitrineAppServerAPI", "Core/AppServerAPI", ["VitrineSupport", httpTypes]),
    module(
        "VitrineReceipts", "Core/Receipts",
        [
            "VitrineAppServerAPI", "VitrineFileSystem", "VitrineNetworking", "VitrineSupport", asn1, crypto,
            cryptoExtras, httpTypes, x509,
        ]),
    module("VitrineEntitlements", "Core/Entitlements", ["VitrineCatalog", "VitrineSupport", hashTrees]),
    module(
        "VitrinePurchasing", "Core/Purchasing",
        ["VitrineCatalog", "VitrineEntitlements", "VitrineNetworking", "VitrineReceipts", "VitrineSupport"]),
    module(
        "VitrineDeviceExchange", "Core/DeviceExchange",
        ["VitrineEntitlements", "VitrineFileSystem", "VitrineSupport", crypto]),
]

/// What an app has.
let app: [Target] = [
    systemLibrary("CVitrineZlib", "App/CZlib", pkgConfig: "zlib", apt: "zlib1g-dev"),
    module(
        "VitrineEntitlementsSQLite", "App/EntitlementsSQLite",
        ["VitrineCatalog", "VitrineEntitlements", "VitrineFileSystem", "VitrineSupport", grdb, sqlite]),
    module(
        "VitrineHostedContent", "App/HostedContent",
        [
            "CVitrineSystem", "CVitrineZlib", "VitrineCatalog", "VitrineCatalogLoading", "VitrineFileSystem",
            "VitrineNetworking", "VitrinePropertyList", "VitrineSupport", crypto, httpTypes,
        ]),
    module(
        "VitrineStoreKitAdapter", "App/StoreKitAdapter",
        ["OpenStoreKitShim", "VitrineCatalog", "VitrinePurchasing", "VitrineReceipts", "VitrineSupport"]),
    module(
        "Vitrine", "App/Vitrine",
        [
            "VitrineAppServerAPI", "VitrineCatalog", "VitrineCatalogLoading", "VitrineDeviceExchange",
            "VitrineEntitlements", "VitrineEntitlementsSQLite", "VitrineFileSystem", "VitrineHostedContent",
            "VitrineNetworking", "VitrinePropertyList", "VitrinePurchasing", "VitrineReceipts", "VitrineSupport",
            .target(name: "VitrineStoreKitAdapter", condition: .when(platforms: applePlatforms)),
            crypto, deques, httpTypes, logging, openCombine,
        ],
        resources: [.copy("Resources/PrivacyInfo.xcprivacy")]),
    module(
        "VitrineMigration", "App/Migration",
        ["Vitrine", "VitrineCatalog", "VitrineFileSystem", "VitrinePropertyList", "VitrineSupport"]),
    module(
        "VitrineShopContent", "App/ShopContent",
        [
            "Vitrine", "VitrineCatalog", "VitrineEntitlements", "VitrineHostedContent", "VitrinePurchasing",
            "VitrineSupport",
        ]),
    module(
        "VitrineUI", "App/VitrineUI",
        ["Vitrine", "VitrineHostedContent", "VitrinePurchasing", "VitrineShopContent", "VitrineSupport"]),
]

/// The App Store, simulated, for the tests of apps and servers.
let simulator: [Target] = [
    module(
        "VitrineStoreSimulator", "Simulator/StoreSimulator",
        [
            "VitrineCatalog", "VitrineFileSystem", "VitrinePurchasing", "VitrineReceipts", "VitrineSupport", crypto,
            grdb, sqlite,
        ]),
    module(
        "OpenStoreKit", "Simulator/OpenStoreKit",
        [
            "VitrineCatalog", "VitrinePurchasing", "VitrineReceipts", "VitrineStoreSimulator", "VitrineSupport",
            crypto, openCombine,
        ]),
    module(
        "OpenStoreKitTest", "Simulator/OpenStoreKitTest",
        [
            "OpenStoreKit", "VitrineCatalog", "VitrinePurchasing", "VitrineReceipts", "VitrineStoreSimulator",
            "VitrineSupport",
        ]),
    module(
        "OpenStoreKitShim", "Simulator/OpenStoreKitShim",
        [.target(name: "OpenStoreKit", condition: .when(platforms: [.linux]))]),
    module(
        "VitrineAppStoreEmulator", "Simulator/AppStoreEmulator",
        [
            "VitrineHTTPServing", "VitrineReceipts", "VitrineStoreSimulator", "VitrineSupport", asyncHTTPClient,
            httpTypes, hummingbird, logging, nioCore, nioHTTP1, nioPosix, nioSSL, serviceLifecycle,
        ]),
]

/// The app's own server.
let server: [Target] = [
    systemLibrary("CVitrinePQ", "Server/CPQ", pkgConfig: "libpq", apt: "libpq-dev"),
    module(
        "VitrineHTTPServing", "Server/HTTPServing",
        [
            "VitrineFileSystem", "VitrineSupport", httpTypes, hummingbird, hummingbirdCore, logging, nioCore, nioHTTP1,
            serviceLifecycle,
        ]),
    module(
        "VitrineAppServerRecords", "Server/AppServerRecords",
        [
            "VitrineAppServerAPI", "VitrineCatalog", "VitrineCatalogLoading", "VitrineDeviceExchange",
            "VitrineEntitlements", "VitrineFileSystem", "VitrinePropertyList", "VitrinePurchasing", "VitrineReceipts",
            "VitrineSupport",
            crypto, grdb, sqlite,
        ]),
    module(
        "VitrineAppServerPostgreSQL", "Server/AppServerPostgreSQL",
        [
            "VitrineAppServerRecords", "VitrineSupport",
            .target(name: "CVitrinePQ", condition: .when(traits: ["PostgreSQL"])),
        ]),
    module(
        "VitrineAppServer", "Server/AppServer",
        [
            "VitrineAppServerAPI", "VitrineAppServerPostgreSQL", "VitrineAppServerRecords", "VitrineCatalog",
            "VitrineCatalogLoading", "VitrineEntitlements", "VitrineFileSystem", "VitrineHTTPServing",
            "VitrineHostedContent", "VitrineNetworking", "VitrinePropertyList", "VitrineReceipts", "VitrineSupport",
            crypto, httpTypes,
            hummingbird, logging, metrics, nioCore, nioPosix, serviceLifecycle,
        ],
        resources: [
            .embedInCode("Resources/operator.css"), .embedInCode("Resources/operator.html"),
            .embedInCode("Resources/operator.js"),
        ]),
]

/// Commands, and the preview that one of them serves.
let tools: [Target] = [
    // Linux only: Apple's SDKs have no headers of libarchive.
    systemLibrary("CVitrineArchive", "Tools/CArchive", pkgConfig: "libarchive", apt: "libarchive-dev"),
    module(
        "VitrineTarCodec", "Tools/TarCodec",
        ["CVitrineArchive", "VitrineFileSystem", "VitrineHostedContent", "VitrineSupport"]),
    module(
        "VitrineCommandSupport", "Tools/CommandSupport",
        ["VitrineCatalog", "VitrineFileSystem", "VitrinePropertyList", "VitrineSupport", argumentParser]),
    module(
        "VitrineCatalogCommands", "Tools/CatalogCommands",
        [
            "VitrineCatalog", "VitrineCommandSupport", "VitrineFileSystem", "VitrinePropertyList", "VitrineSupport",
            argumentParser,
        ]),
    program(
        "VitrineCatalogTool", "Tools/CatalogTool",
        ["VitrineCatalogCommands", "VitrineCommandSupport", argumentParser]),
    module(
        "VitrineShopPreview", "Tools/ShopPreview",
        [
            "Vitrine", "VitrineCatalog", "VitrineEntitlements", "VitrineFileSystem", "VitrineHostedContent",
            "VitrinePropertyList", "VitrinePurchasing", "VitrineReceipts", "VitrineShopContent",
            "VitrineStoreSimulator", "VitrineSupport",
        ]),
    module(
        "VitrinePreviewServer", "Tools/PreviewServer",
        [
            "VitrineFileSystem", "VitrineHTTPServing", "VitrineShopContent", "VitrineShopPreview", "VitrineSupport",
            httpTypes, hummingbird, hummingbirdCore, logging, mustache, nioCore, serviceLifecycle,
        ],
        resources: [
            .embedInCode("Resources/card.mustache"), .embedInCode("Resources/counter.mustache"),
            .embedInCode("Resources/fields.mustache"), .embedInCode("Resources/icon.svg"),
            .embedInCode("Resources/index.mustache"), .embedInCode("Resources/notice.mustache"),
            .embedInCode("Resources/page.js"), .embedInCode("Resources/page.mustache"),
            .embedInCode("Resources/parts.mustache"), .embedInCode("Resources/reasons.mustache"),
            .embedInCode("Resources/scene.mustache"), .embedInCode("Resources/shop.mustache"),
            .embedInCode("Resources/style.css"), .embedInCode("Resources/thumbnail.mustache"),
            .embedInCode("Resources/timeline.mustache"), .embedInCode("Resources/toolbar.mustache"),
        ]),
    program(
        "VitrineTool", "Tools/VitrineTool",
        [
            "Vitrine", "VitrineCatalog", "VitrineCatalogCommands", "VitrineCatalogLoading", "VitrineCommandSupport",
            "VitrineDeviceExchange", "VitrineEntitlements", "VitrineEntitlementsSQLite", "VitrineFileSystem",
            "VitrineHostedContent", "VitrineNetworking", "VitrinePropertyList", "VitrinePurchasing", "VitrineReceipts",
            "VitrineStoreSimulator", "VitrineSupport",
            .target(name: "VitrineTarCodec", condition: .when(platforms: [.linux])), argumentParser,
        ]),
    program(
        "VitrineServerTool", "Tools/ServerTool",
        [
            "VitrineAppServer", "VitrineAppStoreEmulator", "VitrineCommandSupport", "VitrineFileSystem",
            "VitrinePreviewServer", "VitrineReceipts", "VitrineShopPreview", "VitrineStoreSimulator",
            "VitrineSupport", argumentParser, logging, nioCore, serviceLifecycle, unixSignals,
        ]),
    .plugin(name: "LintCatalogs", capability: .buildTool(), dependencies: ["VitrineCatalogTool"]),
    .plugin(
        name: "LintCatalogsCommand",
        capability: .command(
            intent: .custom(verb: "lint-catalogs", description: "Check the product catalogs of a package.")),
        dependencies: ["VitrineCatalogTool"]),
]

// MARK: Tests

/// What the tests of several modules use, and programs that they run.
let testSupport: [Target] = [
    .target(
        name: "VitrineTestSupport",
        dependencies: [
            "VitrineCatalog", "VitrineCatalogLoading", "VitrineEntitlements", "VitrineNetworking",
            "VitrinePropertyList", "VitrinePurchasing", "VitrineReceipts", "VitrineStoreSimulator", "VitrineSupport",
            .target(name: "OpenStoreKit", condition: .when(platforms: [.linux])),
            .target(name: "VitrineStoreKitAdapter", condition: .when(platforms: [.linux])), asn1, crypto, httpTypes,
            nioCore, nioHTTP1, nioPosix, nioSSL, x509,
        ],
        path: "Tests/Support/TestSupport"),
    .executableTarget(
        name: "VitrineContentHelper",
        dependencies: ["VitrineCatalog", "VitrineCatalogLoading", "VitrineHostedContent"],
        path: "Tests/Support/ContentHelper"),
    .executableTarget(
        name: "VitrineAdapterHelper",
        dependencies: [
            "Vitrine", "VitrinePurchasing", "VitrineReceipts", "VitrineStoreSimulator", "VitrineTestSupport",
            .target(name: "VitrineStoreKitAdapter", condition: .when(platforms: [.linux])),
        ],
        path: "Tests/Support/AdapterHelper"),
    .executableTarget(
        name: "OpenStoreKitCrowd", dependencies: ["OpenStoreKitTest"], path: "Tests/Support/StoreKitCrowd"),
]

let testTargets: [Target] = [
    tests("VitrineSupportTests", "Core/SupportTests", ["VitrineSupport"]),
    tests("VitrineFileSystemTests", "Core/FileSystemTests", ["VitrineFileSystem", "VitrineSupport"]),
    tests(
        "VitrinePropertyListTests", "Core/PropertyListTests",
        ["VitrineFileSystem", "VitrinePropertyList", "VitrineSupport"]),
    tests(
        "VitrineCatalogTests", "Core/CatalogTests",
        ["VitrineCatalog", "VitrineFileSystem", "VitrinePropertyList", "VitrineSupport"]),
    tests("VitrineNetworkingTests", "Core/NetworkingTests", ["VitrineNetworking", "VitrineSupport", httpTypes]),
    tests(
        "VitrineCatalogLoadingTests", "Core/CatalogLoadingTests",
        ["VitrineCatalog", "VitrineCatalogLoading", "VitrineNetworking", "VitrinePropertyList", crypto]),
    tests(
        "VitrineReceiptsTests", "Core/ReceiptsTests",
        [
            "VitrineNetworking", "VitrineReceipts", "VitrineStoreSimulator", "VitrineSupport", asn1, crypto,
            cryptoExtras, x509,
        ]),
    tests(
        "VitrineEntitlementsTests", "Core/EntitlementsTests",
        ["VitrineCatalog", "VitrineEntitlements", "VitrineSupport"]),
    tests(
        "VitrinePurchasingTests", "Core/PurchasingTests",
        [
            "VitrineCatalog", "VitrineEntitlements", "VitrineEntitlementsSQLite", "VitrineNetworking",
            "VitrinePurchasing", "VitrineReceipts", "VitrineStoreSimulator",
        ]),
    tests(
        "VitrineEntitlementsSQLiteTests", "App/EntitlementsSQLiteTests",
        ["VitrineCatalog", "VitrineEntitlements", "VitrineEntitlementsSQLite", grdb]),
    tests(
        "VitrineHostedContentTests", "App/HostedContentTests",
        [
            "CVitrineSystem", "VitrineCatalog", "VitrineCatalogLoading", "VitrineHostedContent", "VitrineNetworking",
            "VitrinePropertyList", crypto, httpTypes,
            .target(name: "CVitrineArchive", condition: .when(platforms: [.linux])),
            .target(name: "VitrineTarCodec", condition: .when(platforms: [.linux])),
        ]),
    tests(
        "VitrineStoreKitAdapterTests", "App/StoreKitAdapterTests",
        [
            "Vitrine", "VitrineCatalog", "VitrinePurchasing", "VitrineReceipts", "VitrineStoreSimulator",
            .target(name: "OpenStoreKit", condition: .when(platforms: [.linux])),
            .target(name: "VitrineStoreKitAdapter", condition: .when(platforms: [.linux])),
        ]),
    tests(
        "VitrineTests", "App/VitrineTests",
        [
            "Vitrine", "VitrineAppServerAPI", "VitrineCatalog", "VitrineCatalogLoading", "VitrineDeviceExchange",
            "VitrineEntitlements", "VitrineEntitlementsSQLite", "VitrineHostedContent", "VitrineMigration",
            "VitrineNetworking", "VitrinePropertyList", "VitrinePurchasing", "VitrineReceipts",
            "VitrineStoreSimulator", asn1, crypto, logging, openCombine, x509,
        ]),
    tests(
        "VitrineMigrationTests", "App/MigrationTests",
        ["Vitrine", "VitrineCatalog", "VitrineMigration", "VitrinePropertyList"]),
    tests(
        "VitrineShopContentTests", "App/ShopContentTests",
        [
            "Vitrine", "VitrineCatalog", "VitrineEntitlements", "VitrinePurchasing", "VitrineShopContent",
            "VitrineShopPreview", "VitrineStoreSimulator", "VitrineSupport",
        ]),
    tests(
        "VitrineStoreSimulatorTests", "Simulator/StoreSimulatorTests",
        ["VitrineCatalog", "VitrinePurchasing", "VitrineReceipts", "VitrineStoreSimulator", grdb]),
    tests(
        "OpenStoreKitTests", "Simulator/OpenStoreKitTests",
        [
            "OpenStoreKit", "OpenStoreKitCrowd", "OpenStoreKitShim", "OpenStoreKitTest", "VitrineCatalog",
            "VitrineReceipts", "VitrineStoreSimulator", crypto,
        ],
        exclude: ["surface.tsv"], resources: [.copy("Kiosk.storekit")]),
    tests(
        "VitrineAppStoreEmulatorTests", "Simulator/AppStoreEmulatorTests",
        [
            "VitrineAppStoreEmulator", "VitrineCatalog", "VitrineEntitlements", "VitrineEntitlementsSQLite",
            "VitrineHTTPServing", "VitrineNetworking", "VitrinePurchasing", "VitrineReceipts", "VitrineServerTool",
            "VitrineStoreSimulator", "VitrineTool", grdb, httpTypes, logging, nioCore, nioPosix,
        ]),
    tests(
        "VitrineHTTPServingTests", "Server/HTTPServingTests", ["VitrineHTTPServing", httpTypes, hummingbird, nioCore]),
    tests(
        "VitrineAppServerRecordsTests", "Server/AppServerRecordsTests",
        [
            "Vitrine", "VitrineAppServerAPI", "VitrineAppServerPostgreSQL", "VitrineAppServerRecords",
            "VitrineCatalog", "VitrineDeviceExchange", "VitrineEntitlements", "VitrineFileSystem",
            "VitrinePurchasing", "VitrineReceipts", "VitrineStoreSimulator", crypto,
        ]),
    tests(
        "VitrineAppServerTests", "Server/AppServerTests",
        [
            "Vitrine", "VitrineAppServer", "VitrineAppServerAPI", "VitrineAppServerPostgreSQL",
            "VitrineAppServerRecords", "VitrineAppStoreEmulator", "VitrineCatalog", "VitrineCatalogLoading",
            "VitrineDeviceExchange", "VitrineEntitlements", "VitrineFileSystem", "VitrineHTTPServing",
            "VitrineHostedContent", "VitrineNetworking", "VitrinePropertyList", "VitrinePurchasing",
            "VitrineReceipts", "VitrineServerTool", "VitrineStoreSimulator", "VitrineTool", crypto, httpTypes,
            hummingbird, logging, metrics, nioCore, nioEmbedded, nioPosix, serviceLifecycle,
        ]),
    tests(
        "VitrineShopPreviewTests", "Tools/ShopPreviewTests",
        ["Vitrine", "VitrineCatalog", "VitrineShopContent", "VitrineShopPreview"]),
    tests(
        "VitrinePreviewServerTests", "Tools/PreviewServerTests",
        [
            "VitrineHTTPServing", "VitrinePreviewServer", "VitrineServerTool", "VitrineShopPreview", logging, nioCore,
            nioPosix,
        ]),
    tests(
        "VitrineToolTests", "Tools/VitrineToolTests",
        [
            "VitrineAdapterHelper", "VitrineCatalog", "VitrineCatalogLoading", "VitrineCatalogTool",
            "VitrineCommandSupport", "VitrineContentHelper", "VitrineHostedContent", "VitrinePropertyList",
            "VitrinePurchasing", "VitrineReceipts", "VitrineServerTool", "VitrineStoreSimulator", "VitrineTool", crypto,
            grdb,
        ]),
]

// MARK: Package

/// A library product of one module with others whose types its users name.
func product(_ name: String, with others: [String] = []) -> Product { .library(name: name, targets: [name] + others) }

let package = Package(
    name: "Vitrine",
    // Design.md explains the versions, and why watchOS is missing.
    platforms: [.macOS(.v14), .macCatalyst("16.4"), .iOS("16.4"), .tvOS("16.4"), .visionOS(.v1)],
    products: [
        product(
            "Vitrine",
            with: [
                "VitrineCatalog", "VitrineCatalogLoading", "VitrineDeviceExchange", "VitrineEntitlements",
                "VitrineHostedContent", "VitrineNetworking", "VitrinePurchasing", "VitrineReceipts",
            ]),
        product("VitrineMigration"),
        product("VitrineUI", with: ["VitrineShopContent"]),
        product("VitrineCatalog"),
        product("VitrineCatalogLoading", with: ["VitrineNetworking"]),
        product("VitrineReceipts", with: ["VitrineNetworking"]),
        product("VitrineStoreKitAdapter"),
        product("VitrineStoreSimulator"),
        product("VitrineAppStoreEmulator"),
        product("VitrineAppServer"),
        product("OpenStoreKit", with: ["VitrineStoreSimulator"]),
        product("OpenStoreKitTest"),
        product("OpenStoreKitShim"),
        .executable(name: "vitrine", targets: ["VitrineTool"]),
        .executable(name: "vitrine-server", targets: ["VitrineServerTool"]),
        .executable(name: "vitrine-catalogs", targets: ["VitrineCatalogTool"]),
        .plugin(name: "LintCatalogs", targets: ["LintCatalogs"]),
        .plugin(name: "LintCatalogsCommand", targets: ["LintCatalogsCommand"]),
    ],
    // An app names `traits: []`, and resolves nothing that only the others use.
    traits: [
        .trait(name: "Linux", description: "Networking and Combine on Linux, for apps that are tested there."),
        .trait(name: "Lint", description: "The plugins that check catalogs."),
        .trait(
            name: "Servers",
            description: "The commands, the app's own server, and the emulated App Store for its tests.",
            enabledTraits: ["Linux", "Lint"]),
        .trait(name: "PostgreSQL", description: "The records of the app's own server in PostgreSQL, through libpq."),
        .default(enabledTraits: ["Servers"]),
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
    targets: core + app + simulator + server + tools + testSupport + testTargets
)

// MARK: Settings

let upcomingFeatures = [
    "ExistentialAny", "ImmutableWeakCaptures", "InferIsolatedConformances", "InternalImportsByDefault",
    "MemberImportVisibility", "NonisolatedNonsendingByDefault",
]
// Warnings are errors where the package is built by itself and its checks ask for it. In a package that depends on it, Xcode's
// build engine suppresses warnings, and the compiler refuses both at once.
let isStrict =
    Context.environment["VITRINE_STRICT"] != nil && !Context.packageDirectory.contains("/checkouts/")

for target in package.targets where target.type != .system && target.type != .plugin {
    target.swiftSettings = upcomingFeatures.map { .enableUpcomingFeature($0) }
    if isStrict { target.swiftSettings?.append(.treatAllWarnings(as: .error)) }
    // Fuzz/run has the targets of this package alone report to libFuzzer what they have executed, and reads documents
    // and facts as the package itself does.
    if Context.environment["VITRINE_FUZZING"] != nil {
        target.swiftSettings?.append(.unsafeFlags(["-sanitize=fuzzer", "-enable-testing"]))
    }
}
