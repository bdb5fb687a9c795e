/// Arithmetic on numbers that come from outside: amounts and moments in documents, requests and stored facts.
///
/// A result that does not fit in the type is the nearest number that does. Swift's operators would end the process
/// instead, so that one number in a stored fact would keep a ledger from ever being used again.
extension SignedInteger where Self: FixedWidthInteger {
    package func addingSaturated(_ other: Self) -> Self {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? (other < 0 ? .min : .max) : sum
    }

    package func subtractingSaturated(_ other: Self) -> Self {
        let (difference, overflows) = subtractingReportingOverflow(other)
        return overflows ? (other < 0 ? .max : .min) : difference
    }

    /// The number with the opposite sign.
    package var negatedSaturated: Self { Self.zero.subtractingSaturated(self) }

    /// The number without its sign.
    package var magnitudeSaturated: Self { self < 0 ? negatedSaturated : self }
}
