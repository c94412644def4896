import type { EmbeddedModel } from "@parley/adapters-db"
import { DocumentReindex } from "@parley/core/effect"
import type { Effect } from "effect"

/**
 * The configured model that embeds passages; undefined if no embedder is configured. The name under which embeddings
 * are stored ends with their number of dimensions, which is parsed from it.
 */
export const embeddedModel: Effect.Effect<EmbeddedModel | undefined, never, DocumentReindex> = DocumentReindex.useSync(
  ({ indexedBy }) => {
    const { embedder } = indexedBy("txt")
    return embedder === undefined
      ? undefined
      : { model: embedder, dimensions: Number(embedder.slice(embedder.lastIndexOf("/") + 1)) }
  }
)
