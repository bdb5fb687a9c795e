internal import Foundation

/// Conversion of numbers, dates and data from and to text in a property list.
enum ScalarText {
    /// Text of a value, as a slice of the buffer that contains it. An array slice would retain the array, so that
    /// changing the array would copy it.
    typealias Text = Slice<UnsafeBufferPointer<UInt8>>

    /// Parses a decimal or hexadecimal integer from `Int64.min` to `UInt64.max`. `isUnsigned` is `true` above
    /// `Int64.max`.
    static func integer(_ text: Text) -> (bits: UInt64, isUnsigned: Bool)? {
        var digits = trimmed(text)
        var isNegative = false
        if let sign = digits.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
            isNegative = sign == UInt8(ascii: "-")
            digits = digits.dropFirst()
        }
        let isHexadecimal = digits.starts(with: "0x".utf8) || digits.starts(with: "0X".utf8)
        if isHexadecimal { digits = digits.dropFirst(2) }
        guard digits.first.map(isHexadecimalDigit) == true,
            let magnitude = UInt64(String(decoding: digits, as: UTF8.self), radix: isHexadecimal ? 16 : 10)
        else { return nil }
        guard isNegative else { return (magnitude, magnitude > UInt64(Int64.max)) }
        guard magnitude <= Int64.min.magnitude else { return nil }
        return (0 &- magnitude, false)
    }

    /// Parses a real number. Every NaN is normalized to one bit pattern, because a property list has only one text for
    /// NaN.
    static func real(_ text: Text) -> Double? {
        Double(String(decoding: trimmed(text), as: UTF8.self)).map { $0.isNaN ? .nan : $0 }
    }

    /// Parses a date in the form `YYYY-MM-DDThh:mm:ssZ`.
    ///
    /// - Returns: Seconds since 2001-01-01; `nil` for another form, and for a day or a time that does not exist.
    static func secondsSince2001(_ text: Text) -> Double? {
        let text = trimmed(text)
        let separators = [(4, "-"), (7, "-"), (10, "T"), (13, ":"), (16, ":"), (19, "Z")] as [(Int, Unicode.Scalar)]
        func part(_ offset: Int, _ count: Int) -> Int? {
            digits(text[(text.startIndex + offset)..<(text.startIndex + offset + count)])
        }
        guard text.count == 20, separators.allSatisfy({ text[text.startIndex + $0] == UInt8(ascii: $1) }),
            let year = part(0, 4), let month = part(5, 2), let day = part(8, 2), let hour = part(11, 2),
            let minute = part(14, 2), let second = part(17, 2),
            hour < 24, minute < 60, second < 60,
            let days = daysSince1970(year: year, month: month, day: day)
        else { return nil }
        return Double(((days * 24 + hour) * 60 + minute) * 60 + second - 978_307_200)
    }

    /// Range of dates supported in property lists, in seconds since 2001-01-01. `Date.distantPast` is in the year 0.
    static let years0To9999 = -63_145_526_400.0..<252_423_993_600.0

    static func base64(_ text: Text) -> [UInt8]? {
        Data(base64Encoded: Data(text.filter { !$0.isXMLSpace })).map(Array.init)
    }

    /// Returns the number of days since 1970-01-01 in the proleptic Gregorian calendar. The calculation uses years that
    /// begin in March, so that a leap day is the last day of its year.
    private static func daysSince1970(year: Int, month: Int, day: Int) -> Int? {
        let isLeapYear = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
        let lengths = [31, isLeapYear ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard year >= 0, (1...12).contains(month), (1...lengths[month - 1]).contains(day) else { return nil }
        let shiftedYear = month <= 2 ? year - 1 : year
        let monthFromMarch = (month + 9) % 12
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        let leapDays = shiftedYear / 4 - shiftedYear / 100 + shiftedYear / 400
        return shiftedYear * 365 + leapDays + dayOfYear - 719_468
    }

    /// Returns the shortest text that results in the same number when it is parsed.
    static func text(ofReal number: Double) -> String {
        if number.isNaN { return "nan" }
        if number.isInfinite { return number < 0 ? "-infinity" : "+infinity" }
        let text = "\(number)"
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    private static func trimmed(_ text: Text) -> Text {
        let start = text.drop(while: \.isXMLSpace)
        guard let last = start.lastIndex(where: { !$0.isXMLSpace }) else { return start[start.endIndex...] }
        return start[...last]
    }

    /// Parses a decimal number without a sign.
    ///
    /// - Returns: `nil` if a byte is not a decimal digit.
    private static func digits(_ text: Text) -> Int? {
        var number = 0
        for byte in text {
            guard byte.isDigit else { return nil }
            number = number * 10 + Int(byte - UInt8(ascii: "0"))
        }
        return number
    }

    private static func isHexadecimalDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }
}

extension UInt8 {
    /// `true` if the byte is a decimal digit in ASCII.
    package var isDigit: Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= self }
}
