import Foundation
import Testing
import VitrineTestSupport

/// Repeated loads, which reveal data races. A large number is used with an optimized build, which `VITRINE_TOOL` names.
@Suite(.blocksThreads, .hangLimit) struct RepeatedLoadTests {
    private static let count = ProcessInfo.processInfo.environment["VITRINE_TOOL"] == nil ? 3 : 100

    @Test func `a catalog of a thousand products can be loaded repeatedly without errors`() throws {
        let names = (1...1_000).map { "com.example.shop.item\($0)" }
        let list = PlistText.document("<array>\(names.map { "<string>\($0)</string>" }.joined())</array>")
        let sold = names.map { name in
            #"{"productID": "\#(name)", "type": "NonConsumable", "displayPrice": "0.99", "localizations": []}"#
        }
        let store = #"{"version": {"major": 3, "minor": 0}, "products": [\#(sold.joined(separator: ","))]}"#
        let tool = try Tool()
        try #require(
            try tool.run(
                "init", "--catalog", tool.folder.write(list, to: "Shop.plist").path(), "--store",
                tool.folder.write(store, to: "Shop.storekit").path()
            ).status == 0)

        for run in 1...Self.count {
            let load = try tool.run("load")
            try #require(load.status == 0, "run \(run): \(load.errors)")
            try #require(load.lines.last == "2 products loaded: 1000 offered", "run \(run)")
        }
    }
}
