/** A part of a text item of a page, by UTF-16 offsets in the item. */
export interface ItemPart {
  readonly item: number
  readonly start: number
  readonly end: number
}

/**
 * The characters that are compared: hyphens at line ends, white space and punctuation differ between a page and the
 * text that was extracted from it.
 */
const IS_KEPT = /[\p{L}\p{N}]/u

interface Kept {
  readonly text: string
  /** The item and the offset of each compared character. */
  readonly from: ReadonlyArray<{ readonly item: number; readonly at: number }>
}

const keep = (items: ReadonlyArray<string>): Kept => {
  const from: Array<{ readonly item: number; readonly at: number }> = []
  let text = ""
  items.forEach((words, item) => {
    for (let at = 0; at < words.length; at += 1) {
      // NFKC splits ligatures into letters.
      for (const character of (words[at] ?? "").normalize("NFKC").toLowerCase()) {
        if (!IS_KEPT.test(character)) continue
        for (let unit = 0; unit < character.length; unit += 1) from.push({ item, at })
        text += character
      }
    }
  })
  return { text, from }
}

/** Finds a text in the text items of a page by its letters and digits only; returns no parts if it is not found. */
export const findInItems = (items: ReadonlyArray<string>, wanted: string): ReadonlyArray<ItemPart> => {
  const page = keep(items)
  const needle = keep([wanted]).text
  const start = needle === "" ? -1 : page.text.indexOf(needle)
  if (start === -1) return []
  const first = page.from[start]
  const last = page.from[start + needle.length - 1]
  if (first === undefined || last === undefined) return []
  // The items between the letters belong to the text, too: a space is often a separate item.
  return items
    .slice(first.item, last.item + 1)
    .map((words, index) => ({
      item: first.item + index,
      start: index === 0 ? first.at : 0,
      end: first.item + index === last.item ? last.at + 1 : words.length
    }))
    .filter((part) => part.end > part.start)
}
