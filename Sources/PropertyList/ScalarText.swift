internal import Foundation

/// Reads numbers, dates and data as a property list spells them.
enum ScalarText {
    /// A whole number from `Int64.min` to `UInt64.max`, decimal or hexadecimal; `isUnsigned` above `Int64.max`.
    static func integer(_ text: ArraySlice<UInt8>) -> (bits: UInt64, isUnsigned: Bool)? {
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

    static func real(_ text: ArraySlice<UInt8>) -> Double? {
        Double(String(decoding: trimmed(text), as: UTF8.self))
    }

    /// The moment that `YYYY-MM-DDThh:mm:ssZ` names; `nil` for a day or a time that does not exist.
    static func secondsSince1970(_ text: ArraySlice<UInt8>) -> Double? {
        let text = String(decoding: trimmed(text), as: UTF8.self)
        guard let match = text.wholeMatch(of: /([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})Z/),
            let year = Int(match.1), let month = Int(match.2), let day = Int(match.3),
            let hour = Int(match.4), let minute = Int(match.5), let second = Int(match.6),
            hour < 24, minute < 60, second < 60,
            let days = daysSince1970(year: year, month: month, day: day)
        else { return nil }
        return Double(((days * 24 + hour) * 60 + minute) * 60 + second)
    }

    static func base64(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        Data(base64Encoded: Data(text.filter { !$0.isXMLSpace })).map(Array.init)
    }

    /// Days in the proleptic Gregorian calendar, counted in years that begin in March, so that a leap day is a
    /// year's last.
    private static func daysSince1970(year: Int, month: Int, day: Int) -> Int? {
        let isLeapYear = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
        let lengths = [31, isLeapYear ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard year >= 1, (1...12).contains(month), (1...lengths[month - 1]).contains(day) else { return nil }
        let shiftedYear = month <= 2 ? year - 1 : year
        let monthFromMarch = (month + 9) % 12
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        let leapDays = shiftedYear / 4 - shiftedYear / 100 + shiftedYear / 400
        return shiftedYear * 365 + leapDays + dayOfYear - 719_468
    }

    private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let start = text.drop(while: \.isXMLSpace)
        guard let last = start.lastIndex(where: { !$0.isXMLSpace }) else { return [] }
        return start[...last]
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
