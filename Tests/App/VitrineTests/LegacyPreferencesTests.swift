import Foundation
import Testing
import Vitrine
import VitrineTestSupport

@Suite(.hangLimit) struct LegacyPreferencesTests {
    @Test func `the in-memory preferences return a value until it is removed`() {
        let preferences = MemoryPreferences(["coins": .string("many")])

        preferences.set(5, forKey: "coins")
        preferences.set(true, forKey: "premium")
        #expect(preferences.value(forKey: "coins") == .integer(5))
        #expect(preferences.value(forKey: "premium") == .boolean(true))
        preferences.removeValue(forKey: "coins")
        #expect(preferences.value(forKey: "coins") == nil)
    }

    /// Registered defaults are not written to disk. Other defaults would be written to the home folder of the user who
    /// runs the tests.
    @Test func `values of UserDefaults are read with their types`() {
        let key = "vitrine-test-\(UUID().uuidString)"
        UserDefaults.standard.register(defaults: [
            key: [
                "integer": 550, "one": 1, "real": 0.5, "boolean": true, "string": "lisbon", "data": Data([1]),
                "date": Date(timeIntervalSinceReferenceDate: 5), "array": [[Data([2])], 7, false] as [Any],
            ] as [String: Any]
        ])

        #expect(
            UserDefaultsPreferences().value(forKey: key)
                == .dictionary([
                    "integer": .integer(550), "one": .integer(1), "real": .real(0.5), "boolean": .boolean(true),
                    "string": .string("lisbon"), "data": .data(Data([1])),
                    "date": .date(Date(timeIntervalSinceReferenceDate: 5)),
                    "array": .array([.array([.data(Data([2]))]), .integer(7), .boolean(false)]),
                ]))
        #expect(UserDefaultsPreferences().value(forKey: key + "-other") == nil)
    }

    @Test func `values nested too deeply in UserDefaults are not read`() {
        let key = "vitrine-test-\(UUID().uuidString)"
        var deep: [Any] = []
        for _ in 0..<20 { deep = [deep] }
        UserDefaults.standard.register(defaults: [key: deep])

        var expected = PreferenceValue.unsupported
        for _ in 0..<8 { expected = .array([expected]) }
        #expect(UserDefaultsPreferences().value(forKey: key) == expected)
    }
}
