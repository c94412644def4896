const ASCII_END = 0x80
const DIGIT_0 = 0x30
/** Of a UTF-16 unit in UTF-8, and of a whole number of 32 bits. */
const UNIT_BYTES = 3
const NUMBER_BYTES = 10

/** Writes a text of many small pieces as bytes: it makes one string, where pieces joined are one for each piece. */
export const makeTextWriter = () => {
  let bytes = Buffer.allocUnsafe(8_192)
  let length = 0
  let isAscii = true
  const reserve = (more: number): void => {
    if (length + more <= bytes.length) return
    const larger = Buffer.allocUnsafe((length + more) * 2)
    bytes.copy(larger, 0, 0, length)
    bytes = larger
  }
  return {
    isEmpty: () => length === 0,
    /** An ASCII character. */
    addCharacter: (code: number): void => {
      reserve(1)
      bytes[length++] = code
    },
    addText: (text: string): void => {
      reserve(text.length * UNIT_BYTES)
      const start = length
      for (let at = 0; at < text.length; at++) {
        const unit = text.charCodeAt(at)
        if (unit >= ASCII_END) {
          isAscii = false
          length = start + bytes.write(text, start)
          return
        }
        bytes[length++] = unit
      }
    },
    /** A whole number from 0. */
    addNumber: (number: number): void => {
      reserve(NUMBER_BYTES)
      let end = length + 1
      for (let rest = number; rest >= 10; rest = Math.trunc(rest / 10)) end += 1
      length = end
      let rest = number
      do {
        const tens = Math.trunc(rest / 10)
        bytes[--end] = DIGIT_0 + rest - tens * 10
        rest = tens
      } while (rest > 0)
    },
    /** What was written since the last time. */
    take: (): string => {
      const text = bytes.toString(isAscii ? "latin1" : "utf8", 0, length)
      length = 0
      isAscii = true
      return text
    }
  }
}
