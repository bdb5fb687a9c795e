import Testing
import VitrineTestSupport

@testable import VitrineCatalog

@Suite(.hangLimit) struct WalletGuessTests {
    @Test(
        arguments: [
            ("com.example.coins50", "coins", 50), ("com.example.500coins", "coins", 500),
            ("com.example.coins.100", "coins", 100), ("com.example.coins_100", "coins", 100),
            ("com.example.100-coins", "coins", 100), ("500coins.1.99", "coins", 500),
            ("com.example.coins100.0.99", "coins", 100), ("com.example.coins100_0.99", "coins", 100),
            ("com.example.gems.1000.9.99", "gems", 1_000), ("10bulbs", "bulbs", 10),
            ("com.example.pack_of_100_coins", "coins", 100), ("com.example.coins100_v2", "coins", 100),
            ("com.example.gold_coins_20", "gold_coins", 20), ("com.example.coins5k", "coins", 5_000),
            ("com.example.coins5K", "coins", 5_000), ("com.example.10K_coins", "coins", 10_000),
            ("com.example.coins_1_000", "coins", 1_000), ("com.example.1-000-000-coins", "coins", 1_000_000),
            ("com.example.coins_100_199", "coins", 100),
            ("com.example.5kings", "kings", 5), ("com.example.coins.small", "coins", 1),
            ("com.example.small_tip", "tip", 1), ("com.example.life", "life", 1), ("com.example.coins0", "coins", 1),
            ("com.example.coins99999999999999999999", "coins", 1), ("100", "100", 100), ("", "", 1),
            ("5.gems", "gems", 5), ("com.example.100.coins", "coins", 100),
            ("com.example.100.coins.pack", "coins", 100), ("com.example.coins.pack.100", "coins", 100),
            ("com.example.100coins.small", "coins", 100), ("com.example.coins.small.100", "coins", 100),
            ("com.app2.starter", "app2", 1), ("com.app2.100", "app2", 100), ("com.example.app2.coins", "coins", 1),
            ("com.example.iap6test.pack", "iap6test", 1), ("com.x.pack", "pack", 1),
        ])
    func `the wallet and the units of a consumable are guessed from its identifier`(
        identifier: String, wallet: String, units: Int
    ) {
        let guess = WalletGuess(identifier: identifier)

        #expect(guess.wallet == wallet)
        #expect(guess.units == units)
    }

    @Test(
        arguments: [
            ("100coins.099", 100), ("com.example.coins100.199", 100), ("com.example.coins100.1_99", 100),
            ("com.example.coins.100.1_99", 100), ("com.example.coins.500.799", 500), ("com.example.coins.1_99", 1),
            ("com.example.coins.099", 1),
            ("com.example.100coins.usd099", 100), ("com.example.100coins.99cents", 100),
            ("com.example.coins100.usd0.99", 100), ("com.example.coins.tier5", 1), ("com.example.coins_v2", 1),
            ("com.example.coins.v2", 1), ("com.example.coins.100.v2", 100), ("com.example.coins.99", 99),
            ("com.example.coins.999", 999), ("com.example.coins.001", 1),
        ])
    func `a price, a tier or a version in an identifier is not taken for units`(identifier: String, units: Int) {
        let guess = WalletGuess(identifier: identifier)

        #expect(guess.wallet == "coins")
        #expect(guess.units == units)
    }

    @Test func `packs of different sizes are guessed to credit one wallet`() {
        func wallets(_ identifiers: String...) -> [String] {
            let guesses = WalletGuess.guesses(for: identifiers)
            return identifiers.map { guesses[$0]?.wallet ?? "" }
        }

        #expect(wallets("a.coins.100", "a.coins.500", "a.coins.1000") == ["coins", "coins", "coins"])
        #expect(wallets("10bulbs", "30bulbs") == ["bulbs", "bulbs"])
        #expect(wallets("a.coin1", "a.coins100", "a.life") == ["coins", "coins", "life"])
    }
}
