internal import VitrinePropertyList

extension PropertyListLimits {
    /// Inputs are small: what a binary file comes to by referring to its strings again and again is bounded by the size
    /// that it might have, and should not take seconds.
    static var ofInputs: PropertyListLimits { PropertyListLimits(size: 1024 * 1024) }
}
