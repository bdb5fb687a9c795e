internal import HTTPTypes
internal import Hummingbird
internal import VitrineHTTPServing
internal import VitrineShopPreview
internal import VitrineSupport

extension PreviewResponder {
    /// Command that a form sends, with its path.
    enum Command: String, CaseIterable {
        /// Performs an action of the customer, the store or the clock.
        case actions
        /// Returns the shop to an earlier step.
        case back
        /// Saves or removes a scene (a named state of the shop).
        case scenes
    }

    /// Result of a submitted form, as JSON for a script.
    private struct Result: Encodable {
        let message: String
        var succeeded = true
    }

    /// Maximum size of a form, in bytes.
    private static let formLimit = 7 * 1024

    /// Performs the command of a submitted form. A script gets the result as JSON. A browser without scripts is
    /// redirected to the shop page, or gets a page with the error.
    func perform(_ command: Command, _ request: Request, _ query: [String: String]) async throws -> Response {
        let isScript = request.headers[.accept] == "application/json"
        guard let fields = await Self.fields(of: request) else {
            return isScript
                ? try .json(Result(message: "The form cannot be read.", succeeded: false), status: .badRequest)
                : notice("The form cannot be read.", [], query, status: .badRequest)
        }
        let result: Result
        do throws(PreviewError) {
            result = try await perform(command, fields, query)
        } catch {
            let status: HTTPResponse.Status = error.code == .invalidRequest ? .badRequest : .conflict
            return isScript
                ? try .json(Result(message: error.reason, succeeded: false), status: status)
                : notice("This cannot be done.", [error.reason], query, status: status)
        }
        if isScript { return try .json(result) }
        return Response(status: .seeOther, headers: [.location: "./?\(ViewQuery(query).text)"])
    }

    private func perform(
        _ command: Command, _ fields: [String: String], _ query: [String: String]
    ) async throws(PreviewError) -> Result {
        switch command {
        case .actions:
            let step = try await shop.perform(PreviewAction(fields: fields))
            return Result(
                message: "\(step.title.shortened(to: 200).isolated): \(step.result.shortened(to: 500))",
                succeeded: step.outcome != .failed)
        case .back:
            guard let step = fields["step"].flatMap({ Int($0) }) else {
                throw PreviewError(code: .invalidRequest, reason: "the form names no step")
            }
            try await shop.goBack(to: step)
            return Result(message: "The shop is as it was after step \(step).")
        case .scenes:
            return try await scene(fields["name"] ?? "", fields["do"] ?? "", query)
        }
    }

    private func scene(
        _ name: String, _ verb: String, _ query: [String: String]
    ) async throws(PreviewError) -> Result {
        let shown = name.shortened(to: 100).isolated
        switch verb {
        case "save":
            try await shop.save(scene: name, view: ViewQuery(query).view)
            return Result(message: "“\(shown)” is kept as a scene.")
        case "remove":
            try await shop.remove(scene: name)
            return Result(message: "“\(shown)” was removed.")
        default: throw PreviewError(code: .invalidRequest, reason: "a scene can be saved and removed")
        }
    }

    /// Returns the fields of a submitted form; `nil` if the body of the request is too large or not a form.
    private static func fields(of request: Request) async -> [String: String]? {
        do {
            let body = try await request.readBody(upTo: formLimit)
            return RequestTarget("/?" + String(decoding: body, as: UTF8.self))?.fields
        } catch {
            return nil
        }
    }
}
