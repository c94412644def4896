import type { Passage } from "../../documents/Document.ts"
import type { Heading } from "../../documents/reading/Heading.ts"

/** The headings, in order, of a document that is too long to be read whole. */
export interface DocumentOutline {
  readonly filename: string
  readonly headings: ReadonlyArray<Pick<Heading, "level" | "title">>
}

interface PassageOfDocument extends Pick<Passage, "headings"> {
  readonly documentId: string
  readonly filename: string
}

const DEEPEST = 6

const hasHeadings = ({ headings }: DocumentOutline): boolean => headings.length > 0

/**
 * Makes outlines of documents from the headings above and in their passages, each heading once, so that they fit into a
 * budget: first the deepest levels are left out, then every second heading of the first level, and so on.
 */
export const outlinesOf = (
  passages: ReadonlyArray<PassageOfDocument>,
  budget: number,
  tokensOf: (text: string) => number
): ReadonlyArray<DocumentOutline> => {
  const documents = [...Map.groupBy(passages, ({ documentId }) => documentId).values()].map((ofDocument) => {
    const byStart = new Map(ofDocument.flatMap(({ headings = [] }) => headings.map((each) => [each.start, each])))
    const headings = [...byStart.values()].toSorted((one, other) => one.start - other.start)
    return { filename: ofDocument[0]?.filename ?? "", headings: headings.map(({ level, title }) => ({ level, title })) }
  })
  // Each heading has at least one token, so an outline with more headings than the budget has tokens need not be
  // counted.
  const fits = (outlines: ReadonlyArray<DocumentOutline>) =>
    outlines.reduce((sum, { headings }) => sum + headings.length, 0) <= budget &&
    tokensOf(outlines.map(outlineText).join("\n")) <= budget
  for (let deepest = DEEPEST; deepest > 0; deepest--) {
    const outlines = narrowed(documents, ({ level }) => level <= deepest)
    if (fits(outlines)) return outlines
  }
  let outlines = narrowed(documents, ({ level }) => level === 1)
  while (outlines.length > 0 && !fits(outlines)) outlines = narrowed(outlines, (_, place) => place % 2 === 1)
  return outlines
}

const narrowed = (
  outlines: ReadonlyArray<DocumentOutline>,
  keeps: (heading: DocumentOutline["headings"][number], place: number) => boolean
): ReadonlyArray<DocumentOutline> =>
  outlines.map(({ filename, headings }) => ({ filename, headings: headings.filter(keeps) })).filter(hasHeadings)

/** The headings as lines, indented by their levels. */
export const outlineText = ({ headings }: DocumentOutline): string =>
  headings.map(({ level, title }) => `${"  ".repeat(level - 1)}${title.replaceAll("\n", " ")}`).join("\n")
