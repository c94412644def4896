import { Clock, Effect, Layer } from "effect"
import { InMemoryStorage } from "../../storage/InMemoryStorage.ts"
import { storableText } from "../../storage/storableText.ts"
import type { EndTurnInput } from "../ChatStore.ts"
import { InMemoryChats, keyOf } from "../InMemoryChats.ts"
import type { MessageState } from "../StoredMessage.ts"
import { type ReplyName, type RunningProgress, type RunningChat, RunningReplies } from "./RunningReplies.ts"

interface StoredReply extends ReplyName {
  readonly model: string
  readonly text: string
  readonly startedAt: number
  readonly expiresAt: number
  readonly stopAsked: boolean
}

const chatKey = ({ owner, chatId }: RunningChat): string => keyOf(owner, chatId)
const replyKey = (reply: ReplyName): string => `${chatKey(reply)} ${reply.replyId.toLowerCase()}`

const make = Effect.gen(function* () {
  const storage = yield* InMemoryStorage
  const chats = yield* InMemoryChats
  const replies = yield* storage.table<string, StoredReply>()
  const atOnce = <A>(work: (now: number) => A) => storage.exclusive(Effect.map(Clock.currentTimeMillis, work))

  /** A chat that was deleted has taken its replies with it. */
  const storedOf = (reply: ReplyName) => (chats.has(chatKey(reply)) ? replies.get(replyKey(reply)) : undefined)
  const runningOf = (chat: RunningChat, now: number) =>
    [...replies.values()].filter(
      (reply) => chats.has(chatKey(chat)) && chatKey(reply) === chatKey(chat) && reply.expiresAt > now
    )
  const messageOf = (reply: ReplyName) =>
    chats.get(chatKey(reply))?.messages.find(({ id }) => id === reply.replyId.toLowerCase())
  const endMessage = ({ content, state, ...reply }: EndTurnInput, from: ReadonlyArray<MessageState>) => {
    const key = chatKey(reply)
    const chat = chats.get(key)
    const ended = messageOf(reply)
    replies.delete(replyKey(reply))
    if (chat === undefined || ended === undefined || !from.includes(ended.state)) return
    const message = { ...ended, content: storableText(content), state }
    chats.set(key, { ...chat, messages: chat.messages.map((each) => (each === ended ? message : each)) })
  }
  const progressOf = (reply: ReplyName, from: number, now: number): RunningProgress => {
    const stored = storedOf(reply)
    const message = messageOf(reply)
    if (stored !== undefined) {
      const text = stored.text.slice(from)
      return stored.expiresAt > now ? { _tag: "Running", model: stored.model, text } : { _tag: "Lost", text }
    }
    return message === undefined || message.state === "streaming"
      ? { _tag: "Lost", text: "" }
      : { _tag: "Ended", model: message.model, text: message.content.slice(from), state: message.state }
  }

  return RunningReplies.of({
    write: ({ model, start, text, ttlMs, ...reply }) =>
      atOnce((now) => {
        if (!chats.has(chatKey(reply))) return undefined
        const stored = storedOf(reply) ?? { ...reply, text: "", startedAt: now, stopAsked: false }
        const whole = stored.text.length === start ? stored.text + storableText(text) : stored.text
        replies.set(replyKey(reply), { ...stored, model, text: whole, expiresAt: now + ttlMs })
        return { length: whole.length, stopAsked: stored.stopAsked }
      }),
    read: ({ from, ...reply }) => atOnce((now) => progressOf(reply, from, now)),
    find: ({ replyId, ...chat }) =>
      atOnce((now) => {
        const [found] = runningOf(chat, now)
          .filter((reply) => (replyId ?? reply.replyId).toLowerCase() === reply.replyId.toLowerCase())
          .toReversed()
          .toSorted((one, other) => other.startedAt - one.startedAt)
        return found && { messageId: found.replyId.toLowerCase(), model: found.model, startedAt: found.startedAt }
      }),
    askToStop: (chat) =>
      atOnce((now) => {
        const found = runningOf(chat, now)
        for (const reply of found) replies.set(replyKey(reply), { ...reply, stopAsked: true })
        return found.length > 0
      }),
    end: (input) => atOnce(() => endMessage(input, ["streaming", "failed"])),
    forget: (reply) => atOnce(() => void replies.delete(replyKey(reply))),
    sweep: ({ limit }) =>
      atOnce((now) => {
        const dead = [...replies.values()].filter(({ expiresAt }) => expiresAt <= now).slice(0, limit)
        for (const { chatId, owner, replyId, text } of dead) {
          endMessage({ owner, chatId, replyId, content: text, state: "failed" }, ["streaming"])
        }
        return dead.length
      })
  })
})

/** What is written of replies in the memory of one process, beside its chats: for tests, and for trying things out. */
export const InMemoryRunningReplies = {
  layer: Layer.effect(RunningReplies, make).pipe(
    Layer.provide(InMemoryChats.layer),
    Layer.provide(InMemoryStorage.layer)
  )
}
