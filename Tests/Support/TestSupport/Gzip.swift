package import Foundation

/// Compression by the command `gzip`.
package enum Gzip {
    package static func pack(_ data: Data) -> Data {
        do {
            let folder = try TemporaryFolder()
            try data.write(to: folder["data"])
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments = ["gzip", "-9", "-n", "data"]
            process.currentDirectoryURL = folder.url
            try process.run()
            process.waitUntilExit()
            return try Data(contentsOf: folder["data.gz"])
        } catch {
            fatalError("gzip cannot pack: \(error)")
        }
    }
}
