/// Wallet and units of a consumable, guessed from its identifier: a `.storekit` file names neither.
///
/// `….coins50`, `….500coins`, `….coins.100`, `500coins.1.99` and `500.coins` credit a wallet `coins`. Words such as `pack`
/// and `small` are no wallets, and prices and versions no units.
struct WalletGuess: Equatable {
    /// Name of the wallet.
    var wallet: String
    /// Number of units; 1 if the identifier has no number.
    let units: Int

    /// Guesses the wallets of all consumables of an app. A singular is the same wallet as its plural: `1coin` and
    /// `100coins` both credit `coins`.
    static func guesses(for identifiers: [String]) -> [String: WalletGuess] {
        let guesses = Dictionary(identifiers.map { ($0, WalletGuess(identifier: $0)) }) { first, _ in first }
        let wallets = Set(guesses.values.map(\.wallet))
        return guesses.mapValues { guess in
            guard wallets.contains("\(guess.wallet)s") else { return guess }
            var plural = guess
            plural.wallet += "s"
            return plural
        }
    }

    init(identifier: String) {
        let components = Self.withoutPrice(identifier.split(separator: ".")).map(Self.withoutVersion)
        // The numbers of a domain are no units, and its first component is no wallet.
        let isInDomain = components.first?.contains(where: \.isASCIIDigit) == false
        var (wallet, units): (String?, Int?)
        for (index, component) in components.enumerated().reversed() {
            guard wallet == nil else {
                // As in 5.gems.
                if units == nil, component.allSatisfy(\.isASCIIDigit) { units = Int(component) }
                break
            }
            let isLast = index == components.count - 1
            if !isLast, isInDomain && index == 0 { break }
            // 100coins.small, but not com.app2.small and iap6test.small.
            let mayHaveUnits = [component.first, component.last].contains { $0?.isASCIIDigit == true }
            if isLast || mayHaveUnits && !(isInDomain && index == 1) {
                let part = Part(component)
                (wallet, units) = (part.name, units ?? part.units)
            } else {
                wallet = Self.name(in: component, except: Self.fillers.union(Self.sizes))
            }
        }
        self.init(wallet: wallet ?? components.last.map(String.init) ?? identifier, units: max(units ?? 1, 1))
    }

    private init(wallet: String, units: Int) {
        self.wallet = wallet
        self.units = units
    }

    /// Wallet and units that one component of an identifier names.
    private struct Part {
        /// `nil` if the component has none but words such as `pack` and `small`.
        let name: String?
        /// `nil` without a number; 0 for one that is too large.
        let units: Int?

        init(_ text: Substring) {
            let others = fillers.union(sizes)
            guard let start = text.firstIndex(where: \.isASCIIDigit) else {
                (name, units) = (WalletGuess.name(in: text, except: others), nil)
                return
            }
            let digits = text[start...].prefix(while: \.isASCIIDigit)
            var rest = text[digits.endIndex...]
            var units = Int(digits) ?? 0
            func multiply() { units = units.multipliedReportingOverflow(by: 1_000).overflow ? 0 : units * 1_000 }
            // 1_000. Other digits after a separator may be a price.
            while rest.first.map(isSeparator) == true, rest.dropFirst().prefix(while: \.isASCIIDigit) == "000" {
                rest = rest.dropFirst(4)
                multiply()
            }
            // 5k and 5K, but not 5kings.
            if rest.first?.lowercased() == "k", rest.dropFirst().first?.isLetter != true {
                rest = rest.dropFirst()
                multiply()
            }
            let after = rest.prefix { !$0.isASCIIDigit }
            self.units = units
            name = [text[..<start], after].lazy.compactMap { WalletGuess.name(in: $0, except: others) }.first
        }
    }

    /// Removes a price at the end, such as `.1.99`, `_1.99`, `.1_99`, `.099` or `.usd099`.
    private static func withoutPrice(_ components: [Substring]) -> [Substring] {
        guard let last = components.last, let parent = components.dropLast().last, let first = components.first,
            first.contains(where: \.isLetter) || parent.contains(where: \.isLetter)
        else { return components }
        let digits = parent.reversed().prefix { $0.isASCIIDigit }.count
        if last.count == 2, last.allSatisfy(\.isASCIIDigit), (1...4).contains(digits) {
            let name = parent.dropLast(digits)
            if name.isEmpty || currencies.contains(name.lowercased()), components.count > 2 {
                return components.dropLast(2)
            }
            if name.last.map(isSeparator) == true, name.contains(where: \.isLetter) {
                return components.dropLast(2) + [name.dropLast()]
            }
        }
        return isPrice(last, after: parent) ? components.dropLast() : components
    }

    /// Returns `true` for the last component of an identifier that is a price, with a currency or in a form such as 1_99 and
    /// 099; after units, as in `100coins.199` and `coins.100.199`, for any number that ends as prices do.
    private static func isPrice(_ text: Substring, after parent: Substring) -> Bool {
        let currency = currencies.first { text.lowercased().hasPrefix($0) || text.lowercased().hasSuffix($0) }
        let digits = text.filter(\.isASCIIDigit)
        let others = text.filter { !$0.isASCIIDigit && !isSeparator($0) }
        guard !digits.isEmpty, others.lowercased() == currency ?? "" else { return false }
        guard currency == nil else { return true }
        guard digits.last == "9", digits.count > 1 else { return false }
        let hasUnits = Part(parent).units != nil && Part(parent).name != nil || parent.allSatisfy(\.isASCIIDigit)
        return hasUnits || digits.count > 2 && (digits.count < text.count || digits.first == "0")
    }

    /// Removes a version or a tier of prices at the end, such as `_v2` or `tier5`.
    private static func withoutVersion(_ component: Substring) -> Substring {
        let digits = component.reversed().prefix { $0.isASCIIDigit }.count
        let name = component.dropLast(digits)
        guard digits > 0, let word = ["version", "tier", "v"].first(where: { name.lowercased().hasSuffix($0) }) else {
            return component
        }
        let rest = name.dropLast(word.count)
        guard rest.last.map(isSeparator) ?? true else { return component }
        return rest.dropLast()
    }

    /// Returns the words of a text that may name a wallet, without a number.
    ///
    /// - Returns: `nil` if there is none.
    private static func name(in text: Substring, except others: Set<String> = fillers) -> String? {
        let parts = text.split(whereSeparator: isSeparator)
        let names = parts.filter { !others.contains($0.lowercased()) && $0.contains(where: \.isLetter) }
        return names.isEmpty ? nil : names.joined(separator: text.contains("-") ? "-" : "_")
    }

    private static func isSeparator(_ character: Character) -> Bool { "_- ".contains(character) }

    private static let currencies = ["cents", "eur", "gbp", "usd"]
    private static let fillers: Set<String> = [
        "a", "bonus", "bundle", "buy", "consumable", "extra", "for", "get", "iap", "inapp", "of", "pack", "package",
        "packs", "plus", "purchase", "the", "tier", "x",
    ]
    private static let sizes: Set<String> = [
        "big", "giant", "huge", "l", "large", "m", "max", "medium", "mega", "micro", "mini", "s", "small", "starter",
        "tiny", "xl", "xs", "xxl",
    ]
}

extension Character {
    fileprivate var isASCIIDigit: Bool { "0"..."9" ~= self && isASCII }
}
