/** A run of text on a page. `transform` places it: `[a, b, c, d, x, y]` as in PDF 1.7, 8.3.3. */
export interface TextItem {
  readonly str: string
  readonly hasEOL: boolean
  readonly height: number
  readonly transform: ReadonlyArray<number>
}

/** A gap between two lines of more than this many line heights begins a paragraph. */
const PARAGRAPH_GAP = 1.75

/** The text of a page, line by line, with a blank line where the distance between lines says that a paragraph ends. */
export const pageText = (items: ReadonlyArray<TextItem | { readonly type: string }>): string => {
  let text = ""
  let previous: TextItem | undefined
  for (const item of items) {
    if (!("str" in item)) continue
    if (item.str.trim() !== "") {
      if (previous !== undefined && text.endsWith("\n") && startsParagraph(previous, item)) text += "\n"
      previous = item
    }
    text += item.hasEOL ? `${item.str}\n` : item.str
  }
  return text
}

const startsParagraph = (previous: TextItem, next: TextItem): boolean => {
  const gap = (previous.transform[5] ?? 0) - (next.transform[5] ?? 0)
  return gap > PARAGRAPH_GAP * Math.max(previous.height, next.height, 1)
}
