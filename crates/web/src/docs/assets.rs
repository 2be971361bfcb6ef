//! The style sheet and the script of the documentation. Its pages use those of the console too.

use axum::extract::Path;
use axum::response::Response;

use crate::console::assets::{self, Asset};

const FOLDER: &str = "/docs/assets";

pub const STYLE: Asset = Asset {
    folder: FOLDER,
    stem: "docs",
    extension: "css",
    media_type: "text/css; charset=utf-8",
    content: include_bytes!("assets/docs.css"),
};
pub const SCRIPT: Asset = Asset {
    folder: FOLDER,
    stem: "docs",
    extension: "js",
    media_type: "text/javascript; charset=utf-8",
    content: include_bytes!("assets/docs.js"),
};

pub async fn serve(Path(name): Path<String>) -> Response {
    assets::respond(&[STYLE, SCRIPT], &name)
}
