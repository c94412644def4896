import type { ReplyStart } from "./ShownMessages.ts"

/** The state of a conversation apart from its messages. */
export interface ConversationFacts {
  /** The chat's id; undefined until the server has given a new chat its id. */
  readonly chatId: string | undefined
  readonly title: string
  /** The project of the chat, or the one in which a new chat begins; null for none. */
  readonly projectId: string | null
  /** The documents of the next question; undefined until the person chooses. */
  readonly documentIds: ReadonlyArray<string> | undefined
  /** The images of the next question. */
  readonly imageIds: ReadonlyArray<string>
  readonly modelId: string | undefined
  /** The id of the message before which earlier ones can be read; null if there are none. */
  readonly nextBefore: string | null
  /** The data in the head of the running or last reply. */
  readonly start: ReplyStart | undefined
  /** The last question that was not answered, with the reason. */
  readonly refusal: Refusal | undefined
  /** True while the page restores a lost connection to the running reply. */
  readonly isReconnecting: boolean
  /** True while this page joins a reply that another page started. */
  readonly isJoining: boolean
}

/** A question that got no reply, and the reason. */
interface Refusal {
  readonly error: unknown
  /** The question's text; undefined if only another version of a reply was requested. */
  readonly question: string | undefined
}

/** The state of a chat that has not begun. */
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
