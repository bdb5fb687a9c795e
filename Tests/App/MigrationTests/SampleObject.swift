import Foundation

/// Value in an archive of an Objective-C library, in a form that can be an argument of a test.
enum SampleObject: Sendable {
    case null, date, array
    case integer(Int)
    case unsigned(UInt64)
    case real(Double)
    case boolean(Bool)
    case text(String)

    var object: NSObject {
        switch self {
        case .null: NSNull()
        case .date: NSDate(timeIntervalSinceReferenceDate: 0)
        case .array: NSArray(array: [])
        case .integer(let integer): NSNumber(value: integer)
        case .unsigned(let unsigned): NSNumber(value: unsigned)
        case .real(let real): NSNumber(value: real)
        case .boolean(let boolean): NSNumber(value: boolean)
        case .text(let text): NSString(string: text)
        }
    }
}
