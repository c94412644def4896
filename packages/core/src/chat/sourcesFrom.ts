import type { FoundPassage } from "../documents/Document.ts"
import type { Source } from "./StoredMessage.ts"

/** Numbers found passages from 1, best first, as a reply cites them. */
export const sourcesFrom = (found: ReadonlyArray<FoundPassage>): ReadonlyArray<Source> =>
  found.map(({ documentId, filename, page, start, end, text, headings }, index) => ({
    number: index + 1,
    documentId,
    filename,
    page,
    start,
    end,
    text,
    ...(headings === undefined ? {} : { headings })
  }))
