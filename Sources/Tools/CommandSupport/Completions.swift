package import ArgumentParser

/// Completions of files for several commands.
extension CompletionKind {
    package static let catalog = file(extensions: ["plist", "json"])
    package static let storeConfiguration = file(extensions: ["storekit"])
}
