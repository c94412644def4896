import type { Effect } from "effect"
import type { ParsedDocument } from "./DocumentParser.ts"
import { sha256 } from "./sha256.ts"

/** How texts become passages and terms. To be raised whenever `cutPassages` or `searchableText` changes what it gives. */
const INDEXING_VERSION = 1

/** The fingerprint under which an indexing may be continued: of the text, its pages, and the version of the indexing. */
export const textFingerprint = ({ text, pageStarts }: ParsedDocument): Effect.Effect<string> =>
  sha256(new TextEncoder().encode(`${INDEXING_VERSION}\n${JSON.stringify(pageStarts)}\n${text}`))
