//! HTML of short texts.

use panji_api::locale::html::escape_html;

/// A text with `code` in backticks as HTML.
pub fn inline(text: &str) -> String {
    let mut html = String::new();
    let mut parts = text.split('`').peekable();
    let mut is_code = false;
    while let Some(part) = parts.next() {
        match is_code && parts.peek().is_some() {
            true => html.push_str(&format!("<code>{}</code>", escape_html(part))),
            false if is_code => html.push_str(&format!("`{}", escape_html(part))),
            false => html.push_str(&escape_html(part)),
        }
        is_code = !is_code;
    }
    html
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped_and_backticks_are_code() {
        assert_eq!(inline("a < `b<c` & \"d\""), "a &lt; <code>b&lt;c</code> &amp; &quot;d&quot;");
        assert_eq!(inline("an odd ` stays"), "an odd ` stays");
        assert_eq!(inline("`x`"), "<code>x</code>");
    }
}
