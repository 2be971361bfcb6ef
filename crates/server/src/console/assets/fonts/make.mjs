// Creates the font files of this folder: those of crates/pdf/fonts as WOFF2, which browsers load. The tables
// are compressed as they are. Run it with node after the fonts of crates/pdf have changed.
import { readFileSync, writeFileSync } from "node:fs";
import { brotliCompressSync, constants } from "node:zlib";

const FONTS = ["NotoSans-Regular", "NotoSans-Bold", "NotoSansDevanagari-Regular"];
const KNOWN = ("cmap head hhea hmtx maxp name OS/2 post cvt  fpgm glyf loca prep CFF  VORG EBDT EBLC gasp hdmx kern LTSH " +
  "PCLT VDMX vhea vmtx BASE GDEF GPOS GSUB").match(/.{4} ?/g).map((tag) => tag.slice(0, 4));
// Of these two, version 3 means that the table is not transformed.
const TRANSFORMABLE = ["glyf", "loca"];

const base128 = (number) => {
  const bytes = [number & 127];
  for (let rest = number >>> 7; rest > 0; rest >>>= 7) bytes.unshift((rest & 127) | 128);
  return bytes;
};

const woff2 = (font) => {
  const tables = [];
  for (let index = 0; index < font.readUInt16BE(4); index += 1) {
    const at = 12 + index * 16;
    const [start, length] = [font.readUInt32BE(at + 8), font.readUInt32BE(at + 12)];
    tables.push({ tag: font.toString("latin1", at, at + 4), data: font.subarray(start, start + length) });
  }
  const directory = Buffer.from(tables.flatMap(({ tag, data }) => {
    const known = KNOWN.indexOf(tag);
    const version = TRANSFORMABLE.includes(tag) ? 3 << 6 : 0;
    const named = known < 0 ? [63, ...Buffer.from(tag, "latin1")] : [known | version];
    return [...named, ...base128(data.length)];
  }));
  const packed = brotliCompressSync(Buffer.concat(tables.map(({ data }) => data)), {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_FONT },
  });
  const header = Buffer.alloc(48);
  const padding = Buffer.alloc((4 - (48 + directory.length + packed.length) % 4) % 4);
  header.write("wOF2", 0, "latin1");
  font.copy(header, 4, 0, 4);
  header.writeUInt32BE(48 + directory.length + packed.length + padding.length, 8);
  header.writeUInt16BE(tables.length, 12);
  const padded = tables.reduce((sum, { data }) => sum + Math.ceil(data.length / 4) * 4, 0);
  header.writeUInt32BE(12 + 16 * tables.length + padded, 16);
  header.writeUInt32BE(packed.length, 20);
  header.writeUInt16BE(1, 24);
  return Buffer.concat([header, directory, packed, padding]);
};

for (const name of FONTS) {
  const from = new URL(`../../../../../pdf/fonts/${name}.ttf`, import.meta.url);
  writeFileSync(new URL(`${name}.woff2`, import.meta.url), woff2(readFileSync(from)));
}
