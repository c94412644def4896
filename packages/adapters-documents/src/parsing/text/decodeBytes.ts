/**
 * The text of bytes in an encoding of the WHATWG Encoding Standard; undefined where they are not in it, unless `lenient`
 * puts U+FFFD for what is not. Node's fast path takes windows-1252 for Latin-1, which its streaming decoder does not.
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
