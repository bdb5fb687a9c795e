extension DecodingError {
    /// Field of a document that could not be decoded, such as `items.[0].name`, and what is wrong with it. The field is
    /// empty if the whole document is wrong.
    ///
    /// The descriptions of Foundation's decoder name types of this package, which mean nothing to the sender.
    package var fault: (field: String, text: String) {
        let (path, text): ([any CodingKey], String) =
            switch self {
            case .keyNotFound(let key, let context): (context.codingPath + [key], "is missing")
            case .valueNotFound(_, let context): (context.codingPath, "must not be null")
            case .typeMismatch(_, let context): (context.codingPath, "has another type than expected")
            case .dataCorrupted(let context): (context.codingPath, "is malformed")
            @unknown default: ([], "is malformed")
            }
        return (path.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }.joined(separator: "."), text)
    }
}
