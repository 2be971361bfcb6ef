//! Safe redirect targets within the console.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

/// The log-in page, which redirects to `next` after the log-in.
pub fn log_in_path(next: &str) -> String {
    format!("/console/log-in?next={}", utf8_percent_encode(&safe_path(next), NON_ALPHANUMERIC))
}

/// The path if it belongs to the console, else the console's start page.
pub fn safe_path(path: &str) -> String {
    let is_console =
        path == "/status" || path.starts_with("/console/") || path.starts_with("/console?");
    let plain = !path.contains(['\\', '\r', '\n']) && !path.contains("//");
    if is_console && plain { path.to_owned() } else { "/console".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_of_the_console_are_redirect_targets() {
        assert_eq!(safe_path("/console/keys?mode=live"), "/console/keys?mode=live");
        for path in [
            "",
            "/",
            "//evil.example",
            "/console//evil",
            "https://evil.example",
            "/console\\x",
            "/docs",
        ] {
            assert_eq!(safe_path(path), "/console", "{path}");
        }
    }
}
