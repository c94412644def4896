/** A token of an RTF file (Rich Text Format 1.9.1, "RTF Syntax"). */
export type RtfToken =
  | { readonly _tag: "Open" }
  | { readonly _tag: "Close" }
  /** A control word or symbol, without its backslash. */
  | { readonly _tag: "Word"; readonly word: string; readonly value: number | undefined }
  | { readonly _tag: "Byte"; readonly byte: number }

const OPEN = 0x7b
const CLOSE = 0x7d
const BACKSLASH = 0x5c
const CONTROL = /([a-z]{1,32})(-?\d{1,10})? ?/iy
const HEX = /'([0-9a-f]{2})/iy

/**
 * Splits a file into tokens, and skips line ends and binary data. `text` is the bytes of the file, decoded as Latin-1.
 */
export function* rtfTokens(text: string): Generator<RtfToken> {
  for (let at = 0; at < text.length;) {
    const code = text.charCodeAt(at++)
    if (code === OPEN) yield { _tag: "Open" }
    else if (code === CLOSE) yield { _tag: "Close" }
    else if (code !== BACKSLASH) {
      if (code !== 0x0a && code !== 0x0d && code !== 0) yield { _tag: "Byte", byte: code }
    } else {
      HEX.lastIndex = CONTROL.lastIndex = at
      const hex = HEX.exec(text)?.[1]
      const [all = text.charAt(at), word = text.charAt(at), digits] = (hex === undefined && CONTROL.exec(text)) || []
      at += hex === undefined ? all.length : 3
      const value = digits === undefined ? undefined : Number(digits)
      if (hex !== undefined) yield { _tag: "Byte", byte: Number.parseInt(hex, 16) }
      else if (word === "bin") at += Math.max(0, value ?? 0)
      else yield { _tag: "Word", word, value }
    }
  }
}
