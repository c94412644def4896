import type { Receipt } from "@parley/client"
import type { Source, StoredMessage } from "../api/chats.ts"

/** The data of a message apart from its text. */
export interface MessageFacts {
  /** The id of the message on the server, once it is known. */
  readonly storedId?: string
  /** The id of the message before this one; null if this one begins the chat. */
  readonly parentId?: string | null
  /** The ids of all versions of the message, including this one; absent if it is the only version. */
  readonly versions?: ReadonlyArray<string>
  readonly state?: StoredMessage["state"]
  readonly model?: string
  readonly credits?: number
  readonly receipt?: Receipt
  readonly sources?: ReadonlyArray<Source>
  readonly rating?: StoredMessage["rating"]
  /** The ids of requested documents of which the model read no passage. */
  readonly unread?: ReadonlyArray<string>
}

/** A message as this page shows it. */
export interface ReplyMessage {
  /** The id of the message on this page. */
  readonly id: string
  readonly role: StoredMessage["role"]
  readonly text: string
  /** The ids of the message's images; absent if there are none. */
  readonly imageIds?: ReadonlyArray<string>
  readonly metadata?: MessageFacts
}

export const factsOf = (stored: StoredMessage): MessageFacts => ({
  storedId: stored.id,
  parentId: stored.parentId,
  versions: stored.versions ?? [],
  state: stored.state,
  sources: stored.sources,
  unread: stored.unread,
  rating: stored.rating,
  ...(stored.model === null ? {} : { model: stored.model }),
  ...(stored.credits === null ? {} : { credits: stored.credits }),
  ...(stored.receipt === null ? {} : { receipt: stored.receipt })
})

/** The React key that all versions of a message share. */
export const keyOf = ({ id, metadata }: ReplyMessage): string => metadata?.versions?.[0] ?? id

export const messageOf = (stored: StoredMessage): ReplyMessage => ({
  id: stored.id,
  role: stored.role,
  metadata: factsOf(stored),
  text: stored.content,
  ...(stored.imageIds === undefined ? {} : { imageIds: stored.imageIds })
})

/** Makes a message that only this page knows yet. */
export const newMessage = (
  role: "user" | "assistant",
  text: string,
  imageIds: ReadonlyArray<string> = []
): ReplyMessage => ({
  id: crypto.randomUUID(),
  role,
  text,
  ...(imageIds.length === 0 ? {} : { imageIds })
})

/**
 * The shown messages, with the versions that a stored branch lists for them. Undefined if the stored branch contains
 * other messages in some of their places.
 */
export const withVersionsOf = (
  stored: ReadonlyArray<StoredMessage>,
  shown: ReadonlyArray<ReplyMessage>
): ReadonlyArray<ReplyMessage> | undefined => {
  const ids = new Set(stored.map(({ id }) => id))
  const named = new Map(stored.flatMap(({ versions = [] }) => versions.map((id) => [id, versions])))
  const isReplaced = (id: string) => named.has(id) && !ids.has(id)
  if (!shown.some(({ metadata }) => isReplaced(metadata?.storedId ?? ""))) return
  return shown.map((message) => {
    const { storedId = "", versions: known } = message.metadata ?? {}
    const versions = named.get(storedId)
    if (versions === undefined || versions.length === known?.length) return message
    return { ...message, metadata: { ...message.metadata, versions } }
  })
}
