import { Clock, Context, Effect, Layer } from "effect"
import { InMemoryAccounts } from "../../credits/InMemoryCreditLedger.ts"
import type { HoldName } from "../../credits/holds/Hold.ts"
import type { UserId } from "../../identity/UserId.ts"
import type { ChatMessage } from "../../models/ChatMessage.ts"
import { IdGenerator, storableText } from "../../storage/storedForms.ts"
import { InMemoryStorage } from "../../storage/InMemoryStorage.ts"
import type { BeginTurnInput } from "./ChatStore.ts"
import { type ConversationOwner, ownerKey, type Chat, type ChatShare, type StoredMessage } from "./StoredChat.ts"
import type { StoredImage } from "../images/ImageStore.ts"
import type { EndTurn, ReplyName } from "../reply/RunningReplies.ts"
import type { Project } from "../projects/Project.ts"
import type { Handover } from "./Handover.ts"

/** A hand-over with the number of mails that were sent to its visitor. */
export interface StoredHandover extends Handover {
  readonly mails: number
}

export const handoverOf = ({ mails: _mails, ...handover }: StoredHandover): Handover => handover

/** A chat with all its messages. */
export interface StoredChat {
  readonly chat: Chat
  readonly messages: ReadonlyArray<StoredMessage>
  readonly share?: ChatShare | undefined
  /** The documents that its last request named; `kept` are those stored with the chat. */
  readonly asked: ReadonlyArray<string>
  readonly kept: ReadonlyArray<string> | undefined
  /** A counter that orders chats used within the same millisecond. */
  readonly use: number
  /** Undefined if a person never answered and was never asked for. */
  readonly handover?: StoredHandover | undefined
}

/** Returns a chat as part of a project, or of none. */
export const inProject = ({ projectId: _before, ...chat }: Chat, projectId: string | undefined): Chat =>
  projectId === undefined ? chat : { ...chat, projectId }

/** The key of a chat: chats of different owners never have the same key. */
export const keyOf = (owner: ConversationOwner, chatId: string): string => {
  const { userId, bot, visitor } = ownerKey(owner)
  return JSON.stringify([userId, bot, visitor, chatId.toLowerCase()])
}

/** The running record of a reply. */
export interface StoredReply extends ReplyName {
  readonly hold: HoldName
  readonly model: string
  readonly joinable: boolean
  readonly text: string
  readonly startedAt: number
  readonly expiresAt: number
  readonly stopAsked: boolean
}

/** An image with its owner, and the time of its upload in Unix milliseconds. */
export interface KeptImage extends StoredImage {
  readonly userId: UserId
  readonly addedAt: number
}

/** The key of a running record. */
export const runningKey = ({ owner, chatId, replyId }: ReplyName): string =>
  `${keyOf(owner, chatId)} ${replyId.toLowerCase()}`

/** Makes a stored message that is complete at once. */
export const written = (
  message: ChatMessage,
  id: string,
  parentId: string | null,
  createdAt: number
): StoredMessage => ({
  id,
  parentId,
  versions: [],
  role: message.role,
  content: storableText(message.content),
  ...(message.images === undefined ? {} : { imageIds: message.images.map(({ id }) => id) }),
  state: "complete",
  model: undefined,
  sources: [],
  unread: [],
  createdAt
})

const begun = (
  { content, id, model, sources, unread = [] }: BeginTurnInput["reply"],
  parentId: string | null,
  createdAt: number
): StoredMessage => ({
  id: id.toLowerCase(),
  parentId,
  versions: [],
  role: "assistant",
  content: storableText(content ?? ""),
  state: content === undefined ? "streaming" : "complete",
  model,
  sources: sources.map((source) => ({
    ...source,
    filename: storableText(source.filename),
    text: storableText(source.text)
  })),
  unread,
  createdAt
})

/** Makes the running record of a reply that begins now. */
const newRecord = (
  { chatId, owner, reply }: BeginTurnInput,
  { hold, joinable }: NonNullable<BeginTurnInput["running"]>,
  now: number
): Omit<StoredReply, "expiresAt"> => ({
  ...{ owner, chatId, hold, joinable },
  replyId: reply.id,
  model: reply.model ?? "",
  text: "",
  startedAt: now,
  stopAsked: false
})

/** Makes a chat that begins now; it is in the named project if `projects` contains that project. */
const newChat = (input: BeginTurnInput, projects: ReadonlyArray<Project> = [], now: number): Chat => {
  const { chatId, owner, title } = input
  const project = projects.find(({ id }) => id === input.projectId?.toLowerCase())
  const chat = { id: chatId.toLowerCase(), owner, title: storableText(title), createdAt: now, updatedAt: now }
  return inProject(chat, project?.id)
}

/** Makes the table of images; their chats are in `chats`. */
const makeImages = Effect.fnUntraced(function* (chats: ReadonlyMap<string, StoredChat>) {
  const storage = yield* InMemoryStorage
  /** The images, by their owner and id. Images of deleted chats stay until their owner is erased. */
  const images = yield* storage.table<string, KeptImage>()

  const imageOf = (userId: UserId, id: string): KeptImage | undefined => {
    const image = images.get(`${userId} ${id.toLowerCase()}`)
    const isGone = image?.chatId !== undefined && !chats.has(keyOf({ person: userId }, image.chatId))
    return isGone ? undefined : image
  }
  const imagesOf = (userId: UserId): ReadonlyArray<KeptImage> =>
    [...images.values()].filter((each) => each.userId === userId && imageOf(userId, each.id) !== undefined)
  /** Makes the images of new messages part of their chat. */
  const keepImages = ({ chatId, messages, owner }: BeginTurnInput): void => {
    const { userId } = ownerKey(owner)
    for (const { id } of messages.flatMap((message) => message.images ?? [])) {
      const image = imageOf(userId, id)
      if (image === undefined || image.chatId !== undefined) continue
      images.set(`${userId} ${image.id}`, { ...image, chatId: chatId.toLowerCase() })
    }
  }
  return { images, imageOf, imagesOf, keepImages }
})

const make = Effect.gen(function* () {
  const accounts = yield* InMemoryAccounts
  const clock = yield* Clock.Clock
  const ids = yield* IdGenerator
  const storage = yield* InMemoryStorage
  const chats = yield* storage.table<string, StoredChat>()
  const { keepImages, ...images } = yield* makeImages(chats)
  const running = yield* storage.table<string, StoredReply>()
  /** The projects of each person, the oldest first. */
  const projects = yield* storage.table<UserId, ReadonlyArray<Project>>()
  let uses = 0
  const use = () => ++uses

  const begin = (input: BeginTurnInput, now: number): void => {
    const { chatId, owner, reply } = input
    const key = keyOf(owner, chatId)
    const existing = chats.get(key)
    if (existing?.messages.some(({ id }) => id === reply.id.toLowerCase())) return
    if (input.continues && existing === undefined) return
    const { parentId = existing?.messages.at(-1)?.id ?? null } = input
    let last = parentId?.toLowerCase() ?? null
    if (last !== null && existing?.messages.some(({ id }) => id === last) !== true) return
    const chat = existing?.chat ?? newChat(input, projects.get(ownerKey(owner).userId), now)
    const added = input.messages.map((message) => {
      const stored = written(message, Effect.runSync(ids.next), last, now)
      last = stored.id
      return stored
    })
    chats.set(key, {
      chat: { ...chat, updatedAt: now },
      messages: [...(existing?.messages ?? []), ...added, begun(reply, last, now)],
      asked: (input.documentIds ?? []).map((id) => id.toLowerCase()),
      ...{ kept: existing?.kept, handover: existing?.handover, share: existing?.share },
      use: use()
    })
    keepImages(input)
    if (input.running === undefined) return
    const name = runningKey({ owner, chatId, replyId: reply.id })
    const { hold, ttlMs } = input.running
    running.set(name, { ...(running.get(name) ?? newRecord(input, input.running, now)), hold, expiresAt: now + ttlMs })
  }

  const end = ({ begin: turn, chatId, content, owner, replyId, state }: Omit<EndTurn, "_tag">): void => {
    if (turn !== undefined) begin(turn, clock.currentTimeMillisUnsafe())
    running.delete(runningKey({ owner, chatId, replyId }))
    const key = keyOf(owner, chatId)
    const chat = chats.get(key)
    const ended = chat?.messages.find(({ id }) => id === replyId.toLowerCase())
    if (chat === undefined || ended === undefined || (ended.state !== "streaming" && ended.state !== "failed")) return
    const message = { ...ended, content: storableText(content), state }
    chats.set(key, { ...chat, messages: chat.messages.map((each) => (each === ended ? message : each)) })
  }

  yield* storage.onCompanion<EndTurn>("EndTurn", end)
  yield* storage.onCompanion("HoldsSwept", () => {
    for (const reply of running.values()) {
      if (accounts.get(reply.hold.userId)?.holds.has(reply.hold.key) === true) continue
      const stored = chats.get(keyOf(reply.owner, reply.chatId))?.messages.find(({ id }) => id === reply.replyId)
      // A sweep may have ended this message earlier, while its process was still alive: the longer text is stored.
      const content = reply.text.length > (stored?.content.length ?? 0) ? reply.text : (stored?.content ?? "")
      end({ ...reply, content, state: "failed", begin: undefined })
    }
  })
  return { ...images, begin, chats, projects, running, use }
})

/** The chats of one process with their projects, images and running records, which the in-memory stores share. */
export class InMemoryChats extends Context.Service<InMemoryChats, Effect.Success<typeof make>>()(
  "@parley/core/chat/store/InMemoryChats"
) {
  static readonly layer = Layer.effect(InMemoryChats, make).pipe(
    Layer.provide(Layer.mergeAll(InMemoryAccounts.layer, InMemoryStorage.layer))
  )
}
