import Foundation
import Testing
import VitrineSupport
import VitrineTestSupport

/// Script of the GitHub action that writes the comment on a pull request, against a server on this device.
@Suite(.blocksThreads, .enabled(if: PeerTool.python.isInstalled, "python3 is not installed"), .hangLimit)
struct ActionCommentTests {
    /// Comment as the API of GitHub describes it.
    struct Comment: Codable, Sendable {
        struct User: Codable, Sendable {
            let login: String
            let type: String
        }

        enum CodingKeys: String, CodingKey {
            case id, user, body
            case association = "author_association"
        }

        let id: Int
        let user: User
        let association: String?
        var body: String
    }

    /// Pull request with its comments. A token is the name of the user that it belongs to.
    final class PullRequest: Sendable {
        private final class State: Sendable {
            let comments: Locked<[Comment]>

            init(_ comments: [Comment]) { self.comments = Locked(comments) }
        }

        private let state: State
        private let server: LoopbackServer

        var bodies: [String] { state.comments.withLock { $0.map(\.body) } }
        var requests: [LoopbackServer.Request] { server.requests }

        /// - Parameters:
        ///   - mayChangeOthers: `false` if a token may change only the comments of its user.
        ///   - perPage: Maximum number of comments in one answer of the server, whatever was asked for.
        init(_ comments: [Comment] = [], mayChangeOthers: Bool = true, perPage: Int = 100) async throws {
            let state = State(comments)
            self.state = state
            server = try await LoopbackServer { request in
                state.comments.withLock {
                    Self.answer(request, &$0, mayChangeOthers: mayChangeOthers, perPage: perPage)
                }
            }
        }

        private static func answer(
            _ request: LoopbackServer.Request, _ comments: inout [Comment], mayChangeOthers: Bool, perPage: Int
        ) -> LoopbackServer.Answer {
            struct Body: Codable { let body: String }
            let user = request.headers["authorization"]?.replacing("Bearer ", with: "") ?? ""
            let body = (try? JSONDecoder().decode(Body.self, from: request.body))?.body ?? ""
            let parts = request.path.split(separator: "?")
            switch (request.method, parts.first) {
            case ("GET", "/api/repos/example/app/issues/7/comments"):
                let query = URLComponents(string: request.path)?.queryItems ?? []
                let page = query.first { $0.name == "page" }?.value.flatMap(Int.init) ?? 1
                let rest = comments.dropFirst((page - 1) * perPage)
                let data = (try? JSONEncoder().encode(Array(rest.prefix(perPage)))) ?? Data()
                let link = rest.count > perPage ? ["Link": "<https://elsewhere.example/>; rel=\"next\""] : [:]
                return .reply(headers: link, body: data)
            case ("POST", "/api/repos/example/app/issues/7/comments"):
                comments.append(
                    Comment(
                        id: comments.count + 1, user: .init(login: user, type: "User"), association: "MEMBER",
                        body: body))
                return .json("{}", status: 201)
            case ("PATCH", let path?):
                guard let id = path.split(separator: "/").last.flatMap({ Int($0) }),
                    path == "/api/repos/example/app/issues/comments/\(id)",
                    let index = comments.firstIndex(where: { $0.id == id })
                else { return .json("{}", status: 404) }
                guard mayChangeOthers || comments[index].user.login == user else { return .json("{}", status: 403) }
                comments[index].body = body
                return .json("{}")
            default: return .json("{}", status: 404)
            }
        }

        /// Runs the script as a job that has a token.
        func push(_ text: String, token: String, environment: [String: String] = [:]) throws -> Int32 {
            let folder = try TemporaryFolder()
            try folder.write(text, to: "changes.md")
            return try PeerTool.python.run(
                Repository.file(".github/actions/lint-catalogs/comment").path(), folder["changes.md"].path(),
                environment: [
                    "GH_TOKEN": token, "GITHUB_REPOSITORY": "example/app", "PULL_REQUEST": "7",
                    "GITHUB_API_URL": server.url.absoluteString + "api", "no_proxy": "127.0.0.1",
                ].merging(environment) { $1 }
            ).status
        }
    }

    private static let marker = "<!-- vitrine: changes of catalogs 1 -->"
    private static func text(_ changes: String) -> String { "\(marker)\n### Catalogs\n\n\(changes)\n" }

    private static func comment(
        _ id: Int, by login: String, _ body: String, type: String = "User", association: String? = "MEMBER"
    ) -> Comment {
        Comment(id: id, user: .init(login: login, type: type), association: association, body: body)
    }

    @Test(arguments: [("github-actions[bot]", "github-actions[bot]"), ("team", "team"), ("team", "another")])
    func `two pushes with any tokens leave one comment with the newest text`(first: String, second: String)
        async throws
    {
        let request = try await PullRequest([Self.comment(1, by: "reviewer", "Looks good")])
        #expect(try request.push(Self.text("1 change: é 旅"), token: first) == 0)
        #expect(try request.push(Self.text("2 changes"), token: second) == 0)

        #expect(request.bodies == ["Looks good", Self.text("2 changes")])
        #expect(request.requests.last?.headers["authorization"] == "Bearer \(second)")
    }

    @Test func `a comment of the action for other paths is left alone`() async throws {
        let request = try await PullRequest()
        let other = Self.text("other").replacing("catalogs 1", with: "catalogs 2")
        #expect(try request.push(other, token: "team") == 0)
        #expect(try request.push(Self.text("1 change"), token: "team") == 0)
        #expect(try request.push(Self.text("2 changes"), token: "team") == 0)
        #expect(request.bodies == [other, Self.text("2 changes")])
    }

    @Test(arguments: ["NONE", "FIRST_TIME_CONTRIBUTOR", "CONTRIBUTOR"])
    func `a comment that someone without access has written is not taken for the action's`(association: String)
        async throws
    {
        let planted = Self.text("Nothing changes")
        let request = try await PullRequest([Self.comment(1, by: "stranger", planted, association: association)])
        #expect(try request.push(Self.text("1 change"), token: "team") == 0)
        #expect(request.bodies == [planted, Self.text("1 change")])
    }

    @Test func `the comment of a bot is found although a bot is no member`() async throws {
        let request = try await PullRequest([
            Self.comment(1, by: "github-actions[bot]", Self.text("old"), type: "Bot", association: "NONE"),
            Self.comment(2, by: "reviewer", "> \(Self.marker)\nA quotation"),
        ])
        #expect(try request.push(Self.text("1 change"), token: "team") == 0)
        #expect(request.bodies == [Self.text("1 change"), "> \(Self.marker)\nA quotation"])
    }

    @Test func `a token that may not change the comment of another user writes one of its own, and then changes it`()
        async throws
    {
        let request = try await PullRequest(mayChangeOthers: false)
        #expect(try request.push(Self.text("1"), token: "former") == 0)
        for number in 2...4 { #expect(try request.push(Self.text("\(number)"), token: "team") == 0) }
        #expect(request.bodies == [Self.text("1"), Self.text("4")])
    }

    @Test(arguments: [100, 10])
    func `the comment is found on a later page, at the same server`(perPage: Int) async throws {
        let chat = (1...150).map { Self.comment($0, by: "reviewer", "Comment \($0)") }
        let request = try await PullRequest(chat + [Self.comment(151, by: "team", Self.text("old"))], perPage: perPage)
        #expect(try request.push(Self.text("new"), token: "team") == 0)
        #expect(request.bodies.count == 151)
        #expect(request.bodies.last == Self.text("new"))
    }

    @Test func `the search for the comment ends after thirty pages`() async throws {
        let chat = (1...400).map { Self.comment($0, by: "reviewer", "Comment \($0)") }
        let request = try await PullRequest(chat, perPage: 10)
        #expect(try request.push(Self.text("new"), token: "team") == 0)
        #expect(request.requests.count { $0.method == "GET" } == 30)
        #expect(request.bodies.count == 401)
    }

    @Test func `the script fails without a server, with a redirect, and for an address that is not encrypted`()
        async throws
    {
        let request = try await PullRequest()
        let elsewhere = try await LoopbackServer(.json("[]"))
        let redirecting = try await LoopbackServer(.redirect(to: elsewhere.url))
        func push(_ address: String) throws -> Int32 {
            try request.push(Self.text("1"), token: "team", environment: ["GITHUB_API_URL": address])
        }
        let dead = try DeadAddress()
        #expect(try push(dead.url.absoluteString) == 69)
        #expect(try push(redirecting.url.absoluteString) == 69)
        #expect(elsewhere.requests.isEmpty)
        #expect(try push("http://api.example") == 64)
        #expect(try request.push(Self.text("1"), token: "team", environment: ["PULL_REQUEST": "7/../8"]) == 64)
        #expect(request.requests.isEmpty)
    }
}
