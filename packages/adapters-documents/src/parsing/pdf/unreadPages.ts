/** A page of a PDF after reading. */
export interface ReadPage {
  readonly text: string
  /** True if a picture covers the page, or if it shows letters, and its text is not longer than a caption. */
  readonly isUnread: boolean
}

/** A page with a longer text counts as read, even if a picture covers it. */
export const CAPTION_LENGTH = 100

/**
 * True for a code without a meaning: a control character, private use (Unicode, 23.5), or the mark for an unknown
 * character.
 */
const isWithoutMeaning = (unit: number): boolean =>
  unit < 0x09 || (unit > 0x0d && unit < 0x20) || (unit >= 0xe000 && unit <= 0xf8ff) || unit === 0xfffd
const UNMAPPED_SHARE = 0.3

/** True for accented Latin-1 letters. A font without letter names maps the letters of other scripts to them. */
const isUpperLatin = (unit: number): boolean => unit >= 0xc0 && unit <= 0xff
/** No language has such a share of them. A smaller number than `least` may occur on a short page. */
const UPPER_LATIN = { share: 0.4, least: 50 } as const

/** The number of signs in a text, and the number of those that its fonts do not map to characters. */
interface SignCounts {
  readonly signs: number
  readonly lost: number
}

export const countSigns = (text: string): SignCounts => {
  let signs = 0
  let lost = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === 0x20 || (unit >= 0x09 && unit <= 0x0d)) continue
    signs += 1
    if (isWithoutMeaning(unit)) lost += 1
  }
  return { signs, lost }
}

/** With fewer lost signs, they are list marks and other symbols, and no notice is needed. */
const LOST = { share: 0.05, least: 10 } as const

/** Returns a sentence about lost signs on pages with readable text; undefined if there are few of them. */
export const lostSignsNotice = ({ lost, signs }: SignCounts): string | undefined =>
  lost < LOST.least || lost < LOST.share * signs
    ? undefined
    : `${Math.round((100 * lost) / signs)} % of the letters and signs cannot be read, because the file does not map them to characters. Run text recognition (OCR) on the file and upload it again.`

/** True if the fonts of a page do not map a large share of its codes to letters. */
export const isUnmapped = (text: string): boolean => {
  const { lost, signs } = countSigns(text)
  let upper = 0
  for (let at = 0; at < text.length; at++) if (isUpperLatin(text.charCodeAt(at))) upper += 1
  return lost > UNMAPPED_SHARE * signs || (upper >= UPPER_LATIN.least && upper > UPPER_LATIN.share * signs)
}

/** Matches the stamps that scanning programs print on each page. */
const STAMP =
  /^\W*(?:scann?ed (?:with|by)|gescannt mit|numéris[ée] (?:avec|par)|escaneado con|scansionato con|扫描|scan by)/iu

/**
 * Removes the stamps that scanning programs print on pages. If all pages with a text are unread and have the same text,
 * that text is removed as well.
 */
export const withoutStamps = <Page extends ReadPage>(pages: ReadonlyArray<Page>): ReadonlyArray<Page> => {
  const withText = pages.filter(({ text }) => text !== "")
  const isAlike = withText.length > 1 && withText.every(({ isUnread, text }) => isUnread && text === withText[0]?.text)
  return pages.map((page) => (page.isUnread && (isAlike || STAMP.test(page.text)) ? { ...page, text: "" } : page))
}

/** Returns a sentence about pages without readable text. */
export const noticeOf = (unread: number, pages: number): string =>
  `${unread.toLocaleString("en-US")} of ${pages.toLocaleString("en-US")} ${pages === 1 ? "page has" : "pages have"} no readable text: pictures, or letters that the file does not map to characters. Run text recognition (OCR) on the file and upload it again.`

/** Joins the pages to one text with a line end between them, and returns the offset at which each page begins. */
export const joinPages = (texts: ReadonlyArray<string>) => {
  let length = 0
  const pageStarts = texts.map((text) => {
    const start = length
    length += text.length + 1
    return start
  })
  return { text: texts.join("\n"), pageStarts }
}
