import ArgumentParser
import VitrineCommandSupport
import VitrinePurchasing
import VitrineStoreSimulator
import VitrineSupport

struct StoreRedeemCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "redeem",
        abstract: "Redeem an offer code in the store, outside the app.",
        discussion: """
            The next command in the home receives the transaction, as an app does at launch. The exit status is 1 if \
            the product has no offer of this name, or the customer may not have the offer. A customer redeems a code \
            for a product that is not an auto-renewable subscription once, and none for a product that they have.

            EXAMPLE:
              vitrine store redeem SUMMER com.example.voyager.club
            """
    )

    @Argument(
        help: ArgumentHelp("The reference name of the offer in the store's StoreKit configuration.", valueName: "code"))
    var code: String

    @Argument(
        help: ArgumentHelp("The identifier of the product that has the offer.", valueName: "product"),
        completion: .product)
    var product: String

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func report() async throws -> Report {
        do {
            let redeemed = try await home.folder.openStore().redeem(code, of: product)
            return redeemed.report("redeemed \(code) for", date: redeemed.purchaseDate)
        } catch let error as StoreError where error.code == .invalidOffer || error.code == .productNotAvailable {
            throw ToolFailure(status: .no, reason: error.reason)
        }
    }
}
