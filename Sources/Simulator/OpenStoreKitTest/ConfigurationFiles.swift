/// Search for StoreKit configuration files next to the built tests.
enum ConfigurationFiles {
    /// Finds a configuration file among the resources of the test bundles. Off Apple's platforms, SwiftPM puts the
    /// resources of each target in a folder with the extension `resources` beside the executable.
    ///
    /// - Parameter name: Name of the file without its extension `storekit`.
    /// - Returns: The first match in the order of the folders' names; `nil` if there is none.
    static func file(named name: String) -> URL? {
        var folders = (Bundle.allBundles + [.main]).flatMap { [$0.resourceURL, $0.bundleURL] }.compactMap(\.self)
        if let executable = Bundle.main.executableURL?.deletingLastPathComponent() { folders.append(executable) }
        for folder in folders {
            let contents =
                (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
            let resources = contents.filter { ["resources", "bundle"].contains($0.pathExtension) }
                .sorted { $0.lastPathComponent < $1.lastPathComponent }
            for place in [folder] + resources + resources.map({ $0.appending(path: "Contents/Resources") }) {
                let file = place.appending(path: "\(name).storekit")
                if FileManager.default.fileExists(atPath: file.path(percentEncoded: false)) { return file }
            }
        }
        return nil
    }
}
