import type { Passage } from "../../documents/Document.ts"
import type { Heading } from "../../documents/reading/Heading.ts"

/** The headings of a document whose text is longer than a model reads, in order. */
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
 * Returns the outlines of documents by the headings above and in their passages, each heading once, as far as they fit
 * into a budget: without the deepest levels, then with every second heading of the first level, and so on.
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
  // Each heading has a token at least, so that longer outlines need no count.
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
