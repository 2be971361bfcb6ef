#!/bin/sh
# Creates NotoSerif-Regular.woff2, the font of titles, from Debian's package fonts-noto-core, with pyftsubset of the
# Python packages fonttools and brotli: ASCII, typographic punctuation and the rupee sign, without hints.
set -eu
cd "$(dirname "$0")"
source=${1:-/usr/share/fonts/truetype/noto}
pyftsubset "$source/NotoSerif-Regular.ttf" --flavor=woff2 --output-file=NotoSerif-Regular.woff2 \
    --unicodes=U+0020-007E,U+00A0,U+2013,U+2014,U+2018,U+2019,U+201C,U+201D,U+2026,U+20B9 \
    --no-hinting --desubroutinize --name-IDs=0,1,2,6,13,14 --notdef-outline --no-glyph-names
