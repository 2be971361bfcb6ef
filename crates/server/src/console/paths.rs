//! Paths of the console that a request may lead on to.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

/// The path of the log-in page, leading on to another.
pub fn log_in_path(next: &str) -> String {
    format!("/console/log-in?next={}", utf8_percent_encode(&safe_path(next), NON_ALPHANUMERIC))
}

/// A path of the console; anything else leads to its start.
pub fn safe_path(path: &str) -> String {
    let ours = path.starts_with("/console/") || path.starts_with("/console?");
    let plain = !path.contains(['\\', '\r', '\n']) && !path.contains("//");
    if ours && plain { path.to_owned() } else { "/console".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_of_the_console_are_led_on_to() {
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
