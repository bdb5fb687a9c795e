import ArgumentParser
import Foundation
import Vitrine

struct HomeOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The home folder. (default: VITRINE_HOME, else .vitrine in the current folder)", valueName: "dir"))
    var home: String?

    func validate() throws {
        guard home != "" else { throw ValidationError("The home must not be empty.") }
    }

    var folder: Home {
        let named = home ?? ProcessInfo.processInfo.environment["VITRINE_HOME"].flatMap { $0.isEmpty ? nil : $0 }
        return Home(url: URL(filePath: named ?? ".vitrine", directoryHint: .isDirectory))
    }
}

struct VerboseOptions: ParsableArguments {
    @Flag(help: "Print each event to standard error, one per line.")
    var verbose = false
}
