import { Context } from "effect"
import type { Embedder } from "./Embedder.ts"

/**
 * The embedder by which a `PassageIndex` searches for meaning beside words: none unless configured. Passages are embedded when
 * they are added, queries when they are asked.
 */
export class PassageEmbedder extends Context.Reference<Embedder["Service"] | undefined>(
  "@parley/core/documents/PassageEmbedder",
  { defaultValue: () => undefined }
) {}
