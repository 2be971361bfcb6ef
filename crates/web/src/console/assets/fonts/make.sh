#!/bin/sh
# Creates the font files of this directory with the Python packages fonttools and brotli: those of crates/pdf/fonts as
# WOFF2, and from Debian's package fonts-noto-core NotoSerif-Regular for titles (ASCII, typographic punctuation, the
# rupee sign) and NotoSansDevanagari-Hindi, the one word on the language switch of English pages.
set -eu
cd "$(dirname "$0")"
source=${1:-/usr/share/fonts/truetype/noto}

for name in NotoSans-Regular NotoSans-Bold NotoSansDevanagari-Regular; do
    fonttools ttLib.woff2 compress -o "$name.woff2" "../../../../../pdf/fonts/$name.ttf"
done

subset() {
    pyftsubset "$source/$1.ttf" --flavor=woff2 --output-file="$2.woff2" "$3" \
        --no-hinting --desubroutinize --name-IDs=0,1,2,6,13,14 --notdef-outline --no-glyph-names
}

subset NotoSerif-Regular NotoSerif-Regular \
    --unicodes=U+0020-007E,U+00A0,U+2013,U+2014,U+2018,U+2019,U+201C,U+201D,U+2026,U+20B9
subset NotoSansDevanagari-Regular NotoSansDevanagari-Hindi --text=हिन्दी
