//! Headless Chromium, driven through its own driver.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use fantoccini::wd::WebDriverCompatibleCommand;
use fantoccini::{Client, ClientBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};

/// A host name for this machine that a browser does not treat as secure, unlike 127.0.0.1: over
/// plain HTTP its pages have no clipboard.
pub const PLAIN_HOST: &str = "plain-http.example";

/// No requests of the browser itself, and no state of an earlier run.
const ARGUMENTS: [&str; 10] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--window-size=1280,1600",
];

/// A browser with one page.
pub struct Chromium {
    pub page: Client,
    driver: Child,
    _profile: tempfile::TempDir,
}

impl Chromium {
    /// Starts the driver on a free port, and a browser with an empty profile.
    pub async fn start() -> Chromium {
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver starts: ./test installs it");
        let mut lines = BufReader::new(driver.stdout.take().expect("a pipe")).lines();
        let port = lines
            .by_ref()
            .map_while(Result::ok)
            .find_map(|line| {
                line.split("successfully on port ")
                    .nth(1)?
                    .trim_end_matches('.')
                    .parse::<u16>()
                    .ok()
            })
            .expect("chromedriver prints its port");
        std::thread::spawn(move || lines.for_each(drop));
        let profile = tempfile::tempdir().expect("a directory");
        let mut arguments: Vec<String> = ARGUMENTS.map(str::to_owned).to_vec();
        arguments.push(format!("--user-data-dir={}", profile.path().display()));
        arguments.push(format!("--host-resolver-rules=MAP {PLAIN_HOST} 127.0.0.1"));
        let wanted = json!({
            "goog:chromeOptions": { "args": arguments, "binary": "/usr/bin/chromium" },
            "goog:loggingPrefs": { "browser": "ALL" },
        });
        let Value::Object(wanted) = wanted else { unreachable!("an object was written") };
        let page = ClientBuilder::new(HttpConnector::new())
            .capabilities(wanted)
            .connect(&format!("http://127.0.0.1:{port}"))
            .await
            .expect("the browser starts");
        Chromium { page, driver, _profile: profile }
    }

    /// The errors and failed requests in the browser's log.
    pub async fn console_errors(&self) -> Vec<String> {
        let log = self.page.issue_cmd(BrowserLog).await.expect("the browser's log");
        let severe = |entry: &&Value| entry["level"] == "SEVERE";
        let entries = log.as_array().cloned().unwrap_or_default();
        entries.iter().filter(severe).map(|entry| entry["message"].to_string()).collect()
    }

    /// Ends the session; the driver ends on drop.
    pub async fn close(&self) {
        self.page.clone().close().await.expect("the browser closes");
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        // On SIGTERM the driver ends its browser too; on SIGKILL it would leave it running.
        let _ = Command::new("kill").arg(self.driver.id().to_string()).status();
        let _ = self.driver.wait();
    }
}

/// The driver's own command for the browser's log.
#[derive(Debug)]
struct BrowserLog;

impl WebDriverCompatibleCommand for BrowserLog {
    fn endpoint(
        &self,
        base_url: &url::Url,
        session_id: Option<&str>,
    ) -> Result<url::Url, url::ParseError> {
        base_url.join(&format!("session/{}/se/log", session_id.unwrap_or_default()))
    }

    fn method_and_body(&self, _: &url::Url) -> (hyper::Method, Option<String>) {
        (hyper::Method::POST, Some(json!({ "type": "browser" }).to_string()))
    }
}
