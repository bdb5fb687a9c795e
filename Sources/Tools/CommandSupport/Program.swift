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
        StandardStream.replaceClosed()
        Console.requireArguments()
        let arguments = CommandLine.arguments.dropFirst()
        if let mistake = undecodableArgument ?? joinedOptions(in: arguments) ?? unknownCommand(in: arguments) {
            exit(withError: ValidationError(mistake))
        }
        do {
            var command = try await asyncParseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            end(with: error)
        }
    }

    /// Ends the process as ArgumentParser does. What was asked for, such as help, is written by ``Console``, which notices if
    /// that fails.
    private static func end(with error: any Error) -> Never {
        let text = fullMessage(for: error)
        guard exitCode(for: error) == .success, !text.isEmpty else { exit(withError: error) }
        write(text)
        exit()
    }

    /// Writes a text to standard output. A failure ends the process with exit status 74.
    package static func write(_ text: String) {
        do {
            try Console.write([text])
        } catch {
            exit(withError: error)
        }
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

    /// Returns the message about an argument such as `-shop.plist` or `-1`; `nil` if there is none. The programs have no
    /// options that can be joined and none that are digits, but ArgumentParser would find the `h` in the first, print the
    /// help and end with status 0, and report the second as a missing argument.
    private static func joinedOptions(in arguments: some Sequence<String>) -> String? {
        arguments.prefix { $0 != "--" }.first { argument in
            let option = argument.dropFirst()
            return argument.hasPrefix("-") && !option.hasPrefix("-")
                && (option.count > 1 || option.first?.isNumber == true)
        }.map {
            "Unknown option '\($0)'. Write -- before arguments that begin with a hyphen, and = before such a value of an option."
        }
    }
}

extension ParsableCommand {
    /// Returns the message about the first argument in the place of a command's name that is none, with the nearest name;
    /// `nil` if the names of all commands are known. ArgumentParser itself suggests only options, and where help or the
    /// version is asked for, it ignores such an argument and ends with status 0.
    fileprivate static func unknownCommand(in arguments: some Sequence<String>) -> String? {
        let operands = arguments.filter { !["--help", "-h", "--version", "--"].contains($0) }
        // `vitrine help` is followed by names of commands alone, and is a command itself.
        let isHelp = operands.first == "help"
        guard operands != ["help", "help"] else { return nil }
        var command: any ParsableCommand.Type = self
        for word in operands.dropFirst(isHelp ? 1 : 0) {
            let configuration = command.configuration
            let names = configuration.subcommands.compactMap { $0.configuration.commandName }
            guard isHelp || !names.isEmpty, !word.hasPrefix("-") else { return nil }
            guard let index = names.firstIndex(of: word) else {
                let suggestion = EditDistance.nearest(to: word, among: names).map { " Did you mean '\($0)'?" }
                // A file can be the argument of a default command.
                if !isHelp, configuration.defaultSubcommand != nil,
                    suggestion == nil || FileManager.default.fileExists(atPath: word)
                {
                    return nil
                }
                return "Unknown command '\(word)'.\(suggestion ?? "")"
            }
            command = configuration.subcommands[index]
        }
        return nil
    }
}
