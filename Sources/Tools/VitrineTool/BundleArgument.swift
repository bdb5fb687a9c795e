internal import ArgumentParser

/// Bundle identifiers that a command line names.
enum BundleArgument {
    /// Returns a bundle identifier of the form that Apple requires: letters, digits and hyphens, in parts separated by dots
    /// (https://developer.apple.com/documentation/bundleresources/information-property-list/cfbundleidentifier).
    static func checked(_ identifier: String) throws(ValidationError) -> String {
        let parts = identifier.split(separator: ".", omittingEmptySubsequences: false)
        let isFine = parts.allSatisfy { part in
            !part.isEmpty
                && part.unicodeScalars.allSatisfy {
                    $0.isASCII && ($0.properties.isAlphabetic || "0"..."9" ~= $0 || $0 == "-")
                }
        }
        guard parts.count > 1, isFine else {
            throw ValidationError("\(identifier) is not a bundle identifier such as com.example.shop.")
        }
        return identifier
    }
}
