import ArgumentParser
import Foundation
import VitrineCatalog
import VitrineCommandSupport
import VitrinePropertyList
import VitrineSupport

/// Package that `vitrine new` creates, with all its files.
struct NewPackage {
    /// Files of the package, with their relative paths.
    let files: [(path: String, data: Data)]
    /// Sentences about parts of the package that the user must check.
    let remarks: [String]

    /// Type of sample product in a new package.
    enum Sample: String, CaseIterable {
        case unlock, coins, subscription

        /// Parses a comma-separated list of sample product names.
        ///
        /// - Throws: `ValidationError` for an unknown name, or an empty list.
        static func parse(_ text: String) throws -> [Sample] {
            let names = text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
            let samples = try names.map { name in
                guard let sample = Sample(rawValue: name) else {
                    throw ValidationError(
                        "\(name) is not one of \(allCases.map(\.rawValue).joined(separator: ", ")).")
                }
                return sample
            }
            guard !samples.isEmpty else { throw ValidationError("Name at least one product to sell.") }
            return allCases.filter(samples.contains)
        }
    }

    /// Indicates that a name is valid for a package and its module.
    static func isName(_ name: String) -> Bool {
        name.utf8.allSatisfy { $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "_") }
            && name.first.map { $0.isLetter } == true && !taken.contains(name.lowercased())
    }

    /// Reserved names in lowercase: keywords, and the modules and types that the package uses.
    private static let taken: Set<String> = [
        "actor", "any", "as", "associatedtype", "await", "break", "case", "catch", "class", "continue", "default",
        "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func",
        "guard", "if", "import", "in", "init", "inout", "internal", "is", "let", "main", "nil", "operator", "package",
        "private",
        "protocol", "public", "repeat", "rethrows", "return", "self", "some", "static", "struct", "subscript", "super",
        "switch", "throw", "throws", "true", "try", "type", "typealias", "var", "where", "while",
        "argumentparser", "catalogcommands", "catalogloading", "catalogtool", "combine", "crypto", "dispatch",
        "entitlements", "entitlementssqlite", "filesystem", "foundation", "glibc", "grdb", "hostedcontent", "logging",
        "networking", "observation", "opencombine", "openstorekit", "openstorekittest", "productcatalog",
        "propertylist", "purchasing", "receipts", "storekit", "storekitadapter", "storekitshim", "storekittest",
        "storesimulator", "swift", "swiftui", "synchronization", "testing", "uikit", "vitrine", "vitrinemigration",
        "x509", "xctest",
        "bundle", "catalogmanager", "cocoaerror", "data", "filemanager", "home", "issue", "products",
        "signeddataverifier", "simulatedstore", "suite", "test", "trustedroots", "url", "uuid",
    ]

    /// Creates a package that sells sample products.
    init(name: String, app: String, vitrine: String, _ samples: [Sample]) {
        let elements = samples.map { $0.element(app) }.joined()
        self.init(
            name: name, app: app, vitrine: vitrine, catalog: Data(Self.catalog(elements).utf8),
            configuration: Data(Self.configuration(name: name, app: app, samples).utf8), remarks: [])
    }

    /// Creates a package that sells the products of a StoreKit configuration.
    ///
    /// - Throws: ``ToolFailure`` 65 if a property list cannot contain a text of the configuration.
    init(
        name: String, app: String, vitrine: String, configuration: Data, _ catalog: StarterCatalog
    ) throws(ToolFailure) {
        do {
            let document = try PropertyListDocument(bytes: Array(catalog.xml.utf8))
            self.init(
                name: name, app: app, vitrine: vitrine, catalog: Data(try document.bytes(as: .xml)),
                configuration: configuration, remarks: catalog.remarks)
        } catch {
            throw ToolFailure(status: .unusableData, reason: "no catalog can be made: \(error.reason)")
        }
    }

    /// Creates a package that sells the products of a catalog. XML is copied as it is; another format becomes XML.
    ///
    /// - Throws: ``ToolFailure`` 65 if XML cannot represent a text of the catalog.
    init(
        name: String, app: String, vitrine: String, catalog: Data, _ document: PropertyListDocument,
        _ draft: StoreFile.Draft
    ) throws(ToolFailure) {
        do {
            self.init(
                name: name, app: app, vitrine: vitrine,
                catalog: document.format == .xml ? catalog : Data(try document.bytes(as: .xml)),
                configuration: Data(draft.bytes), remarks: draft.remarks)
        } catch {
            throw ToolFailure(status: .unusableData, reason: "no catalog can be made: \(error.reason)")
        }
    }

    private init(
        name: String, app: String, vitrine: String, catalog: Data, configuration: Data, remarks: [String]
    ) {
        files = [
            ("Package.swift", Data(Self.manifest(name, vitrine).utf8)),
            ("Sources/\(name)/Products.swift", Data(Self.source.utf8)),
            ("Sources/\(name)/Catalog.plist", catalog),
            ("Tests/\(name)Tests/\(name)Tests.swift", Data(Self.test(name, app).utf8)),
            ("Tests/\(name)Tests/Products.storekit", configuration),
            (".gitignore", Data(".build/\n".utf8)),
        ]
        self.remarks = remarks
    }

    private static func manifest(_ name: String, _ vitrine: String) -> String {
        """
        // swift-tools-version: 6.2
        import PackageDescription

        let package = Package(
            name: "\(name)",
            platforms: [.macOS(.v14), .iOS("16.4")],
            products: [.library(name: "\(name)", targets: ["\(name)"])],
            // Linux brings what tests need there, Lint the plugin; `traits: []` leaves both out. With both, SwiftPM compiles
            // Vitrine again in every other run, unless the environment has SWIFT_DETERMINISTIC_HASHING=1.
            dependencies: [.package(name: "Vitrine", path: \(vitrine.debugDescription), traits: ["Linux", "Lint"])],
            targets: [
                .target(
                    name: "\(name)",
                    dependencies: [.product(name: "Vitrine", package: "Vitrine")],
                    resources: [.copy("Catalog.plist")],
                    // Checks the catalog at each build.
                    plugins: [.plugin(name: "LintCatalogs", package: "Vitrine")]
                ),
                .testTarget(
                    name: "\(name)Tests",
                    dependencies: ["\(name)", .product(name: "VitrineStoreSimulator", package: "Vitrine")],
                    resources: [.copy("Products.storekit")]
                ),
            ]
        )

        """
    }

    private static let source = """
        import Foundation

        /// Products of the app.
        public enum Products {
            /// The property list with the app's products.
            public static var catalog: URL {
                get throws {
                    guard let url = Bundle.module.url(forResource: "Catalog", withExtension: "plist") else {
                        throw CocoaError(.fileNoSuchFile)
                    }
                    return url
                }
            }
        }

        """

    private static func test(_ name: String, _ app: String) -> String {
        """
        import Foundation
        import VitrineStoreSimulator
        import Testing
        import Vitrine

        @testable import \(name)

        struct \(name)Tests {
            @Test func `everything that is offered can be bought`() async throws {
                let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
                defer { try? FileManager.default.removeItem(at: folder) }
                let home = Home(url: folder)
                let products = try #require(Bundle.module.url(forResource: "Products", withExtension: "storekit"))
                try SimulatedStore.create(
                    in: home.store, configuration: Data(contentsOf: products), bundleIdentifier: "\(app)")
                let store = try SimulatedStore(folder: home.store)
                let verifier = SignedDataVerifier(
                    roots: try TrustedRoots(pem: store.rootCertificate), bundleIdentifier: store.bundleIdentifier,
                    environment: .sandbox)
                let manager = try await CatalogManager(
                    catalog: .file(Products.catalog), store: store, verifier: verifier, home: home)

                await manager.loadProducts()
                #expect(!manager.products.isEmpty)
                for product in manager.products {
                    // A bundle that was bought before may contain the product.
                    guard let listing = manager.listing(for: product.id), listing.isOffered else { continue }
                    switch await manager.purchase(listing.id) {
                    case .success: break
                    // A lower level of a subscription that was bought begins with its next renewal.
                    case .pending(.planChange): continue
                    case let answer:
                        Issue.record("\\(listing.id): \\(answer)")
                        continue
                    }
                    if let wallet = listing.product.storageKey {
                        #expect(manager.wallets.balance(for: wallet).units > 0)
                    } else {
                        #expect(manager.ownership(of: listing.id).isOwned, "\\(listing.id)")
                    }
                }
                await manager.stop()
            }
        }

        """
    }

    private static func catalog(_ elements: String) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        <array>
        \(elements)</array>
        </plist>

        """
    }

    /// Returns a StoreKit configuration with the sample products and their prices, in the format of Xcode.
    private static func configuration(name: String, app: String, _ samples: [Sample]) -> String {
        func group(_ kinds: [Sample]) -> [JSONObject] { samples.filter(kinds.contains).map { $0.item(app) } }
        let document: JSONObject = [
            "identifier": "\(name)Products", "version": ["major": 4, "minor": 0] as JSONObject,
            "settings": ["_storefront": "USA", "_locale": "en_US"] as JSONObject,
            "products": group([.unlock, .coins]), "nonRenewingSubscriptions": [String](),
            "subscriptionGroups": group([.subscription]).map { item -> JSONObject in
                [
                    "id": "club", "name": "Club", "localizations": [String](), "subscriptions": [item],
                ]
            },
        ]
        // Encoding cannot fail, because the document consists of strings, numbers and objects.
        return ((try? Console.encode(document)) ?? "{}") + "\n"
    }
}

extension NewPackage.Sample {
    /// Returns the dictionary of the sample product for a catalog.
    fileprivate func element(_ app: String) -> String {
        let keys =
            switch self {
            case .unlock:
                """
                \t\t<key>consumable</key>
                \t\t<false/>
                """
            case .coins:
                """
                \t\t<key>consumable</key>
                \t\t<true/>
                \t\t<key>storageKey</key>
                \t\t<string>coins</string>
                \t\t<key>productValue</key>
                \t\t<integer>50</integer>
                """
            case .subscription:
                """
                \t\t<key>type</key>
                \t\t<string>autoRenewableSubscription</string>
                \t\t<key>subscriptionGroup</key>
                \t\t<string>Club</string>
                \t\t<key>level</key>
                \t\t<integer>1</integer>
                """
            }
        return """
            \t<dict>
            \t\t<key>productIdentifier</key>
            \t\t<string>\(identifier(app))</string>
            \(keys)
            \t\t<key>productTitle</key>
            \t\t<string>\(title)</string>
            \t</dict>

            """
    }

    /// Returns the sample product for a StoreKit configuration.
    fileprivate func item(_ app: String) -> JSONObject {
        let (type, price): (String, String) =
            switch self {
            case .unlock: ("NonConsumable", "4.99")
            case .coins: ("Consumable", "0.99")
            case .subscription: ("RecurringSubscription", "2.99")
            }
        let isSubscription = self == .subscription
        return [
            "productID": identifier(app), "type": type, "displayPrice": price, "familyShareable": false,
            "referenceName": title, "internalID": rawValue,
            "localizations": [
                ["locale": "en_US", "displayName": title, "description": title] as JSONObject
            ],
            "groupNumber": isSubscription ? 1 : nil,
            "recurringSubscriptionPeriod": isSubscription ? "P1M" : nil,
            "subscriptionGroupID": isSubscription ? "club" : nil,
            "adHocOffers": isSubscription ? [String]() : nil, "codeOffers": isSubscription ? [String]() : nil,
        ]
    }

    private func identifier(_ app: String) -> String {
        switch self {
        case .unlock: "\(app).unlock"
        case .coins: "\(app).coins50"
        case .subscription: "\(app).club.monthly"
        }
    }

    private var title: String {
        switch self {
        case .unlock: "Everything unlocked"
        case .coins: "50 coins"
        case .subscription: "Club"
        }
    }
}
