//! The page that documents the error codes.

use std::fmt::Write;

use crate::http::error::ErrorCode;

/// The style sheet of the page.
const STYLE: &str = "\
:root{--paper:#faf7f0;--sheet:#fff;--ink:#1d1a16;--muted:#6b6258;--rule:#e6dfd1;--madder:#9b2226}\
@media(prefers-color-scheme:dark){:root{--paper:#16130f;--sheet:#1f1b16;--ink:#efe9de;\
--muted:#a79c8c;--rule:#352f27;--madder:#e5777b}}\
body{background:var(--paper);color:var(--ink);font:15px/22px system-ui,sans-serif;margin:0}\
main{max-width:880px;margin:0 auto;padding:32px 20px}\
h1{font:24px/30px ui-serif,Georgia,serif;margin:0 0 4px}h2{font-size:17px;margin:28px 0 8px}\
p{margin:8px 0}.muted{color:var(--muted)}a{color:var(--madder)}\
:focus-visible{outline:2px solid var(--madder);outline-offset:2px}\
pre{background:var(--sheet);border:1px solid var(--rule);border-radius:6px;padding:12px 16px;\
overflow-x:auto;font-size:13px;line-height:20px}code{font-family:ui-monospace,monospace}\
.box{overflow-x:auto;border:1px solid var(--rule);border-radius:6px;background:var(--sheet)}\
table{border-collapse:collapse;width:100%;font-size:13px;line-height:18px}\
th,td{text-align:left;padding:8px 12px;border-bottom:1px solid var(--rule);vertical-align:top}\
tr:last-child td{border-bottom:0}td:first-child{white-space:nowrap}\
tr:target{outline:2px solid var(--madder);outline-offset:-2px}\
@media(max-width:640px){main{padding:20px 16px}table,tbody,tr,td{display:block}\
thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}\
tr{padding:12px 16px;border-bottom:1px solid var(--rule)}tr:last-child{border-bottom:0}\
td{padding:0;border:0}td:first-child{font-weight:600;white-space:normal;overflow-wrap:anywhere}\
td:nth-child(2){color:var(--muted)}td:nth-child(2)::before{content:\"HTTP \"}\
td:last-child{margin-top:4px;font-size:15px;line-height:22px}}";

/// The page: every error code with its status and meaning.
pub fn errors() -> String {
    let mut rows = String::new();
    for code in ErrorCode::ALL {
        let (word, status, meaning) = (code.as_str(), code.status().as_u16(), code.meaning());
        let meaning = escape(meaning);
        let _ = write!(
            rows,
            "<tr id=\"{word}\"><td><code>{word}</code></td><td>{status}</td><td>{meaning}</td></tr>"
        );
    }
    let body = format!(
        "<h1>Error codes</h1><p>An error has the envelope of every answer, with <code>success</code> \
         false, <code>data</code> null and <code>error</code>. It costs nothing. Quote its \
         <code>request_id</code> when you ask the operator about it.</p>\
         <div class=box><table><thead><tr><th scope=col>Code</th><th scope=col>HTTP</th><th scope=col>When</th></tr></thead>\
         <tbody>{rows}</tbody></table></div><p><a href=\"/docs/\">The reference</a></p>"
    );
    page("Error codes · Panji", &body)
}

fn page(title: &str, body: &str) -> String {
    format!(
        "<!doctype html><html lang=en><head><meta charset=utf-8><title>{title}</title>\
         <meta name=viewport content=\"width=device-width,initial-scale=1\">\
         <link rel=icon href=\"data:,\"><style>{STYLE}</style></head><body><main>{body}</main>\
         </body></html>"
    )
}

/// A text in HTML.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
