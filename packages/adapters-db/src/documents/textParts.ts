/** UTF-16 units of a part at most: 768 KiB of UTF-8. */
const PART_LENGTH = 256 * 1024

const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff

/** A text in parts of bounded size, no character of which is split. */
export const textParts = (text: string): ReadonlyArray<string> => {
  const parts: Array<string> = []
  for (let start = 0; start < text.length;) {
    const end = start + PART_LENGTH
    const whole = isLowSurrogate(text.charCodeAt(end)) ? end - 1 : end
    parts.push(text.slice(start, whole))
    start = whole
  }
  return parts
}
