internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import VitrineHTTPServing
internal import VitrineShopPreview
internal import VitrineSupport

/// HTTP responder of a preview. It serves pages, parts of pages and images, and performs actions.
struct PreviewResponder: HTTPResponder {
    typealias Context = ConnectionContext

    /// Function that returns the response to a request. The last argument contains the fields of the URL query.
    private typealias Endpoint = @Sendable (PreviewResponder, Request, [String: String]) async throws -> Response

    let shop: PreviewShop
    let templates: PageTemplates
    let token: AccessToken

    private static let routes: RouteTable<Endpoint> = {
        var routes = RouteTable<Endpoint>()
        let pages: [(name: String, endpoint: Endpoint)] = [
            ("", { await $0.page($1, $2) }), ("parts", { await $0.page("parts", ViewQuery($2), Self.range($2)) }),
            ("products", { await $0.products($2) }),
            ("why", { await $0.why($2, isPart: $1.headers[.accept] == "text/x-part") }),
            ("image", { responder, _, query in await responder.image(query["name"] ?? "") }),
            ("thumbnail", { responder, _, query in await responder.thumbnail(query["scene"] ?? "") }),
            ("changes", { responder, request, _ in responder.changes(request) }),
            ("style.css", { _, _, _ in Response("text/css; charset=utf-8", PackageResources.style_css) }),
            ("page.js", { _, _, _ in Response("text/javascript; charset=utf-8", PackageResources.page_js) }),
            ("icon.svg", { _, _, _ in Response("image/svg+xml", PackageResources.icon_svg) }),
        ]
        for page in pages { routes.add(.get, "/{token}/\(page.name)", page.endpoint) }
        for command in Command.allCases {
            routes.add(.post, "/{token}/\(command.rawValue)") { try await $0.perform(command, $1, $2) }
        }
        return routes
    }()

    func respond(to request: Request, context: ConnectionContext) async throws -> Response {
        var response = try await answer(request, port: context.channel.localAddress?.port ?? 0)
        RequestGuard.protection.protect(&response)
        return response
    }

    private func answer(_ request: Request, port: Int) async throws -> Response {
        do throws(RequestGuard.Refusal) {
            try RequestGuard(port: port).check(request.head)
        } catch {
            switch error {
            case .otherHost: return Self.refusal(.misdirectedRequest, Self.otherHostAdvice(port))
            case .otherSite: return Self.refusal(.forbidden, Self.otherSiteAdvice)
            }
        }
        guard let target = RequestTarget(request.head.path ?? ""), token.isEqual(to: target.path.first ?? "") else {
            return Self.refusal(.notFound, Self.unknownAddressAdvice)
        }
        switch Self.routes.match(request.method, target.path) {
        case .found(let endpoint, _): return try await endpoint(self, request, target.fields)
        case .otherMethod(let allowed): return Response(status: .methodNotAllowed, headers: [.allow: allowed])
        case .unknownPath: return Self.refusal(.notFound, Self.unknownAddressAdvice)
        }
    }

    // MARK: Refused requests

    private static let unknownAddressAdvice =
        "There is no page at this address. 'vitrine preview' prints the address of its page, which is another one at each "
        + "start."
    private static let otherSiteAdvice =
        "The preview cannot be opened by a link or by another page. Enter the address that 'vitrine preview' prints in the "
        + "address bar of the browser."

    private static func otherHostAdvice(_ port: Int) -> String {
        "The preview answers only at 127.0.0.1:\(port) and localhost:\(port). Enter the address that 'vitrine preview' "
            + "prints."
    }

    /// Returns a line of plain text for the person who sees the response.
    private static func refusal(_ status: HTTPResponse.Status, _ advice: String) -> Response {
        Response("text/plain; charset=utf-8", ByteBuffer(string: advice + "\n"), status: status)
    }

    // MARK: Pages

    /// Returns the shop page. If the query names a scene, the scene is opened first, and the page has its view.
    private func page(_ request: Request, _ query: [String: String]) async -> Response {
        guard let scene = query["scene"] else { return await page("page", ViewQuery(query), Self.range(query)) }
        // While an address is typed, a browser may load its page in advance, which must not replace the shop's state.
        guard request.headers[named: "Sec-Purpose"] == nil else {
            return Self.refusal(.serviceUnavailable, "A scene is not opened in advance.")
        }
        do throws(PreviewError) {
            return await page("page", ViewQuery(try await shop.open(scene: scene)), Self.range([:]))
        } catch {
            let status: HTTPResponse.Status = error.code == .invalidRequest ? .notFound : .conflict
            return notice("The scene cannot be opened.", [error.reason], [:], status: status)
        }
    }

    /// Returns the shop page, or only its changing parts, with a range of products.
    private func page(_ template: String, _ view: ViewQuery, _ range: Range<Int>) async -> Response {
        let page = await shop.page(view.view, products: range, filter: view.filter)
        return Response(html: templates.render(template, ShopValues(page: page, query: view).all))
    }

    private func products(_ query: [String: String]) async -> Response {
        let view = ViewQuery(query)
        let page = await shop.page(view.view, products: Self.range(query), filter: view.filter)
        let values = ShopValues(page: page, query: view)
        return Response(html: values.cards.map { templates.render("card", $0) }.joined())
    }

    /// Returns the indexes of the products that a query requests, rounded to whole ranges; by default the first range.
    private static func range(_ query: [String: String]) -> Range<Int> {
        let size = ShopValues.rangeSize
        let from = min(max(query["from"].flatMap { Int($0) } ?? 0, 0), 1_000_000) / size * size
        let to = min(max(query["to"].flatMap { Int($0) } ?? 0, from + size), from + ShopValues.answerLimit)
        return from..<to
    }

    private func why(_ query: [String: String], isPart: Bool) async -> Response {
        let lines = await shop.why(query["product"] ?? "")
        if isPart { return Response(html: templates.render("reasons", ["reasons": CardValues.reasons(lines)])) }
        return notice(query["product"] ?? "", lines, query)
    }

    /// Returns a page with a title and lines of text, for browsers without scripts.
    func notice(
        _ title: String, _ lines: [String], _ query: [String: String], status: HTTPResponse.Status = .ok
    ) -> Response {
        let values: PageValues = [
            "title": title.shortened(to: 300), "lines": CardValues.reasons(lines), "query": ViewQuery(query).text,
        ]
        return Response(status: status, html: templates.render("notice", values))
    }

    private func image(_ name: String) async -> Response {
        guard let image = await shop.image(name) else { return Response(status: .notFound) }
        return Response(image.mediaType, Array(image.data))
    }

    /// Returns a small picture of a scene.
    private func thumbnail(_ scene: String) async -> Response {
        guard let overview = await shop.overview(ofScene: scene) else { return Response(status: .notFound) }
        return Response(SceneThumbnail.mediaType, Array(SceneThumbnail(overview: overview).svg(templates).utf8))
    }
}

extension ShopValues {
    /// Template values of the product cards on the page.
    var cards: [PageValues] {
        let (cards, common) = (CardValues(shop: self), common)
        return page.cards.map { common.merging(cards.values($0)) { $1 } }
    }

    /// Template values that are the same for all product cards of the page.
    private var common: PageValues { phrases.merging(["isStatic": isStatic, "query": query.text]) { $1 } }
}

extension Response {
    init(status: HTTPResponse.Status = .ok, html: String) {
        self.init("text/html; charset=utf-8", ByteBuffer(string: html), status: status)
    }

    fileprivate init(_ mediaType: String, _ bytes: [UInt8]) { self.init(mediaType, ByteBuffer(bytes: bytes)) }
}
