/** A part of some bytes: from `from` to before `to`. */
export interface ByteRange {
  readonly from: number
  readonly to: number
}

/**
 * The part that a `Range` header requests of this many bytes (RFC 9110, 14.2). Undefined, for the whole, if it
 * requests several parts, one behind the end, or is invalid: a server may ignore the header.
 */
export const byteRange = (header: string | undefined, size: number): ByteRange | undefined => {
  const [, first = "", last = ""] = /^bytes=\s*(\d{0,15})\s*-\s*(\d{0,15})\s*$/iu.exec(header ?? "") ?? []
  if (first === "" && last === "") return undefined
  if (first === "") {
    const length = Math.min(size, Number(last))
    return length === 0 ? undefined : { from: size - length, to: size }
  }
  const from = Number(first)
  const to = last === "" ? size : Math.min(size, Number(last) + 1)
  if (last !== "" && Number(last) < from) return undefined
  return from >= size ? undefined : { from, to }
}
