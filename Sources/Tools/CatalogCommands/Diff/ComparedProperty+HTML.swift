extension ComparedProperty {
    /// Maximum length of a displayed value, in Unicode scalars.
    private static let longestValue = 2_000
    /// Number of Unicode scalars shown before the first difference of two long values.
    private static let context = 100
    /// Maximum number of displayed values in a table cell.
    private static let mostValues = 100

    /// Table row with the name of the property, and its values before and after the change. Different values are
    /// marked.
    var row: HTMLText {
        let (before, after) = (Set(old), Set(new))
        let start = firstShown
        let left = old.map { (isEqual: after.contains($0), text: Self.excerpt($0, from: start)) }
        let right = new.map { (isEqual: before.contains($0), text: Self.excerpt($0, from: start)) }
        return """
            <tr><th scope="row">\(plain: name)</th>
            <td>\(Self.cell(left.map { ($0.isEqual, $0.isEqual ? $0.text : "<del>\($0.text)</del>") }))</td>
            <td>\(Self.cell(right.map { ($0.isEqual, $0.isEqual ? $0.text : "<ins>\($0.text)</ins>") }))</td></tr>

            """
    }

    /// Number of equal leading Unicode scalars omitted from both values, so that their first difference is not cut off;
    /// 0 if nothing is omitted.
    private var firstShown: Int {
        guard old.count == 1, new.count == 1, let before = old.first, let after = new.first, before != after else {
            return 0
        }
        let common = zip(before.unicodeScalars, after.unicodeScalars).prefix { $0 == $1 }.count
        return common + Self.context > Self.longestValue ? common - Self.context : 0
    }

    private static func excerpt(_ value: String, from start: Int) -> HTMLText {
        let scalars = value.unicodeScalars.dropFirst(start)
        let shown = String(String.UnicodeScalarView(scalars.prefix(longestValue)))
        let rest = scalars.count - longestValue
        return "\(plain: start > 0 ? "…" : "")\(lines: shown)\(plain: rest > 0 ? "… and \(rest) more characters" : "")"
    }

    /// Returns a table cell with all old or all new values. If there are too many, changed values come first.
    ///
    /// - Parameter values: Values, with `isEqual` set for those that did not change.
    private static func cell(_ values: [(isEqual: Bool, text: HTMLText)]) -> HTMLText {
        guard values.count > 1 else { return values.first?.text ?? #"<span class="none">none</span>"# }
        let ordered =
            values.count > mostValues ? values.filter { !$0.isEqual } + values.filter(\.isEqual) : values
        var items = ordered.prefix(mostValues).map { item -> HTMLText in "<li>\(item.text)</li>" }
        if ordered.count > mostValues { items.append("<li>\(plain: "… and \(ordered.count - mostValues) more")</li>") }
        return "<ul>\(items.joined())</ul>"
    }
}
