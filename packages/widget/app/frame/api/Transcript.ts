/** A passage that a reply rests on. */
export interface Source {
  /** The number in the citation, as in `[1]`. */
  readonly number: number
  readonly filename: string
  /** From 1; undefined if the document has no pages. */
  readonly page: number | undefined
  readonly text: string
}

export interface TranscriptMessage {
  readonly role: "visitor" | "bot"
  readonly text: string
  /** False if the reply broke off. */
  readonly isComplete: boolean
  readonly sources: ReadonlyArray<Source>
}

export interface Transcript {
  readonly kind: "transcript"
  readonly messages: ReadonlyArray<TranscriptMessage>
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

/** Reads the service's answer. */
export const transcriptFrom = (body: unknown): Transcript => ({
  kind: "transcript",
  messages: listOf((body as Fields)["messages"])
    .filter(({ role }) => role === "user" || role === "assistant")
    .map(({ content, role, sources, state }) => ({
      role: role === "user" ? "visitor" : "bot",
      text: textOf(content),
      isComplete: role === "user" || state === undefined || state === "complete",
      sources: listOf(sources).map(sourceFrom)
    }))
})
