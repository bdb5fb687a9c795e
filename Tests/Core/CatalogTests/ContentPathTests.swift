import Testing
import VitrineCatalog
import VitrineTestSupport

@Suite(.hangLimit) struct ContentPathTests {
    @Test(
        arguments: [
            ("guides/rome", ["guides", "rome"]), ("guides/rome/", ["guides", "rome"]), ("./guides", ["guides"]),
            ("guides//rome", ["guides", "rome"]), ("guides/../rome", ["rome"]), ("a/b/../../c", ["c"]),
            ("Führer/Rom", ["Führer", "Rom"]), (".", []), ("...", ["..."]),
            ("..\u{338}", ["..\u{338}"]), ("a/\u{338}b", ["a", "\u{338}b"]),
        ]
    )
    func `a content path inside its folder is split into normalized components`(text: String, components: [String])
        throws
    {
        #expect(try ContentPath(text).components == components)
    }

    @Test(
        arguments: [
            ("../../etc", "leaves its folder"), ("..", "leaves its folder"),
            ("a/../..", "leaves its folder"), ("a/../../a", "leaves its folder"),
            ("../\u{338}evil/rome", "leaves its folder"), ("/\u{338}evil", "is absolute"),
            ("/etc/passwd", "is absolute"), ("//a", "is absolute"), ("a\nb", "contains a control character"),
            ("a\u{0}b", "contains a control character"),
            (String(repeating: "x", count: 256), "contains a name that is longer than 255 bytes"),
            (String(repeating: "x/", count: 600), "is longer than 1024 bytes"),
        ]
    )
    func `a content path that is absolute, too long, outside its folder or has control characters is refused`(
        text: String, reason: String
    ) {
        let error = #expect(throws: ContentPathError.self) { try ContentPath(text) }
        #expect(error?.reason == reason)
    }
}
