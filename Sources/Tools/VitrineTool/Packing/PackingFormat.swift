import ArgumentParser
import VitrineHostedContent

#if os(Linux)
    import VitrineTarCodec
#endif

/// Format of packed content.
enum PackingFormat: String, CaseIterable, ExpressibleByArgument {
    /// Zip, which every app can open.
    case zip
    /// Tar with Zstandard, which is shorter, and which apps cannot open.
    case tarZstandard = "tar.zst"

    /// Codec that the format needs beside what apps have; `nil` for a zip.
    var codec: (any TarCodec)? { self == .zip ? nil : Self.codec }

    /// Codec for the tars that apps cannot open; `nil` where the tool is built without libarchive.
    static var codec: (any TarCodec)? {
        #if os(Linux)
            LibArchiveCodec()
        #else
            nil
        #endif
    }

    /// Formats that this tool can write.
    static var available: [PackingFormat] { codec == nil ? [.zip] : allCases }
}
