import ArgumentParser
import Foundation
import VitrineCommandSupport

struct DoctorCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Look for what is wrong with a home, a catalog, keys and a catalog's server.",
        discussion: """
            Each line says what was looked at and what is wrong with it, and names the command that helps. A home is \
            opened as by each command, which repairs a damaged ledger, but no products are loaded and no purchase is \
            delivered. The catalog's server is asked once, unless --offline is given. With --images, the images that the \
            catalogs name by address are fetched, up to 200.

            The exit status is 1 if something is wrong, and 2 if nothing is, but something could not be looked at.

            EXAMPLES:
              vitrine doctor
              vitrine doctor --catalog Catalogs/Voyager.plist --key root.key \\
                --key root.pub
              vitrine doctor --catalog Catalogs/Voyager.plist --images
            """
    )

    @Option(help: ArgumentHelp("A catalog to look at instead of a home's.", valueName: "plist"), completion: .catalog)
    var catalog: [String] = []

    @Option(
        help: ArgumentHelp("A private or public key for catalogs to look at.", valueName: "file"), completion: .file())
    var key: [String] = []

    @Flag(help: "Fetch the images that the catalogs name by address.")
    var images = false

    @Flag(help: "Do not ask the catalog's server.")
    var offline = false

    @OptionGroup var session: SessionOptions

    var activity: String? { "examining the home" }

    func validate() throws { try PathArgument.validate(catalog + key) }

    func report() async throws -> Report {
        var examination = Examination()
        for path in catalog { examination.lookAtCatalog(path) }
        for path in key { examination.lookAtKey(path) }
        if catalog.isEmpty && key.isEmpty || session.home.home != nil {
            await examination.lookAtHome(session, isOffline: offline)
        }
        if images { await examination.lookAtImages(isOffline: offline) }
        let results = examination.results
        let problems = results.count { $0.state == .wrong }
        let unknown = results.count { $0.state == .unknown }
        return Report(
            lines: results.flatMap(\.lines) + [
                problems == 0
                    ? unknown == 0 ? "nothing is wrong" : "nothing is wrong, but not everything could be looked at"
                    : "\(problems) of \(results.count.with("thing")) \(problems == 1 ? "is" : "are") wrong"
            ],
            json: [
                "results": results.map { result -> JSONObject in
                    [
                        "subject": result.subject, "state": result.state.rawValue, "finding": result.finding,
                        "advice": result.advice,
                    ]
                }
            ],
            status: problems > 0 ? .no : unknown > 0 ? .unknown : .yes)
    }
}
