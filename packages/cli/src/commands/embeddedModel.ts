import type { EmbeddedModel } from "@parley/adapters-db"
import { DocumentReindex } from "@parley/core/effect"
import type { Effect } from "effect"

/** The model by which passages are embedded as configured: its name as embeddings are kept by ends in their dimensions. Undefined where nobody embeds. */
export const embeddedModel: Effect.Effect<EmbeddedModel | undefined, never, DocumentReindex> = DocumentReindex.useSync(
  ({ indexedBy }) => {
    const { embedder } = indexedBy("txt")
    return embedder === undefined
      ? undefined
      : { model: embedder, dimensions: Number(embedder.slice(embedder.lastIndexOf("/") + 1)) }
  }
)
