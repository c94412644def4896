import { cleanText } from "./cleanText.ts"
import { Unreadable } from "./Unreadable.ts"

/**
 * Reads UTF-8, with or without a byte order mark. Any other encoding is refused rather than guessed: a wrong guess would
 * store letters nobody wrote, and nothing would tell.
 */
export const parseText = (bytes: Uint8Array): string => {
  const [first, second] = bytes
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    throw new Unreadable("The text is written in UTF-16. Save it as UTF-8 and upload it again.")
  }
  if (bytes.includes(0)) {
    throw new Unreadable(
      "The file holds NUL bytes, which no text has. Save it as plain UTF-8 text and upload it again."
    )
  }
  return cleanText(decode(bytes))
}

const decode = (bytes: Uint8Array): string => {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes)
  } catch {
    throw new Unreadable("The text is not written in UTF-8. Save it as UTF-8 and upload it again.")
  }
}
