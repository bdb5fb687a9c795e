internal import CVitrineXML2

extension xmlError {
    /// Description of an XML syntax error, as the rest of a sentence.
    var reason: String {
        let (first, second) = (Self.text(str1), Self.text(str2))
        return switch xmlParserErrors(UInt32(bitPattern: code)) {
        case XML_ERR_TAG_NAME_MISMATCH: "<\(first)> in line \(int1) is closed by </\(second)>"
        case XML_ERR_TAG_NOT_FINISHED: "<\(first)> in line \(int1) is not closed"
        case XML_ERR_UNDECLARED_ENTITY, XML_WAR_UNDECLARED_ENTITY: "the entity &\(first); is not declared"
        case XML_ERR_ATTRIBUTE_REDEFINED: "the attribute \(first) is repeated"
        default: Self.reasons[code] ?? "the XML is not well formed"
        }
    }

    /// `true` if a comment, an instruction or a CDATA section does not end.
    var isUnfinished: Bool {
        [XML_ERR_COMMENT_NOT_FINISHED, XML_ERR_CDATA_NOT_FINISHED, XML_ERR_PI_NOT_FINISHED]
            .contains { Int32(bitPattern: $0.rawValue) == code }
    }

    var isHyphenInComment: Bool { Int32(bitPattern: XML_ERR_HYPHEN_IN_COMMENT.rawValue) == code }

    static let unfinishedComment = "a comment does not end with -->"

    private static func text(_ characters: UnsafeMutablePointer<CChar>?) -> String {
        characters.map { String(cString: $0) } ?? ""
    }

    private static let reasons: [Int32: String] = {
        let reasons: [(xmlParserErrors, String)] = [
            (XML_ERR_NO_MEMORY, "there is not enough memory to parse the file"),
            (XML_ERR_DOCUMENT_EMPTY, "the file contains no XML element"),
            (
                XML_ERR_DOCUMENT_END,
                "the file continues after the end of the root element, or the end tag of that element is missing"
            ),
            (XML_ERR_INVALID_HEX_CHARREF, "a character reference is not a hexadecimal number"),
            (XML_ERR_INVALID_DEC_CHARREF, "a character reference is not a decimal number"),
            (XML_ERR_INVALID_CHARREF, "a character reference has no number"),
            (XML_ERR_INVALID_CHAR, "the file contains a character that XML does not allow"),
            (XML_ERR_ENTITYREF_SEMICOL_MISSING, "an entity reference does not end with a semicolon"),
            (XML_ERR_ENTITYREF_NO_NAME, "a & is neither escaped as &amp; nor followed by the name of an entity"),
            (
                XML_ERR_NAME_REQUIRED,
                "the name of a tag, attribute or entity is missing, or a & is not escaped as &amp;"
            ),
            (XML_ERR_LT_IN_ATTRIBUTE, "the value of an attribute contains <, which must be escaped as &lt;"),
            (XML_ERR_ATTRIBUTE_NOT_STARTED, "the value of an attribute is not in quotation marks"),
            (XML_ERR_ATTRIBUTE_NOT_FINISHED, "the value of an attribute has no closing quotation mark"),
            (XML_ERR_ATTRIBUTE_WITHOUT_VALUE, "an attribute has no value"),
            (XML_ERR_COMMENT_NOT_FINISHED, unfinishedComment),
            (XML_ERR_HYPHEN_IN_COMMENT, "a comment contains --"),
            (XML_ERR_PI_NOT_FINISHED, "a processing instruction does not end with ?>"),
            (XML_ERR_RESERVED_XML_NAME, "the XML declaration is only allowed at the start of the file"),
            (XML_ERR_XMLDECL_NOT_FINISHED, "the XML declaration does not end with ?>"),
            (XML_ERR_VERSION_MISSING, "the XML declaration has no version"),
            (XML_ERR_DOCTYPE_NOT_FINISHED, "the document type declaration does not end with >"),
            (XML_ERR_MISPLACED_CDATA_END, "]]> is not allowed in text"),
            (XML_ERR_CDATA_NOT_FINISHED, "a CDATA section does not end with ]]>"),
            (XML_ERR_SPACE_REQUIRED, "a space is missing in a tag or declaration"),
            (XML_ERR_GT_REQUIRED, "a tag does not end with >"),
            (XML_ERR_LTSLASH_REQUIRED, "the end tag of an element is missing"),
            (XML_ERR_EQUAL_REQUIRED, "an = is missing after the name of an attribute"),
            (XML_ERR_INVALID_ENCODING, "the file is not valid UTF-8"),
            (XML_ERR_NAME_TOO_LONG, "the name of a tag, attribute or entity is too long"),
        ]
        return Dictionary(uniqueKeysWithValues: reasons.map { (Int32(bitPattern: $0.0.rawValue), $0.1) })
    }()
}
