/** A page of a PDF as it was read. */
export interface ReadPage {
  readonly text: string
  /** A picture covers it, or it shows letters, and its text is at most a caption. */
  readonly isUnread: boolean
}

/** A page under a picture that has more text is read. */
export const CAPTION_LENGTH = 100

/** Letters without a meaning: controls, private use (Unicode, 23.5) and the mark for an unknown character. */
const UNMAPPED = /[\u0000-\u0008\u000e-\u001f\ue000-\uf8ff\ufffd]/gu
const UNMAPPED_SHARE = 0.3

/** True if the text of a page consists of codes that its fonts do not map to letters. */
export const isUnmapped = (text: string): boolean => {
  const letters = text.replaceAll(/\s/gu, "").length
  return letters > 0 && (text.match(UNMAPPED)?.length ?? 0) > UNMAPPED_SHARE * letters
}

/** Marks that scanning programs print on each page. */
const STAMP =
  /^\W*(?:scann?ed (?:with|by)|gescannt mit|numéris[ée] (?:avec|par)|escaneado con|scansionato con|扫描|scan by)/iu

/** The pages without stamps: texts that a scanning program prints, or that more than half of several unread pages have. */
export const withoutStamps = (pages: ReadonlyArray<ReadPage>): ReadonlyArray<ReadPage> => {
  const unread = pages.filter(({ isUnread }) => isUnread)
  const isStamp = (text: string): boolean => {
    const alike = unread.filter((page) => page.text === text).length
    return STAMP.test(text) || (alike > 1 && alike > unread.length / 2)
  }
  return pages.map((page) => (page.isUnread && isStamp(page.text) ? { ...page, text: "" } : page))
}

/** The sentence about pages without readable text. */
export const noticeOf = (unread: number, pages: number): string =>
  `${unread.toLocaleString("en-US")} of ${pages.toLocaleString("en-US")} ${pages === 1 ? "page has" : "pages have"} no readable text: pictures, or letters that the file does not map to characters. Run text recognition (OCR) on the file and upload it again.`

/** The pages as one text, apart by a line end, with the offset at which each begins. */
export const joinPages = (texts: ReadonlyArray<string>) => {
  let length = 0
  const pageStarts = texts.map((text) => {
    const start = length
    length += text.length + 1
    return start
  })
  return { text: texts.join("\n"), pageStarts }
}
