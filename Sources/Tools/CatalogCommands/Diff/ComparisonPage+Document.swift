extension ComparisonPage {
    /// Returns an HTML document that loads no resources and runs no scripts.
    static func document(title: String, _ content: HTMLText) -> HTMLText {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>\(plain: title)</title>
        <style>
        \(style)</style>
        </head>
        <body>
        <main>
        \(content)</main>
        </body>
        </html>
        """
    }

    /// Style sheet of the page. Each pair of text and background color has a contrast ratio of at least 4.5.
    private static let style: HTMLText = """
        :root {
          --text: #1f2328; --back: #ffffff; --quiet: #57606a; --line: #d0d7de; --head: #f0f3f6;
          --old: #82071e; --old-back: #ffebe9; --new: #0a4a1c; --new-back: #dafbe1; --grave: #a40e26;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --text: #e6edf3; --back: #0d1117; --quiet: #9ea7b3; --line: #3d444d; --head: #1c232c;
            --old: #ffdcd7; --old-back: #4b1113; --new: #d2f7dc; --new-back: #0f3d20; --grave: #ff9d94;
          }
        }
        * { box-sizing: border-box; }
        body { margin: 0; color: var(--text); background: var(--back); font: 1rem/1.5 system-ui, sans-serif; }
        main { max-width: 70rem; margin: auto; padding: 1rem; overflow-wrap: anywhere; }
        h1 { font-size: 1.6rem; margin: .5rem 0; }
        h2 { font-size: 1.2rem; margin: 2rem 0 .5rem; }
        code { font: .9em ui-monospace, monospace; font-weight: inherit; }
        table { width: 100%; table-layout: fixed; border-collapse: collapse; }
        caption { text-align: start; color: var(--quiet); padding-bottom: .5rem; }
        th, td { text-align: start; vertical-align: top; padding: .3rem .5rem; border: 1px solid var(--line); }
        thead th:first-child { width: 9rem; }
        tbody th { font-weight: normal; color: var(--quiet); }
        thead th, th[scope=rowgroup] { background: var(--head); color: var(--text); font-weight: bold; }
        td bdi { white-space: pre-wrap; }
        ul { margin: 0; padding-inline-start: 1.2rem; }
        del, ins { padding: 0 .2rem; }
        del { color: var(--old); background: var(--old-back); text-decoration: none; }
        del bdi { text-decoration: line-through; }
        ins { color: var(--new); background: var(--new-back); text-decoration: none; }
        del::before { content: "\u{2212}\u{A0}"; }
        ins::before { content: "+\u{A0}"; }
        .summary { font-size: 1.1rem; font-weight: bold; }
        .note { border-inline-start: .25rem solid var(--quiet); padding-inline-start: .75rem; }
        .none { color: var(--quiet); }
        .grave { color: var(--grave); }
        @media (max-width: 40rem) {
          main { padding: .75rem; }
          th, td { padding: .25rem; font-size: .9rem; }
          thead th:first-child { width: 5.9rem; }
        }

        """
}
