/** A part of one of a page's pieces of text: UTF-16 offsets. */
export interface ItemPart {
  readonly item: number
  readonly start: number
  readonly end: number
}

/** Hyphens at the ends of lines, white space and punctuation differ between a page and the text that was read from it. */
const IS_KEPT = /[\p{L}\p{N}]/u

interface Kept {
  readonly text: string
  /** The origin of each of its characters. */
  readonly from: ReadonlyArray<{ readonly item: number; readonly at: number }>
}

const keep = (items: ReadonlyArray<string>): Kept => {
  const from: Array<{ readonly item: number; readonly at: number }> = []
  let text = ""
  items.forEach((words, item) => {
    for (let at = 0; at < words.length; at += 1) {
      // Ligatures become their letters.
      for (const character of (words[at] ?? "").normalize("NFKC").toLowerCase()) {
        if (!IS_KEPT.test(character)) continue
        for (let unit = 0; unit < character.length; unit += 1) from.push({ item, at })
        text += character
      }
    }
  })
  return { text, from }
}

/** The places of a text in a page's pieces of text, compared by letters and digits only; empty if it is not found. */
export const findInItems = (items: ReadonlyArray<string>, wanted: string): ReadonlyArray<ItemPart> => {
  const page = keep(items)
  const needle = keep([wanted]).text
  const start = needle === "" ? -1 : page.text.indexOf(needle)
  if (start === -1) return []
  const first = page.from[start]
  const last = page.from[start + needle.length - 1]
  if (first === undefined || last === undefined) return []
  // Includes the pieces between the letters: spaces are often pieces of their own.
  return items
    .slice(first.item, last.item + 1)
    .map((words, index) => ({
      item: first.item + index,
      start: index === 0 ? first.at : 0,
      end: first.item + index === last.item ? last.at + 1 : words.length
    }))
    .filter((part) => part.end > part.start)
}
