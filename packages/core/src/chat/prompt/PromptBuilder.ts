import type { ChatMessage } from "../../models/ChatMessage.ts"
import type { Model } from "../../models/Model.ts"
import type { DocumentOutline } from "../sources/outline.ts"
import type { Source } from "../store/StoredChat.ts"

/** The parts of a prompt. History and passages are already cut to what fits into the model's window. */
export interface PromptParts {
  /** The chosen model; its fallbacks get the same messages. */
  readonly model: Pick<Model, "id" | "contextTokens" | "maxOutputTokens">
  /**
   * Parley's own instruction: how to answer and, if documents were searched, how to cite their passages by number. Empty
   * for a conversation that its client keeps, without documents.
   */
  readonly instruction: string
  /**
   * Further instructions: from the settings of replies or of the bot, and in system messages if clients may send them.
   */
  readonly instructions: ReadonlyArray<string>
  /** The messages before the question, oldest first. */
  readonly history: ReadonlyArray<ChatMessage>
  /** Documents were searched, and perhaps nothing was found in them. */
  readonly searched: boolean
  /** Best first. A reply that cites one as `[1]`, by its `number`, leads its reader to it. */
  readonly passages: ReadonlyArray<Source>
  /** The headings of documents whose whole the question asks for, if they are too long to be read whole. */
  readonly outlines: ReadonlyArray<DocumentOutline>
  /**
   * The passages and outlines as Parley quotes them: numbered, as data that cannot end its own quotation; empty if there was no
   * search.
   */
  readonly quotedPassages: string
  readonly question: string
}

/**
 * Makes the messages for a model. It is called before credits are held, synchronously (no promise), and its messages
 * are counted, bounded and priced as Parley's own are. If it throws, returns no messages, or returns more than the
 * window takes beside the shortest useful reply, the reply fails with `PromptBuilderFailed` and costs nothing.
 */
export type PromptBuilder = (parts: PromptParts) => ReadonlyArray<ChatMessage>
