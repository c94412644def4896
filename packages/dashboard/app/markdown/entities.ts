const NAMED: Readonly<Record<string, string>> = {
  amp: "&",
  apos: "'",
  bull: "•",
  copy: "©",
  deg: "°",
  euro: "€",
  gt: ">",
  hellip: "…",
  laquo: "«",
  ldquo: "“",
  le: "≤",
  ge: "≥",
  lsquo: "‘",
  lt: "<",
  mdash: "—",
  middot: "·",
  nbsp: "\u00a0",
  ndash: "–",
  ne: "≠",
  pound: "£",
  quot: '"',
  raquo: "»",
  rarr: "→",
  larr: "←",
  rdquo: "”",
  reg: "®",
  rsquo: "’",
  sect: "§",
  times: "×",
  trade: "™"
}

const ENTITY = /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([a-zA-Z]\w{1,30}));/g
const LAST_CHARACTER = 0x10ffff

const characterOf = (code: number): string =>
  code === 0 || code > LAST_CHARACTER || (code >= 0xd800 && code <= 0xdfff) ? "\ufffd" : String.fromCodePoint(code)

/** Replaces HTML entities (`&amp;`, `&#39;`) with their characters. Unknown names stay unchanged. */
export const decodeEntities = (text: string): string =>
  text.replace(ENTITY, (whole, decimal?: string, hexadecimal?: string, name?: string) => {
    if (decimal !== undefined) return characterOf(Number.parseInt(decimal, 10))
    if (hexadecimal !== undefined) return characterOf(Number.parseInt(hexadecimal, 16))
    return name !== undefined && Object.hasOwn(NAMED, name) ? (NAMED[name] ?? whole) : whole
  })
