package import ArgumentParser
import Foundation
import VitrineCatalog

/// Root command of a program. All programs report errors of the command line in the form of other errors.
package protocol Program: AsyncParsableCommand {}

extension Program {
    /// Beginning of the messages of ArgumentParser, which is the same as in ``Console/say(_:)``.
    package static var _errorPrefix: String { "vitrine: error: " }

    /// Parses and runs the command line, and ends the process.
    package static func start() async {
        Console.requireArguments()
        if let misspelled = misspelledCommand(in: CommandLine.arguments.dropFirst()) {
            exit(withError: ValidationError(misspelled))
        }
        await main(nil)
    }
}

extension ParsableCommand {
    /// Returns the message about an argument in the place of a command's name that is similar to such a name; `nil` if
    /// the names of all commands are known, or no name is similar. ArgumentParser itself suggests only options.
    fileprivate static func misspelledCommand(in arguments: some Sequence<String>) -> String? {
        var command: any ParsableCommand.Type = self
        for argument in arguments where !["help", "--help", "-h"].contains(argument) {
            let names = command.configuration.subcommands.compactMap { $0.configuration.commandName }
            guard !names.isEmpty, !argument.hasPrefix("-") else { return nil }
            guard let index = names.firstIndex(of: argument) else {
                // A file can be the argument of a default command.
                guard !FileManager.default.fileExists(atPath: argument) else { return nil }
                return EditDistance.nearest(to: argument, among: names).map {
                    "Unknown command '\(argument)'. Did you mean '\($0)'?"
                }
            }
            command = command.configuration.subcommands[index]
        }
        return nil
    }
}
