//! The stylesheet, the script, the icon and the fonts, served under names that contain a hash of
//! their content.

use std::sync::{LazyLock, OnceLock};

use axum::extract::Path;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;
use sha2::{Digest, Sha256};

use super::language::script_texts;

pub struct Asset {
    /// The path before the name.
    pub folder: &'static str,
    pub stem: &'static str,
    pub extension: &'static str,
    pub media_type: &'static str,
    pub content: &'static [u8],
}

const FOLDER: &str = "/console/assets";

const STYLE: Asset = Asset {
    folder: FOLDER,
    stem: "console",
    extension: "css",
    media_type: "text/css; charset=utf-8",
    content: concat!(include_str!("assets/console.css"), include_str!("assets/work.css"))
        .as_bytes(),
};
const SCRIPT: Asset = Asset {
    folder: FOLDER,
    stem: "console",
    extension: "js",
    media_type: "text/javascript; charset=utf-8",
    content: concat!(include_str!("assets/console.js"), include_str!("assets/work.js")).as_bytes(),
};
/// Only for the pages where it is used.
const PASSKEYS: Asset = Asset {
    folder: FOLDER,
    stem: "passkeys",
    extension: "js",
    media_type: "text/javascript; charset=utf-8",
    content: include_bytes!("assets/passkeys.js"),
};
const MARK: Asset = Asset {
    folder: FOLDER,
    stem: "mark",
    extension: "svg",
    media_type: "image/svg+xml",
    content: include_bytes!("assets/mark.svg"),
};
/// The Hindi texts of the script.
static TEXTS: LazyLock<Asset> = LazyLock::new(|| Asset {
    folder: FOLDER,
    stem: "hindi",
    extension: "js",
    media_type: "text/javascript; charset=utf-8",
    content: format!("globalThis.panjiTexts={};", json!(script_texts())).leak().as_bytes(),
});
/// The stylesheet names these.
const FONTS: [Asset; 5] = [
    font("NotoSans-Regular", include_bytes!("assets/fonts/NotoSans-Regular.woff2")),
    font("NotoSans-Bold", include_bytes!("assets/fonts/NotoSans-Bold.woff2")),
    font("NotoSerif-Regular", include_bytes!("assets/fonts/NotoSerif-Regular.woff2")),
    font(
        "NotoSansDevanagari-Regular",
        include_bytes!("assets/fonts/NotoSansDevanagari-Regular.woff2"),
    ),
    font("NotoSansDevanagari-Hindi", include_bytes!("assets/fonts/NotoSansDevanagari-Hindi.woff2")),
];

/// The name changes with the content, so a response never expires.
const CACHE_IMMUTABLE: &str = "public, max-age=31536000, immutable";

/// The URLs of the assets.
pub struct AssetUrls {
    pub style: String,
    pub script: String,
    pub texts: String,
    pub passkeys: String,
    pub mark: String,
}

pub fn asset_urls() -> &'static AssetUrls {
    static URLS: OnceLock<AssetUrls> = OnceLock::new();
    URLS.get_or_init(|| AssetUrls {
        style: STYLE.url(),
        script: SCRIPT.url(),
        texts: TEXTS.url(),
        passkeys: PASSKEYS.url(),
        mark: MARK.url(),
    })
}

const fn font(stem: &'static str, content: &'static [u8]) -> Asset {
    Asset { folder: FOLDER, stem, extension: "woff2", media_type: "font/woff2", content }
}

impl Asset {
    fn name(&self) -> String {
        let digest = Sha256::digest(self.content);
        let short: String = digest[..6].iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{}-{short}.{}", self.stem, self.extension)
    }

    pub fn url(&self) -> String {
        format!("{}/{}", self.folder, self.name())
    }
}

pub async fn serve(Path(name): Path<String>) -> Response {
    match name.ends_with(".woff2") {
        true => respond(&FONTS, &name),
        false if name == TEXTS.name() => respond(std::slice::from_ref(&*TEXTS), &name),
        false => respond(&[STYLE, SCRIPT, PASSKEYS, MARK], &name),
    }
}

/// The asset with this name.
pub fn respond(assets: &[Asset], name: &str) -> Response {
    match assets.iter().find(|asset| asset.name() == name) {
        Some(asset) => {
            let headers = [
                (header::CONTENT_TYPE, asset.media_type),
                (header::CACHE_CONTROL, CACHE_IMMUTABLE),
            ];
            (headers, asset.content).into_response()
        }
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first page, its stylesheet and its script take the rest of 120 KB.
    const MAX_FONT_BYTES: usize = 80_000;

    #[test]
    fn the_stylesheet_names_every_font_by_its_hash() {
        let style = std::str::from_utf8(STYLE.content).expect("text");
        for font in FONTS {
            assert!(style.contains(&format!("url(\"{}\")", font.name())), "{}", font.name());
        }
    }

    #[test]
    fn the_fonts_of_each_language_leave_room_for_the_page() {
        let sans = ["NotoSans-Regular", "NotoSans-Bold"];
        for others in [
            &["NotoSerif-Regular", "NotoSansDevanagari-Hindi"][..],
            &["NotoSansDevanagari-Regular"],
        ] {
            let is_loaded =
                |font: &&Asset| sans.contains(&font.stem) || others.contains(&font.stem);
            let bytes: usize = FONTS.iter().filter(is_loaded).map(|font| font.content.len()).sum();
            assert!(bytes < MAX_FONT_BYTES, "{others:?}: {bytes}");
        }
    }
}
