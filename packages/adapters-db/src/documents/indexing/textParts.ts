/** UTF-16 units of a part at most: 768 KiB of UTF-8. */
const PART_LENGTH = 256 * 1024

const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff

/** A part of a text, which has it from `start` to `end`, in UTF-16 units. */
export interface TextPart {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** A text in parts of bounded size, no character of which is split. */
export const textParts = (text: string): ReadonlyArray<TextPart> => {
  const parts: Array<TextPart> = []
  for (let start = 0; start < text.length;) {
    const bound = Math.min(start + PART_LENGTH, text.length)
    const end = isLowSurrogate(text.charCodeAt(bound)) ? bound - 1 : bound
    parts.push({ start, end, text: text.slice(start, end) })
    start = end
  }
  return parts
}
