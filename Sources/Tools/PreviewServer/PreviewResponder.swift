internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import NIOCore
internal import VitrineHTTPServing
internal import VitrineShopPreview

/// Context of a request with the port at which it has arrived.
struct PreviewContext: InitializableFromSource {
    let port: Int?

    init(source: ApplicationRequestContextSource) { port = source.channel.localAddress?.port }
}

/// Responder that answers the requests for a preview: pages, parts of pages, images, and actions.
struct PreviewResponder: HTTPResponder {
    typealias Context = PreviewContext

    let shop: PreviewShop
    let templates: PageTemplates
    let token: AccessToken
    let logger: Logger

    func respond(to request: Request, context: PreviewContext) async throws -> Response {
        var response = await answer(request, context)
        for (name, value) in RequestGuard.headers { response.headers[name] = value }
        return response
    }

    private func answer(_ request: Request, _ context: PreviewContext) async -> Response {
        do throws(RequestGuard.Refusal) {
            try RequestGuard(port: context.port ?? 0).check(request.head)
        } catch {
            switch error {
            case .otherHost: return Response(status: .misdirectedRequest)
            case .otherSite: return Response(status: .forbidden)
            }
        }
        guard let target = RequestTarget(request.head.path ?? ""), target.path.count == 2,
            token.isEqual(to: target.path[0])
        else { return Response(status: .notFound) }
        let query = Dictionary(target.query, uniquingKeysWith: { first, _ in first })
        return await answer(request, target.path[1], query)
    }

    private func answer(_ request: Request, _ path: String, _ query: [String: String]) async -> Response {
        let reading: Response? =
            switch path {
            case "": await page("page", query)
            case "parts": await page("parts", query)
            case "products": await products(query)
            case "why": await why(query, isPart: request.headers[.accept] == "text/x-part")
            case "image": await image(query["name"] ?? "")
            case "changes": changes(request)
            case "style.css": Response(.css, PackageResources.style_css)
            case "page.js": Response(.script, PackageResources.page_js)
            case "icon.svg": Response(.svg, PackageResources.icon_svg)
            default: nil
            }
        if let reading {
            return request.method == .get ? reading : Response(status: .methodNotAllowed, headers: [.allow: "GET"])
        }
        guard let command = Command(rawValue: path) else { return Response(status: .notFound) }
        guard request.method == .post else { return Response(status: .methodNotAllowed, headers: [.allow: "POST"]) }
        return await perform(command, request, query)
    }

    // MARK: Pages

    /// Returns a page, or its parts, with the products of a range.
    private func page(_ template: String, _ query: [String: String]) async -> Response {
        let view = ViewQuery(query)
        let page = await shop.page(view.view, products: Self.range(query))
        return Response(html: templates.render(template, ShopValues(page: page, query: view).all))
    }

    private func products(_ query: [String: String]) async -> Response {
        let view = ViewQuery(query)
        let values = ShopValues(page: await shop.page(view.view, products: Self.range(query)), query: view)
        return Response(html: values.cards.map { templates.render("card", $0) }.joined())
    }

    /// Range of products that a query asks for: the first range of a page by default, and ranges as a whole.
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

    /// Returns a page with a text, for browsers without scripts.
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
}

extension ShopValues {
    /// Values of the products of the page's range.
    var cards: [PageValues] {
        let (cards, common) = (CardValues(shop: self), common)
        return page.cards.map { common.merging(cards.values($0)) { $1 } }
    }

    /// Values that the template of a product takes from its page.
    private var common: PageValues { ["isStatic": isStatic, "query": query.text, "language": page.language] }
}

extension String {
    fileprivate static let css = "text/css; charset=utf-8"
    fileprivate static let script = "text/javascript; charset=utf-8"
    fileprivate static let svg = "image/svg+xml"
}

extension Response {
    init(status: HTTPResponse.Status = .ok, html: String) {
        self.init("text/html; charset=utf-8", ByteBuffer(string: html), status)
    }

    fileprivate init(_ mediaType: String, _ bytes: [UInt8]) { self.init(mediaType, ByteBuffer(bytes: bytes)) }

    init(_ mediaType: String, _ body: ByteBuffer, _ status: HTTPResponse.Status = .ok) {
        self.init(status: status, headers: [.contentType: mediaType], body: ResponseBody(byteBuffer: body))
    }
}
