import type { Stream } from "effect"
import type { Source } from "../store/StoredMessage.ts"
import type { ModelFailed } from "../../models/ChatModel.ts"

/** A reply whose first words have arrived. Its credits are settled when `text` ends, fails or is left. */
export interface Reply {
  readonly chatId: string
  readonly messageId: string
  /** The public id of the model that answers: the one asked for, or its fallback. */
  readonly model: string
  readonly sources: ReadonlyArray<Source>
  /** Named documents that are not ready and were left out. */
  readonly pendingDocuments: ReadonlyArray<string>
  /** Where the balance bought less than the model's longest reply: the output tokens it bought. */
  readonly limitedTo: number | undefined
  /** In the order written; each element is what was ready at once. To be read once, inside the scope of `send`. */
  readonly text: Stream.Stream<string, ModelFailed>
}
