import Foundation
import Testing
import VitrineTestSupport

#if os(Linux)
    /// Versions of a package, and content directories in which processes are killed or fail.
    struct ContentSweep {
        let folder: TemporaryFolder
        let faults: FaultLibrary
        /// Files of each version, by their paths in the installed folder.
        let versions: [String: [String: Data]]

        init(_ versions: [String: [String: Data]]) throws {
            (folder, faults) = (try TemporaryFolder(), try FaultLibrary())
            self.versions = versions
            for (version, files) in versions { try Self.write(files, version: version, to: folder) }
        }

        /// Writes a package into a folder with the name of its version.
        static func write(_ files: [String: Data], version: String, to folder: TemporaryFolder) throws {
            try folder.write(
                PlistText.document(
                    """
                    <dict><key>IAPProductIdentifier</key><string>rome</string>
                    <key>ContentVersion</key><string>\(version)</string></dict>
                    """), to: "\(version)/ContentInfo.plist")
            for (path, data) in files { try folder.write(data, to: "\(version)/Contents/\(path)") }
        }

        /// `true` if a fault is injected at every call, not only at some.
        static var isWhole: Bool { ProcessInfo.processInfo.environment["CRASH_SWEEP"] == "all" }

        /// Runs the helper to its end.
        func run(
            _ command: [String], in directory: URL, environment: [String: String] = [:]
        ) throws -> ContentHelperTool.Result {
            try ContentHelperTool(folder: folder.url).run(command, in: directory, environment: environment)
        }

        /// Creates a content directory.
        ///
        /// - Parameter place: Path at which the first version is installed; `nil` for an empty directory.
        func makeDirectory(named name: String, installingAt place: String?) throws -> URL {
            let directory = folder[name]
            guard let place else { return directory }
            let result = try run(["install-package", "1.0", "rome", "1.0", place], in: directory)
            try #require(result.status == 0, "\(result.errors)")
            return directory
        }

        /// Returns the names of the files and folders in a directory.
        func names(in directory: URL) throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: directory.path())
        }

        /// Returns the installed version, and expects that its files are unchanged.
        func version(in directory: URL, _ place: Comment) throws -> String? {
            let isAround = FileManager.default.fileExists(
                atPath: directory.appending(path: "g/.ContentInfo.plist").path())
            let content = directory.appending(path: isAround ? "g" : "g/rome")
            guard FileManager.default.fileExists(atPath: content.path()) else { return nil }
            var files = try files(in: content)
            let (info, manifest) = (
                files.removeValue(forKey: ".ContentInfo.plist"), files.removeValue(forKey: ".ContentManifest.plist")
            )
            #expect(manifest != nil, place)
            let version = String(decoding: try #require(info, place), as: UTF8.self).contains("2.0") ? "2.0" : "1.0"
            #expect(files == versions[version], place)
            return version
        }

        /// Expects that no temporary files remain after a launch, and that the directory has at most both versions and
        /// the marker files.
        func expectBounded(_ directory: URL, _ place: Comment) throws {
            #expect(try names(in: directory).allSatisfy { ["CACHEDIR.TAG", "g", ".downloads"].contains($0) }, place)
            let bytes = try files(in: directory).values.reduce(0) { $0 + $1.count }
            let both = versions.values.flatMap(\.values).reduce(0) { $0 + $1.count }
            #expect(bytes <= both + 1024 * 1024, place)
        }

        func files(in folder: URL) throws -> [String: Data] {
            try FileManager.default.subpathsOfDirectory(atPath: folder.path()).reduce(into: [:]) { files, path in
                let file = folder.appending(path: path)
                if try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true {
                    files[path] = try Data(contentsOf: file)
                }
            }
        }
    }
#endif
