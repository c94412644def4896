import { Clock, Effect, Layer } from "effect"
import { InMemoryAccounts, renewHold } from "../../credits/InMemoryCreditLedger.ts"
import { InMemoryStorage } from "../../storage/InMemoryStorage.ts"
import { storableText } from "../../storage/storedForms.ts"
import { ownerKey } from "../store/StoredChat.ts"
import { InMemoryChats, keyOf, runningKey, type StoredReply } from "../store/InMemoryChats.ts"
import {
  type ReplyBeat,
  type ReplyBeaten,
  type ReplyName,
  type RunningChat,
  type RunningProgress,
  RunningReplies,
  type WriteReplyInput
} from "./RunningReplies.ts"

const chatKey = ({ owner, chatId }: RunningChat): string => keyOf(owner, chatId)

const isJoinable = (chat: RunningChat, now: number) => (reply: StoredReply) =>
  reply.joinable && chatKey(reply) === chatKey(chat) && reply.expiresAt > now

/** Asks the found replies to stop; returns their number. */
const askToStop = (running: Map<string, StoredReply>, found: ReadonlyArray<StoredReply>): number => {
  for (const reply of found) running.set(runningKey(reply), { ...reply, stopAsked: true })
  return found.length
}

const make = Effect.gen(function* () {
  const accounts = yield* InMemoryAccounts
  const storage = yield* InMemoryStorage
  const { chats, running } = yield* InMemoryChats
  const atOnce = <A>(work: (now: number) => A) => storage.exclusive(Effect.map(Clock.currentTimeMillis, work))

  /** Returns a running reply; undefined if its chat was deleted, because the reply was deleted with it. */
  const storedOf = (reply: ReplyName) => (chats.has(chatKey(reply)) ? running.get(runningKey(reply)) : undefined)
  const joinableOf = (chat: RunningChat, now: number) =>
    chats.has(chatKey(chat)) ? [...running.values()].filter(isJoinable(chat, now)) : []
  const messageOf = (reply: ReplyName) =>
    chats.get(chatKey(reply))?.messages.find(({ id }) => id === reply.replyId.toLowerCase())

  const add = (hold: ReplyBeat["hold"], reply: WriteReplyInput, now: number, ttlMs: number) => {
    if (!chats.has(chatKey(reply))) return undefined
    const { start, text, ...name } = reply
    const stored = storedOf(reply) ?? { ...name, text: "", startedAt: now, stopAsked: false }
    const whole = stored.text.length === start ? stored.text + storableText(text) : stored.text
    const known = { ...stored, joinable: reply.joinable, model: reply.model }
    running.set(runningKey(reply), { ...known, hold, text: whole, expiresAt: now + ttlMs })
    return { length: whole.length, stopAsked: stored.stopAsked }
  }
  const beat = ({ hold, reply }: ReplyBeat, now: number, ttlMs: number): ReplyBeaten => {
    if (!renewHold(accounts, { ...hold, outputTokens: 0 }, now + ttlMs)) {
      return { isHoldGone: true, isChatGone: false, length: undefined, stopAsked: false }
    }
    const written = reply && add(hold, reply, now, ttlMs)
    if (reply === undefined || written?.length === reply.start + reply.text.length) {
      renewHold(accounts, hold, now + ttlMs)
    }
    const { length, stopAsked = false } = written ?? {}
    return { isHoldGone: false, isChatGone: reply !== undefined && written === undefined, length, stopAsked }
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
    write: ({ beats, ttlMs }) => atOnce((now) => beats.map((each) => beat(each, now, ttlMs))),
    read: ({ from, ...reply }) => atOnce((now) => progressOf(reply, from, now)),
    find: ({ replyId, ...chat }) =>
      atOnce((now) => {
        const [found] = joinableOf(chat, now)
          .filter((reply) => (replyId ?? reply.replyId).toLowerCase() === reply.replyId.toLowerCase())
          .toReversed()
          .toSorted((one, other) => other.startedAt - one.startedAt)
        return found && { messageId: found.replyId.toLowerCase(), model: found.model, startedAt: found.startedAt }
      }),
    askToStop: (chat) => atOnce((now) => askToStop(running, joinableOf(chat, now)) > 0),
    askAllToStop: (userId) =>
      atOnce(() => {
        const found = [...running.values()].filter(({ owner }) => ownerKey(owner).userId === userId)
        askToStop(running, found)
      })
  })
})

/**
 * The running records of replies in the memory of one process, beside its chats: for tests, and for trying Parley out.
 */
export const InMemoryRunningReplies = {
  layer: Layer.effect(RunningReplies, make).pipe(
    Layer.provide(Layer.mergeAll(InMemoryAccounts.layer, InMemoryChats.layer, InMemoryStorage.layer))
  )
}
