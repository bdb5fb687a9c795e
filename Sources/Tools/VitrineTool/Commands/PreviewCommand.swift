import ArgumentParser
import VitrineCommandSupport

struct PreviewCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "preview",
        abstract: "Show the shop of a catalog in the browser.",
        discussion: """
            This command starts vitrine-server, which shows the shop as a customer sees it: in each language and \
            storefront, with purchases, refunds and renewals, which are kept in a temporary folder. It prints the address \
            of the page when it is ready, and ends with SIGTERM or Ctrl-C. Only this machine can open the address, which \
            contains a secret. Saving the catalog or the StoreKit configuration updates the page.

            Scenes are kept in NAME.scenes.plist beside the catalog NAME.plist. --export writes each of them as a page \
            that needs no server, and --pictures as an image. The exit status is 69 if vitrine-server is not installed, \
            or Chromium for --pictures, and 74 if the port is in use.

            EXAMPLE:
              vitrine preview Catalogs/Voyager.plist --store Catalogs/Voyager.storekit \\
                --content HostedContent
              vitrine preview Catalogs/Voyager.plist --export Scenes --pictures Pictures
            """
    )

    @OptionGroup var options: PreviewOptions
    @OptionGroup var output: OutputOptions

    func report() async throws -> Report {
        try ServerProgram.become(["preview"] + (output.json ? ["--json"] : []) + options.arguments)
    }
}
