internal import CFuzzer
internal import Foundation
internal import VitrinePropertyList

/// What libFuzzer calls with each of its inputs.
public typealias Check = @convention(c) (_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt

/// What a check tells libFuzzer about an input.
public enum Verdict {
    /// To be kept, if it reaches code that no other input reached.
    public static let usable: CInt = 0
    /// Not to be kept, whatever it reaches.
    public static let beside: CInt = -1
}

/// Hands the program's arguments and the check to libFuzzer, and ends with its exit status.
public func runFuzzer(_ check: Check) -> Never {
    var count = CommandLine.argc
    var arguments = CommandLine.unsafeArgv
    exit(LLVMFuzzerRunDriver(&count, &arguments, check))
}

/// Traps unless a promise holds. A release build would drop the message of `precondition`.
func require(_ condition: Bool, _ promise: @autoclosure () -> String) {
    guard condition else { fatalError("broken: \(promise())") }
}

/// Traps if something fails that must not.
func mustSucceed<Value>(_ promise: String, _ body: () throws(PropertyListError) -> Value) -> Value {
    do {
        return try body()
    } catch {
        fatalError("broken: \(promise): \(error)")
    }
}
