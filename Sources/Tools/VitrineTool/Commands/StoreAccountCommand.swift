import ArgumentParser
import Foundation
import Vitrine
import VitrineCommandSupport
import VitrineStoreSimulator

struct StoreAccountCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "account",
        abstract: "Sign in to the App Store account of another customer on this device.",
        discussion: """
            From then on the home is the device of that customer, with the customer's transactions; a customer that the \
            store does not have is added. What the former customer has bought stays recorded in the home, and 'vitrine \
            init --accounts' says whether it is shown. 'vitrine store customers' names the customers.

            EXAMPLE:
              vitrine store account anna
            """
    )

    @Argument(help: ArgumentHelp("The name of the customer.", valueName: "customer"))
    var customer: String

    @OptionGroup var options: StoreOptions

    var output: OutputOptions { options.output }

    func validate() throws {
        guard !customer.isEmpty else { throw ValidationError("The name of the customer must not be empty.") }
    }

    func report() async throws -> Report {
        let home = options.home.folder
        let device = try home.openStore()
        let account = try device.device(device.deviceName, of: customer)
        guard var settings = try HomeSettings.read(from: home) else {
            throw ToolFailure(status: .noInput, reason: "there is no home in \(home.url.relativePath)")
        }
        settings.signIn(customer)
        try settings.write(to: home)
        let identifier = try await account.customers().first { $0.name == customer }?.appTransactionID
        return Report(
            lines: [
                device.customer == customer
                    ? "the App Store account of \(customer) is signed in already"
                    : "the App Store account of \(customer) is signed in, in place of that of \(device.customer)"
            ],
            json: ["customer": customer, "former": device.customer, "account": identifier])
    }
}
