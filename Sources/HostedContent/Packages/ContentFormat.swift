/// How content is packed.
public enum ContentFormat: String, Sendable, Hashable, CaseIterable {
    /// A zip, which every system can open.
    case zip
    /// A tar with Zstandard, which is shorter.
    case tarZstandard = "tar.zst"
}
