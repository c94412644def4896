import type { ParserLimits } from "../../ParserLimits.ts"

/** Joins lines to a text. It stops soon after the longest allowed length, because the caller refuses a longer text. */
export const joinLines = (lines: Iterable<string>, { maxTextLength }: Pick<ParserLimits, "maxTextLength">): string => {
  const parts: Array<string> = []
  let length = 0
  for (const line of lines) {
    parts.push(line)
    length += line.length + 1
    if (length > maxTextLength + 1) break
  }
  return parts.join("\n")
}
