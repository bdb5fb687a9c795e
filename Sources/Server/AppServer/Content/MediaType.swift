internal import Foundation
internal import VitrinePropertyList

/// Media types of the files that devices fetch.
enum MediaType {
    /// Returns the media type of a file by the extension of its name.
    static func of(fileName: String) -> String {
        switch fileName.split(separator: ".").last.map({ $0.lowercased() }) {
        case "json": json
        case "minisig": "text/plain; charset=utf-8"
        case "plist": propertyList
        case "tar": "application/x-tar"
        case "xz": "application/x-xz"
        case "zip": "application/zip"
        case "zst": "application/zstd"
        default: "application/octet-stream"
        }
    }

    /// Returns the media type of a published catalog by its content: a catalog has the same name in each format.
    static func of(catalog: Data) -> String {
        (try? PropertyListFormat.of(Array(catalog))) == .json ? json : propertyList
    }

    private static let json = "application/json"
    private static let propertyList = "application/x-plist"
}
