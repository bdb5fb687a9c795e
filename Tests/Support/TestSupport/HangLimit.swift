package import Testing

extension Trait where Self == TimeLimitTrait {
    /// Limit after which a test that hangs fails. The longest case took 93 seconds on a slow machine with two cores,
    /// beside five other tests.
    package static var hangLimit: Self { .timeLimit(.minutes(15)) }
}
