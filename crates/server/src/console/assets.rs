//! The stylesheet, the script and the icon, served under names that contain a hash of their
//! content.

use std::sync::OnceLock;

use axum::extract::Path;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use sha2::{Digest, Sha256};

pub struct Asset {
    /// The path before the name.
    pub folder: &'static str,
    pub stem: &'static str,
    pub ending: &'static str,
    pub kind: &'static str,
    pub text: &'static str,
}

const FOLDER: &str = "/console/assets";

const STYLE: Asset = Asset {
    folder: FOLDER,
    stem: "console",
    ending: "css",
    kind: "text/css; charset=utf-8",
    text: concat!(include_str!("assets/console.css"), include_str!("assets/work.css")),
};
const SCRIPT: Asset = Asset {
    folder: FOLDER,
    stem: "console",
    ending: "js",
    kind: "text/javascript; charset=utf-8",
    text: concat!(include_str!("assets/console.js"), include_str!("assets/work.js")),
};
const MARK: Asset = Asset {
    folder: FOLDER,
    stem: "mark",
    ending: "svg",
    kind: "image/svg+xml",
    text: include_str!("assets/mark.svg"),
};

/// The name changes with the content, so a response never expires.
const CACHE_FOREVER: &str = "public, max-age=31536000, immutable";

/// The URLs of the assets.
pub struct Addresses {
    pub style: String,
    pub script: String,
    pub mark: String,
}

pub fn addresses() -> &'static Addresses {
    static ADDRESSES: OnceLock<Addresses> = OnceLock::new();
    ADDRESSES.get_or_init(|| Addresses {
        style: STYLE.address(),
        script: SCRIPT.address(),
        mark: MARK.address(),
    })
}

impl Asset {
    fn name(&self) -> String {
        let digest = Sha256::digest(self.text.as_bytes());
        let short: String = digest[..6].iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{}-{short}.{}", self.stem, self.ending)
    }

    pub fn address(&self) -> String {
        format!("{}/{}", self.folder, self.name())
    }
}

pub async fn serve(Path(name): Path<String>) -> Response {
    respond(&[STYLE, SCRIPT, MARK], &name)
}

/// The asset with this name.
pub fn respond(assets: &[Asset], name: &str) -> Response {
    match assets.iter().find(|asset| asset.name() == name) {
        Some(asset) => {
            let headers =
                [(header::CONTENT_TYPE, asset.kind), (header::CACHE_CONTROL, CACHE_FOREVER)];
            (headers, asset.text).into_response()
        }
        None => StatusCode::NOT_FOUND.into_response(),
    }
}
