import Foundation

/// A catalog of any size that uses every key, the same each time.
enum SampleCatalog {
    /// Returns the catalog in XML.
    ///
    /// - Parameter isFaulty: `true` for a catalog with a finding about 43 of a hundred products.
    static func xml(products count: Int, isFaulty: Bool = false) -> Data {
        var text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">
            <array>

            """
        for index in 0..<count { text += product(index, isFaulty: isFaulty) }
        return Data((text + "</array>\n</plist>\n").utf8)
    }

    private static func product(_ index: Int, isFaulty: Bool) -> String {
        let isConsumable = index.isMultiple(of: 3) && index % 50 != 25 && index % 50 != 35
        let isBundle = index % 10 == 4 && index > 20
        var keys = """
            \t<dict>
            \t\t<key>productIdentifier</key>
            \t\t<string>com.example.shop.item\(index)</string>
            \t\t<key>consumable</key>
            \t\t<\(isConsumable)/>
            \t\t<key>productIcon</key>
            \t\t<string>icons/item\(index).png</string>
            \t\t<key>featuredImage</key>
            \t\t<string>https://example.com/images/item\(index).jpg</string>
            \t\t<key>productTitle</key>
            \t\t<dict>
            \t\t\t<key>en</key>
            \t\t\t<string>Item number \(index)</string>
            \t\t\t<key>de</key>
            \t\t\t<string>Artikel Nummer \(index)</string>
            \t\t</dict>
            \t\t<key>longDescription</key>
            \t\t<dict>
            \t\t\t<key>en</key>
            \t\t\t<string>What number \(index) is good for, in a sentence &amp; a half, as shops write them.</string>
            \t\t\t<key>de</key>
            \t\t\t<string>Wofür Nummer \(index) gut ist, in anderthalb Sätzen – so, wie Läden es schreiben.</string>
            \t\t\t<key>ja</key>
            \t\t\t<string>商品番号 \(index) の説明文です。</string>
            \t\t</dict>
            \t\t<key>userInfo</key>
            \t\t<dict>
            \t\t\t<key>sort</key>
            \t\t\t<integer>\(index)</integer>
            \t\t\t<key>since</key>
            \t\t\t<date>2026-01-31T12:00:00Z</date>
            \t\t</dict>

            """
        if isFaulty, index % 100 < 20 { keys += "\t\t<key>colour</key>\n\t\t<string>red</string>\n" }
        if isFaulty, 20..<43 ~= index % 100 { keys += "\t\t<key>product_title</key>\n\t\t<string>Thing</string>\n" }
        if index % 7 == 3 { keys += "\t\t<key>minimumAppVersion</key>\n\t\t<string>2.1</string>\n" }
        if index % 50 == 25 {
            keys += """
                \t\t<key>type</key>
                \t\t<string>autoRenewableSubscription</string>
                \t\t<key>subscriptionGroup</key>
                \t\t<string>club</string>
                \t\t<key>level</key>
                \t\t<integer>\(index % 3 + 1)</integer>

                """
        } else if index % 50 == 35 {
            keys += """
                \t\t<key>type</key>
                \t\t<string>nonRenewingSubscription</string>
                \t\t<key>subscriptionDuration</key>
                \t\t<string>P3M</string>

                """
        } else if isConsumable {
            keys += """
                \t\t<key>storageKey</key>
                \t\t<string>coins</string>
                \t\t<key>productValue</key>
                \t\t<integer>\(index % 500 + 1)</integer>

                """
        } else if isBundle {
            let children = [index - 3, index - 2, index - 6].filter {
                !$0.isMultiple(of: 3) && $0 % 10 != 4 && $0 % 50 != 25 && $0 % 50 != 35
            }
            .map { "\t\t\t<string>com.example.shop.item\($0)</string>\n" }.joined()
            keys += "\t\t<key>childProducts</key>\n\t\t<array>\n\(children)\t\t</array>\n"
            keys += "\t\t<key>maxChildren</key>\n\t\t<integer>1</integer>\n"
        } else {
            keys += """
                \t\t<key>hosted</key>
                \t\t<true/>
                \t\t<key>localContentPath</key>
                \t\t<string>content/item\(index)</string>
                \t\t<key>contentVersion</key>
                \t\t<string>1.2</string>
                \t\t<key>contentURL</key>
                \t\t<string>https://example.com/content/item\(index).plist</string>
                \t\t<key>contentDigest</key>
                \t\t<string>sha256:\(String(repeating: "0123456789abcdef", count: 4))</string>
                \t\t<key>contentLength</key>
                \t\t<integer>\(index * 1_000 + 1)</integer>
                \t\t<key>grandfathered</key>
                \t\t<dict>
                \t\t\t<key>beforeBuild</key>
                \t\t\t<string>200</string>
                \t\t</dict>

                """
        }
        return keys + "\t</dict>\n"
    }
}

/// The same products as an app would decode them with Foundation: no rules, no positions.
struct DecodedProduct: Decodable {
    struct Info: Decodable {
        let sort: Int
        let since: Date
    }

    struct Rule: Decodable {
        let beforeBuild: String
    }

    let productIdentifier: String
    let consumable: Bool
    let productIcon: String
    let featuredImage: String
    let productTitle: [String: String]
    let longDescription: [String: String]
    let userInfo: Info
    let storageKey: String?
    let productValue: Int?
    let childProducts: [String]?
    let hosted: Bool?
    let localContentPath: String?
    let type: String?
    let maxChildren: Int?
    let minimumAppVersion: String?
    let subscriptionGroup: String?
    let level: Int?
    let subscriptionDuration: String?
    let contentVersion: String?
    let contentURL: String?
    let contentDigest: String?
    let contentLength: Int?
    let grandfathered: Rule?
}
