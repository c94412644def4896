import type { Effect } from "effect"
import type { ParsedDocument } from "../reading/DocumentParser.ts"
import { sha256 } from "../../secrets/sha256.ts"

/** How texts become passages and terms. To be raised whenever `cutPassages`, `passageWords` or the stemming changes what it gives. */
export const INDEXING_VERSION = 7

/** The fingerprint under which an indexing may be continued: of the text, its pages and headings, and the version of the indexing. */
export const textFingerprint = ({ headings = [], pageStarts, text }: ParsedDocument): Effect.Effect<string> =>
  sha256(
    new TextEncoder().encode(`${INDEXING_VERSION}\n${JSON.stringify(pageStarts)}\n${JSON.stringify(headings)}\n${text}`)
  )
