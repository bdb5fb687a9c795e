package import ArgumentParser
import Foundation
import VitrineCatalog
import VitrineFileSystem

/// Root command of a program. All programs report errors of the command line in the form of other errors.
package protocol Program: AsyncParsableCommand {}

extension Program {
    /// Beginning of the messages of ArgumentParser, which is the same as in ``Console/say(_:)``.
    package static var _errorPrefix: String { "vitrine: error: " }

    /// Parses and runs the command line, and ends the process.
    package static func start() async {
        Console.requireArguments()
        let arguments = CommandLine.arguments.dropFirst()
        if let mistake = undecodableArgument ?? joinedOptions(in: arguments) ?? misspelledCommand(in: arguments) {
            exit(withError: ValidationError(mistake))
        }
        await main(nil)
    }

    /// Message about the first argument that is not UTF-8; `nil` if there is none. Swift replaces its bytes: no file has the
    /// resulting name, and different tokens or reasons would become equal.
    private static var undecodableArgument: String? {
        for position in 1..<max(1, Int(CommandLine.argc)) {
            guard let bytes = CommandLine.unsafeArgv[position], String(validatingCString: bytes) == nil else {
                continue
            }
            let name = UnsafeBufferPointer(start: bytes, count: strlen(bytes)).map(UInt8.init(bitPattern:))
            return "The argument \(String(escapingName: name)) is not UTF-8."
        }
        return nil
    }

    /// Returns the message about an argument such as `-shop.plist`; `nil` if there is none. The programs have no options
    /// that can be joined, but ArgumentParser would find the `h` in it, print the help and end with status 0.
    private static func joinedOptions(in arguments: some Sequence<String>) -> String? {
        arguments.prefix { $0 != "--" }.first { $0.count > 2 && $0.hasPrefix("-") && !$0.hasPrefix("--") }.map {
            "Unknown option '\($0)'. Write -- before arguments that begin with a hyphen, and = before such a value of an option."
        }
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
