import type { ParserLimits } from "../../ParserLimits.ts"

/** Lines as a text. Ends soon after the longest text allowed, which is refused where it is compared. */
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
