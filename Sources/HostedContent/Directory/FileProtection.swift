internal import FileSystem

// Not built or run on Linux.
#if canImport(Darwin)
    internal import Foundation
    internal import ProductCatalog

    /// Data protection of files.
    enum FileProtection {
        /// Makes a file, or files created in a folder, accessible from the first unlocking of the device after a start:
        /// a background download is written while the device is locked.
        static func relax(_ place: URL) throws(ContentError) {
            do {
                try FileManager.default.setAttributes(
                    [.protectionKey: FileProtectionType.completeUntilFirstUserAuthentication],
                    ofItemAtPath: place.systemPath)
            } catch {
                throw ContentError(error, at: place)
            }
        }
    }
#endif
