import Foundation
import Testing
import VitrineShopPreview

/// Forms of a preview page.
struct PreviewFormTests {
    private struct Result: Decodable {
        let message: String
        let succeeded: Bool
        let query: String?
    }

    private let script = ("Accept", "application/json")

    private func result(_ answer: PreviewAnswer) throws -> Result {
        #expect(answer.fields["content-type"] == "application/json")
        return try JSONDecoder().decode(Result.self, from: Data(answer.body.utf8))
    }

    @Test func `a browser without scripts can buy a product in the preview and returns to the same view`() async throws
    {
        try await ServedPreview.run { preview in
            let form = PreviewAction.buy(product: "com.example.voyager.lisbon", quantity: 1).fields.map {
                ($0.key, $0.value)
            }
            let answer = try await preview.send("POST", "actions?device=phone&language=de&scheme=dark", form: form)
            #expect(answer.status == 303)
            #expect(answer.fields["location"] == "./?language=de&device=phone&scheme=dark")
            let page = try await preview.send("GET", "?language=de&device=phone&scheme=dark")
            #expect(page.body.contains("Lissabon"))
            #expect(page.body.contains("data-device=\"phone\" data-scheme=\"dark\""))
            #expect(page.body.contains("<article class=\"card owned\" id=\"p0\""))
        }
    }

    @Test func `a preview script that submits a form receives the result as JSON`() async throws {
        try await ServedPreview.run { preview in
            let form = PreviewAction.buy(product: "com.example.voyager.lisbon", quantity: 1).fields.map {
                ($0.key, $0.value)
            }
            let bought = try result(try await preview.send("POST", "actions", form: form, headers: [script]))
            #expect(bought.succeeded)
            #expect(bought.message.contains("bought com.example.voyager.lisbon"))
            let back = try result(try await preview.send("POST", "back", form: [("step", "0")], headers: [script]))
            #expect(back.succeeded)
            #expect(try await preview.send().body.contains("<article class=\"card buyable\" id=\"p0\""))
        }
    }

    @Test func `a preview scene is saved with its view, opened and removed`() async throws {
        try await ServedPreview.run { preview in
            let saved = try await scene("save", "device=tablet&scheme=dark&language=de", preview)
            #expect(saved.succeeded)
            let page = try await preview.send()
            #expect(page.body.contains("owns &lt;Lisbon&gt; &amp; &quot;more&quot;"))
            let opened = try await scene("open", "", preview)
            #expect(opened.query == "language=de&device=tablet&scheme=dark")
            for (verb, succeeds) in [("remove", true), ("open", false), ("burn", false)] {
                let result = try await scene(verb, "", preview)
                #expect(result.succeeded == succeeds, "\(verb)")
            }
        }
    }

    private func scene(_ verb: String, _ query: String, _ preview: ServedPreview) async throws -> Result {
        let form = [("do", verb), ("name", "owns <Lisbon> & \"more\"")]
        return try result(try await preview.send("POST", "scenes?\(query)", form: form, headers: [script]))
    }

    struct Wrong: Sendable, CustomTestStringConvertible {
        let id, path: String
        let form: [(String, String)]

        var testDescription: String { id }
    }

    @Test(arguments: [
        Wrong(id: "no action", path: "actions", form: []),
        Wrong(id: "an unknown action", path: "actions", form: [("action", "burn")]),
        Wrong(id: "no step", path: "back", form: []),
        Wrong(id: "a step that is no number", path: "back", form: [("step", "x")]),
        Wrong(id: "a step that there is not", path: "back", form: [("step", "99")]),
        Wrong(id: "a negative step", path: "back", form: [("step", "-1")]),
        Wrong(id: "a scene without a name", path: "scenes", form: [("do", "save"), ("name", "")]),
        Wrong(
            id: "a form that is too large", path: "actions", form: [("action", String(repeating: "x", count: 9_000))]),
    ])
    func `an invalid form of the preview is refused with a reason and changes nothing`(_ wrong: Wrong) async throws {
        try await ServedPreview.run { preview in
            let revision = await preview.shop.revision
            let answer = try await preview.send("POST", wrong.path, form: wrong.form, headers: [script])
            #expect([400, 409].contains(answer.status))
            #expect(try !result(answer).message.isEmpty)
            let notice = try await preview.send("POST", wrong.path, form: wrong.form)
            #expect(notice.status == answer.status)
            #expect(notice.fields["content-type"] == "text/html; charset=utf-8")
            #expect(await preview.shop.revision == revision)
        }
    }

    @Test func `preview pages ignore query parameters with unknown values`() async throws {
        try await ServedPreview.run { preview in
            let page = try await preview.send(
                "GET", "?device=watch&scheme=red&language=%22%3E&storefront=%3Cb%3E&from=-1&to=x")
            #expect(page.status == 200)
            #expect(page.body.contains("data-device=\"computer\">"))
            #expect(page.body.contains("data-query=\"device=computer\""))
        }
    }
}
