internal import FileSystem

// Not built or run on Linux.
#if canImport(Darwin)
    internal import Foundation
    internal import ProductCatalog

    /// When the system lets files be read.
    enum FileProtection {
        /// Has a file, or what is made in a folder, be readable from the first time on that the device is unlocked after a
        /// start: a download that goes on in the background has to be written while it is locked.
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
