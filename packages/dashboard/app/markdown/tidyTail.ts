const FENCE = /^ {0,3}(`{3,}|~{3,})/
const LONE_MARK = /(^|\n)[ \t>]*(?:[-=]+|[*+]|#{1,6}|\d{1,9}[.)]?|\$\$?|\|)[ \t]*$/
const OPEN_LINK = /!?\[([^\]\n]*)\]\([^)\s]*$/
const DELIMITERS = /^[ \t|:-]*$/

/** True if the text ends within a fenced code block. */
const endsInFence = (text: string): boolean => {
  let open: string | undefined
  for (const line of text.split("\n")) {
    const fence = FENCE.exec(line)?.[1]
    if (fence === undefined) continue
    if (open === undefined) open = fence
    else if (fence[0] === open[0] && fence.length >= open.length) open = undefined
  }
  return open !== undefined
}

const countOf = (text: string, mark: string): number => text.split(mark).length - 1

const closed = (text: string, mark: string): string => {
  if (countOf(text, mark) % 2 === 0) return text
  // A mark at the very end encloses no text yet, so it is removed instead of closed.
  return text.endsWith(mark) ? text.slice(0, -mark.length) : `${text.trimEnd()}${mark}`
}

/** Removes a formula block that is not closed yet: it appears once it is complete. */
const withoutOpenFormula = (text: string): string => {
  const start = countOf(text, "$$") % 2 === 1 ? text.lastIndexOf("$$") : text.lastIndexOf("\\[")
  return start === -1 || (text.startsWith("\\[", start) && text.includes("\\]", start)) ? text : text.slice(0, start)
}

/**
 * Returns the last block of an unfinished text as it will most likely look. It closes open marks, and holds back
 * characters whose meaning the next letter may change (a lone `-`, half a link, a table without its second row).
 * Without this the text would flicker.
 */
export const tidyTail = (block: string): string => {
  if (endsInFence(block)) return block
  const start = block.lastIndexOf("\n\n") + 1
  const head = block.slice(0, start)
  let tail = block.slice(start).replace(LONE_MARK, "$1")
  const rows = block.slice(start).trimStart().split("\n")
  if (rows[0]?.startsWith("|") === true && rows.length <= 2 && DELIMITERS.test(rows[1] ?? "")) return head
  tail = withoutOpenFormula(tail).replace(OPEN_LINK, "$1")
  tail = closed(tail, "`")
  const withoutCode = tail.replace(/`[^`]*`/g, "")
  for (const mark of ["**", "~~"]) {
    if (countOf(withoutCode, mark) % 2 === 1) tail = closed(tail, mark)
  }
  return head + tail
}
