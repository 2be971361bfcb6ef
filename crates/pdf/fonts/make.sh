#!/bin/sh
# Creates the font files of this directory from Debian's package fonts-noto-core, with pyftsubset of the
# Python package fonttools: the Unicode block of each script, its punctuation, and all tables that shaping
# needs. Hints and glyph names are removed.
set -eu
cd "$(dirname "$0")"
source=${1:-/usr/share/fonts/truetype/noto}

# Latin: with the diacritics of transliterations, typographic punctuation, the rupee sign and arithmetic.
latin=U+0020-007E,U+00A0-017F,U+0218-021B,U+02BC,U+0300-0304,U+0306-0308,U+030A,U+030C,U+0323-0325,U+0331
latin=$latin,U+1E00-1E9F,U+2010-2015,U+2018-201E,U+2020-2022,U+2026,U+2030,U+2032,U+2033,U+2039,U+203A
latin=$latin,U+20AC,U+20B9,U+2116,U+2122,U+2212
# For every other script also: space, ASCII punctuation, digits, hyphen and dashes, dandas, joiners, dotted circle.
common=U+0020-0040,U+005B-0060,U+007B-007E,U+00A0,U+0964,U+0965,U+200C,U+200D,U+2010-2015,U+2018-201D,U+20B9,U+25CC

subset() {
    pyftsubset "$source/$1.ttf" --unicodes="$2" --output-file="$1.ttf" \
        --no-hinting --desubroutinize --name-IDs=0,1,2,6,13,14 \
        --notdef-outline --no-glyph-names --no-prune-unicode-ranges
}

subset NotoSans-Regular "$latin"
subset NotoSans-Bold "$latin"
subset NotoSansDevanagari-Regular "U+0900-097F,U+A8E0-A8FF,$common"
subset NotoSansBengali-Regular "U+0980-09FF,$common"
subset NotoSansGurmukhi-Regular "U+0A00-0A7F,$common"
subset NotoSansGujarati-Regular "U+0A80-0AFF,$common"
subset NotoSansOriya-Regular "U+0B00-0B7F,$common"
subset NotoSansTamil-Regular "U+0B80-0BFF,$common"
subset NotoSansTelugu-Regular "U+0C00-0C7F,$common"
subset NotoSansKannada-Regular "U+0C80-0CFF,$common"
subset NotoSansMalayalam-Regular "U+0D00-0D7F,$common"
subset NotoSansOlChiki-Regular "U+1C50-1C7F,$common"
subset NotoSansMeeteiMayek-Regular "U+ABC0-ABFF,U+AAE0-AAFF,$common"
