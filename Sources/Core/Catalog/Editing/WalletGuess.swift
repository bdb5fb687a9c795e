/// Wallet and units of a consumable, guessed from its identifier: a `.storekit` file names neither.
///
/// `….coins50`, `….500coins`, `….coins.100` and `500coins.1.99` credit a wallet `coins`. Words such as `pack` and
/// `small` are no wallets.
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
        let components = Self.withoutPrice(identifier.split(separator: "."))
        let last = components.last ?? Substring(identifier)
        let parent = components.dropLast().last
        guard let start = last.firstIndex(where: \.isASCIIDigit) else {
            let name = Self.name(in: last, except: Self.fillers.union(Self.sizes))
            self.init(wallet: name ?? parent.flatMap { Self.name(in: $0) } ?? String(last), units: 1)
            return
        }
        let digits = last[start...].prefix(while: \.isASCIIDigit)
        var rest = last[digits.endIndex...]
        var units = Int(digits) ?? 0
        // 5k, but not 5kings.
        if rest.first == "k", rest.dropFirst().first?.isLetter != true {
            rest = rest.dropFirst()
            units = units.multipliedReportingOverflow(by: 1_000).overflow ? 0 : units * 1_000
        }
        let after = rest.prefix { !$0.isASCIIDigit }
        let names = [Self.name(in: last[..<start]), Self.name(in: after)]
        self.init(
            wallet: names.compactMap(\.self).first ?? parent.flatMap { Self.name(in: $0) } ?? String(last),
            units: max(units, 1))
    }

    private init(wallet: String, units: Int) {
        self.wallet = wallet
        self.units = units
    }

    /// Removes a price at the end, such as `.1.99` or `_1.99`.
    private static func withoutPrice(_ components: [Substring]) -> [Substring] {
        guard let cents = components.last, cents.count == 2, cents.allSatisfy(\.isASCIIDigit),
            let whole = components.dropLast().last, let first = components.first, first.contains(where: \.isLetter)
        else { return components }
        let digits = whole.reversed().prefix { $0.isASCIIDigit }.count
        guard (1...4).contains(digits) else { return components }
        let name = whole.dropLast(digits)
        if name.isEmpty, components.count > 2 { return Array(components.dropLast(2)) }
        guard name.last.map(isSeparator) == true, name.contains(where: \.isLetter) else { return components }
        return components.dropLast(2) + [name.dropLast()]
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
