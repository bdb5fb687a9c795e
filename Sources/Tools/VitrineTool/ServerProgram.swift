import Foundation
import VitrineCommandSupport
import VitrineFileSystem

/// Program `vitrine-server`, which contains all commands that listen on ports, so that the tool `vitrine` remains
/// small.
enum ServerProgram {
    /// Replaces this process with `vitrine-server`.
    ///
    /// - Throws: ``ToolFailure`` if the program is not installed or cannot be started.
    static func become(_ arguments: [String]) throws -> Never {
        guard let path else {
            throw ToolFailure(
                status: .unavailable,
                reason: "vitrine-server is not installed: 'make install-server' in the folder of Vitrine installs it")
        }
        let pointers = ([path] + arguments).map { strdup($0) } + [nil]
        execv(path, pointers)
        let error = FileSystemError(lastAt: URL(filePath: path))
        throw ToolFailure(status: .inputOutput, reason: "\(path) cannot be started: \(error.reason)")
    }

    /// Path of `vitrine-server`: beside this tool, otherwise in a folder of `PATH`; `nil` if it is not installed.
    private static var path: String? {
        let beside = Bundle.main.executableURL?.resolvingSymlinksInPath().deletingLastPathComponent()
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let folders = [beside].compactMap(\.self) + path.split(separator: ":").map { URL(filePath: String($0)) }
        return folders.map { $0.appending(path: "vitrine-server").path(percentEncoded: false) }
            .first(where: FileManager.default.isExecutableFile)
    }
}
