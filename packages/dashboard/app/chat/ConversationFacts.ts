import type { ReplyStart } from "./ShownMessages.ts"

/** The state of a conversation besides its messages. */
export interface ConversationFacts {
  /** Undefined until the server has given the new chat its id. */
  readonly chatId: string | undefined
  readonly title: string
  /** The project of the chat, or in which a new one begins; null for none. */
  readonly projectId: string | null
  /** Undefined until the person chooses. */
  readonly documentIds: ReadonlyArray<string> | undefined
  /** The images of the next question. */
  readonly imageIds: ReadonlyArray<string>
  readonly modelId: string | undefined
  /** The id before which there are earlier messages; null if there are none. */
  readonly nextBefore: string | null
  /** The head of the current or last reply. */
  readonly start: ReplyStart | undefined
  /** The reason why the last question was not answered, with the question. */
  readonly refusal: Refusal | undefined
  /** The connection to the running reply was lost, and is being restored. */
  readonly isReconnecting: boolean
  /** This page joins a reply that another page started. */
  readonly isJoining: boolean
}

/** A question without a reply. */
interface Refusal {
  readonly error: unknown
  /** Undefined if none was asked, as for another version of a reply. */
  readonly question: string | undefined
}

/** The facts of a chat that has not begun. */
export const NOTHING: ConversationFacts = {
  chatId: undefined,
  title: "",
  projectId: null,
  documentIds: undefined,
  imageIds: [],
  modelId: undefined,
  nextBefore: null,
  start: undefined,
  refusal: undefined,
  isReconnecting: false,
  isJoining: false
}
