/**
 * Decodes bytes in an encoding of the WHATWG Encoding Standard. Returns undefined if bytes are invalid in it, unless
 * `lenient` is true: then they are replaced by U+FFFD. The decoder is a streaming one, because Node's fast path decodes
 * windows-1252 as Latin-1.
 */
export const decodeBytes = (
  label: string,
  bytes: Uint8Array,
  { lenient = false }: { readonly lenient?: boolean } = {}
): string | undefined => {
  try {
    return new TextDecoder(label, { fatal: !lenient }).decode(bytes, { stream: label === "windows-1252" })
  } catch {
    return undefined
  }
}
