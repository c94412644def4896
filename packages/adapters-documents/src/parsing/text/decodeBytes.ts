/**
 * Returns the text of bytes in an encoding of the WHATWG Encoding Standard; undefined if the bytes are not in it,
 * unless `lenient` replaces invalid bytes by U+FFFD. Node's fast path reads windows-1252 as Latin-1; its streaming
 * decoder does not.
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
