import Foundation
import Testing
import VitrineCatalog
import VitrinePropertyList
import VitrineTestSupport

/// JSON schema of catalogs, used by an independent validator.
@Suite(.blocksThreads, .hangLimit) struct SchemaTests {
    private let tool: Tool
    private let schema: [String: Any]

    init() throws {
        tool = try Tool()
        schema = try tool.run("schema").json
    }

    @Test func `the JSON schema contains exactly the keys of a product with their types`() throws {
        let product = try #require((schema["$defs"] as? [String: [String: Any]])?["product"])
        let properties = try #require(product["properties"] as? [String: [String: Any]])

        #expect(Set(properties.keys) == Set(CatalogKeyDescription.all.map(\.name)))
        for key in CatalogKeyDescription.all where key.name != "userInfo" {
            let types = key.types.map { type in
                switch type {
                case .dictionary: "object"
                case .real: "number"
                default: "\(type)"
                }
            }
            #expect(Set(properties[key.name]?["type"] as? [String] ?? []) == Set(types), "\(key.name)")
        }
    }

    @Test func `the catalog documentation contains the description of each catalog key`() throws {
        let page = try String(contentsOf: Repository.file("Documentation/Catalog.md"), encoding: .utf8)
        let plain = page.replacing("`", with: "")
        for key in CatalogKeyDescription.all where key.name != "localStorageKey" {
            #expect(plain.contains("| \(key.meaning) |"), "\(key.name)")
        }
    }

    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let json: String
        let isAccepted: Bool
    }

    private static let cases = [
        Case(
            testDescription: "a product", json: #"[{"productIdentifier": "a.b", "consumable": false}]"#,
            isAccepted: true),
        Case(testDescription: "identifiers", json: #"["a.b", "a.c"]"#, isAccepted: true),
        Case(testDescription: "identifiers with words", json: #"{"a.b": "red"}"#, isAccepted: false),
        Case(testDescription: "an error of a server", json: #"{"error_code": "expired"}"#, isAccepted: false),
        Case(
            testDescription: "dates",
            json: #"""
                {"products": [{"productIdentifier": "a", "type": "nonRenewingSubscription", "subscriptionDuration": "P30D",
                "formerDurations": [{"duration": "P60D", "until": "2030-03-01T00:00:00Z"}],
                "grandfathered": {"beforeDate": "2030-03-01T00:00:00Z"}}], "expires": "2030-03-01T00:00:00Z"}
                """#, isAccepted: true),
        Case(
            testDescription: "a date without a time", json: #"{"products": [], "expires": "2030-03-01"}"#,
            isAccepted: false),
        Case(
            testDescription: "an unknown key", json: #"[{"productIdentifier": "a", "consumable": false, "colour": 1}]"#,
            isAccepted: true),
        Case(
            testDescription: "a catalog with wallets",
            json: #"""
                {"products": [{"productIdentifier": "a", "consumable": true, "storageKey": "c", "productValue": 1}],
                "wallets": {"c": {"startingBalance": 3, "refundPolicy": "debt"}}, "catalogVersion": 3}
                """#, isAccepted: true),
        Case(
            testDescription: "grandfathering",
            json: #"[{"productIdentifier": "a", "consumable": false, "grandfathered": [{"beforeBuild": 3}]}]"#,
            isAccepted: true),
        Case(testDescription: "no identifier", json: #"[{"consumable": false}]"#, isAccepted: false),
        Case(testDescription: "no type", json: #"[{"productIdentifier": "a"}]"#, isAccepted: false),
        Case(
            testDescription: "a consumable without a wallet",
            json: #"[{"productIdentifier": "a", "consumable": true, "productValue": 1}]"#, isAccepted: false),
        Case(
            testDescription: "a consumable by its type without a value",
            json: #"[{"productIdentifier": "a", "type": "consumable", "storageKey": "c"}]"#, isAccepted: false),
        Case(
            testDescription: "contradictory types",
            json:
                #"[{"productIdentifier": "a", "consumable": false, "type": "consumable", "storageKey": "c", "productValue": 1}]"#,
            isAccepted: false),
        Case(
            testDescription: "hosted without a path",
            json: #"[{"productIdentifier": "a", "consumable": false, "hosted": true}]"#, isAccepted: false),
        Case(
            testDescription: "a number as text",
            json: #"[{"productIdentifier": "a", "consumable": true, "storageKey": "c", "productValue": "1"}]"#,
            isAccepted: false),
        Case(
            testDescription: "a value of nothing",
            json: #"[{"productIdentifier": "a", "consumable": true, "storageKey": "c", "productValue": 0}]"#,
            isAccepted: false),
        Case(
            testDescription: "a child that is a number",
            json: #"[{"productIdentifier": "a", "consumable": false, "childProducts": [1]}]"#, isAccepted: false),
        Case(testDescription: "products that are none", json: #"{"products": 3}"#, isAccepted: false),
        Case(
            testDescription: "a wallet below zero",
            json: #"{"products": [], "wallets": {"c": {"startingBalance": -1}}}"#, isAccepted: false),
        Case(testDescription: "a number", json: "3", isAccepted: false),
    ]

    /// Validates JSON documents with the independent validator.
    ///
    /// - Returns: For each document the reason why it is invalid; `nil` for a valid one.
    private func refusals(of documents: [String]) throws -> [String?] {
        let folder = try TemporaryFolder()
        try folder.write(try JSONSerialization.data(withJSONObject: schema), to: "schema.json")
        let paths = try documents.enumerated().map { try folder.write($1, to: "\($0).json").path() }
        let question = try JSONSerialization.data(
            withJSONObject: ["schema": folder["schema.json"].path(), "documents": paths])
        let result = try PeerTool.pythonWithPeers.run(
            Repository.file("Tests/Peers/schema.py").path(), input: question)
        try #require(result.status == 0)
        return try JSONDecoder().decode([String?].self, from: Data(result.output.utf8))
    }

    @Test(.enabled(if: PeerTool.pythonWithPeers.isInstalled, "Scripts/peers was not run"))
    func `a validator with the JSON schema accepts valid catalogs and rejects invalid ones`() throws {
        let refusals = try refusals(of: Self.cases.map(\.json))

        for (test, refusal) in zip(Self.cases, refusals) {
            #expect((refusal == nil) == test.isAccepted, "\(test): \(refusal ?? "accepted")")
        }
    }

    /// Rules whose diagnostics a schema cannot express, or that handle a value differently from a schema: see
    /// Documentation/Teams.md.
    private static let beyondSchemas: Set<String> = [
        "duplicate-identifier", "unknown-child", "bundle-cycle", "content-overlap", "content-path", "duplicate-key",
        "child-kind", "consumable-bundle", "bundle-depth", "subscription", "grandfathered", "self-hosted-content",
    ]

    @Test(arguments: cases)
    func `a catalog that the JSON schema accepts has no errors, and one that it refuses has findings`(test: Case) throws
    {
        let document = try? PropertyListDocument(bytes: Array(test.json.utf8))
        let catalog = document.map { Catalog(document: $0) }

        #expect(test.isAccepted ? catalog?.hasErrors == false : catalog?.diagnostics.isEmpty != true)
    }

    @Test(
        .enabled(if: PeerTool.pythonWithPeers.isInstalled, "Scripts/peers was not run"),
        .enabled(if: Repository.corpus("plists") != nil, "the corpus of real files is not here"))
    func `the JSON schema and lint agree on real catalogs, except for rules that a schema cannot express`() throws {
        var files = try Repository.corpusFiles("plists")
        for (index, file) in try Repository.corpusFiles(below: "storekit").prefix(40).enumerated()
        where try tool.run("convert", file.path(), "--from", "storekit", "--to", "xml", "-o", "\(index).plist").status
            < 2
        {
            files.append(tool.folder["\(index).plist"])
        }
        var names: [String] = []
        var documents: [String] = []
        var errors: [Set<String>] = []
        for file in files {
            guard let document = try? PropertyListDocument(bytes: Array(Data(contentsOf: file))),
                !CatalogDialect.isMKStoreKit(document), !CatalogDialect.isStoreHelper(document),
                document.root.kind == .array || !CatalogDialect.isIdentifierList(document)
            else { continue }
            let json = try tool.run("convert", file.path(percentEncoded: false), "--to", "json")
            guard json.status == 0 else { continue }
            names.append(file.lastPathComponent)
            documents.append(json.output)
            let findings = Catalog(document: document).diagnostics
            errors.append(Set(findings.filter { $0.severity == .error || $0.rule == "value-type" }.map(\.rule)))
        }
        #expect(names.count >= 50, "\(names.count) catalogs")
        for (index, refusal) in try refusals(of: documents).enumerated() {
            if refusal == nil {
                #expect(errors[index].isSubset(of: Self.beyondSchemas), "\(names[index]) has \(errors[index])")
            } else {
                #expect(!errors[index].isEmpty, "\(names[index]): \(refusal ?? "")")
            }
        }
    }
}
