import type { ChatMessage } from "../../models/ChatMessage.ts"
import type { Model } from "../../models/Model.ts"
import type { DocumentOutline } from "../sources/outline.ts"
import type { Source } from "../store/StoredChat.ts"

/** The parts of a prompt. History and passages are already cut so that they fit into the model's context window. */
export interface PromptParts {
  /** The chosen model; its fallbacks are sent the same messages. */
  readonly model: Pick<Model, "id" | "contextTokens" | "maxOutputTokens">
  /**
   * Parley's own instruction: how to answer and, if documents were searched, how to cite their passages by number.
   * Empty for a conversation that its client keeps, without documents.
   */
  readonly instruction: string
  /**
   * Further instructions: from the settings of replies or of the bot, and from system messages if clients may send
   * them.
   */
  readonly instructions: ReadonlyArray<string>
  /** The messages before the question, oldest first. */
  readonly history: ReadonlyArray<ChatMessage>
  /** True if documents were searched, even if nothing was found. */
  readonly searched: boolean
  /** The passages, best first. A reply cites one by its `number`, as `[1]`, and the reader can open it there. */
  readonly passages: ReadonlyArray<Source>
  /** The headings of documents that are too long to be read whole, if the question is about the whole of them. */
  readonly outlines: ReadonlyArray<DocumentOutline>
  /**
   * The passages and outlines as Parley quotes them: numbered, as data that cannot end its own quotation; empty if
   * there was no search.
   */
  readonly quotedPassages: string
  readonly question: string
}

/**
 * Makes the messages for a model. The function is called before credits are held, and is synchronous (no promise). Its
 * messages are counted, bounded and priced like Parley's own. If it throws, returns no messages, or returns more than
 * fits into the context window beside the shortest useful reply, the reply fails with `PromptBuilderFailed` and costs
 * nothing.
 */
export type PromptBuilder = (parts: PromptParts) => ReadonlyArray<ChatMessage>
