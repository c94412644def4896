import { type AttachedFile, fileFrom } from "./files.ts"

/** A passage of a document that the reply was given. */
export interface Source {
  /** The number of the source in citations such as `[1]`. */
  readonly number: number
  readonly filename: string
  /** The number of the page, beginning with 1; undefined if the document has no pages. */
  readonly page: number | undefined
  readonly text: string
}

/** The states of a conversation. In `waiting` and `open` a person answers and the bot does not. */
export const CONVERSATION_STATES = ["bot", "waiting", "open", "solved"] as const
export type ConversationState = (typeof CONVERSATION_STATES)[number]

export type Rating = "good" | "bad"

export interface TranscriptMessage {
  readonly id: string
  /** True if the visitor may rate the message. */
  readonly isRatable: boolean
  readonly rating: Rating | undefined
  /**
   * The name of the person who wrote the message in the place of the bot, possibly empty; undefined for other messages.
   */
  readonly author: string | undefined
  readonly role: "visitor" | "bot"
  readonly text: string
  /** False if the reply broke off. */
  readonly isComplete: boolean
  readonly sources: ReadonlyArray<Source>
}

export interface Transcript {
  readonly kind: "transcript"
  readonly state: ConversationState
  /** True if the server knows the address to which a person's answer can be mailed. */
  readonly hasEmail: boolean
  readonly messages: ReadonlyArray<TranscriptMessage>
  /** The files of the conversation; undefined if the response contains only new messages. */
  readonly files: ReadonlyArray<AttachedFile> | undefined
}

type Fields = Readonly<Record<string, unknown>>

const listOf = (value: unknown): ReadonlyArray<Fields> =>
  Array.isArray(value) ? value.filter((each): each is Fields => typeof each === "object" && each !== null) : []

const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

const sourceFrom = ({ filename, number, page, text }: Fields): Source => ({
  number: Number(number),
  filename: textOf(filename),
  page: typeof page === "number" ? page : undefined,
  text: textOf(text)
})

export const stateFrom = (value: unknown): ConversationState =>
  CONVERSATION_STATES.find((state) => state === value) ?? "bot"

/** Reads a conversation from the server's response. */
export const transcriptFrom = (body: unknown): Transcript => ({
  kind: "transcript",
  state: stateFrom((body as Fields)["state"]),
  hasEmail: (body as Fields)["hasEmail"] === true,
  files: Array.isArray((body as Fields)["files"]) ? listOf((body as Fields)["files"]).map(fileFrom) : undefined,
  messages: listOf((body as Fields)["messages"])
    .filter(({ role }) => role === "user" || role === "assistant")
    .map(({ author, content, id, ratable, rating, role, sources, state }) => ({
      id: textOf(id),
      isRatable: ratable === true,
      rating: rating === "good" || rating === "bad" ? rating : undefined,
      author: typeof author === "string" ? author : undefined,
      role: role === "user" ? "visitor" : "bot",
      text: textOf(content),
      isComplete: role === "user" || state === undefined || state === "complete",
      sources: listOf(sources).map(sourceFrom)
    }))
})
