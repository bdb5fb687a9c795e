internal import VitrineFileSystem

// Not built or run on Linux.
#if canImport(Darwin)
    internal import Foundation
    internal import VitrineCatalog

    /// Data protection of files by the operating system, which can make them unreadable while the device is locked.
    enum FileProtection {
        /// Makes a file, or files created in a folder, accessible after the device was unlocked once since its start,
        /// because background downloads are written while the device is locked.
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
