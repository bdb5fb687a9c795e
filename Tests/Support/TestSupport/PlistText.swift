package import VitrinePropertyList

/// Helpers for property lists in tests.
package enum PlistText {
    /// Returns an XML property list with the given root element.
    package static func document(_ body: String) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        \(body)
        </plist>

        """
    }

    package static func read(_ text: String) throws -> PropertyListDocument {
        try PropertyListDocument(bytes: Array(text.utf8))
    }
}

/// Text in which `▸` marks expected positions.
package struct MarkedText {
    package let text: String
    /// Positions of the marks, in order.
    package let positions: [SourcePosition]

    package init(_ marked: String) {
        var text = ""
        var positions: [SourcePosition] = []
        var (line, column) = (1, 1)
        for scalar in marked.unicodeScalars {
            if scalar == "▸" {
                positions.append(SourcePosition(line: line, column: column))
                continue
            }
            text.unicodeScalars.append(scalar)
            (line, column) = scalar == "\n" ? (line + 1, 1) : (line, column + 1)
        }
        self.text = text
        self.positions = positions
    }
}
