import { Cause, Clock, Context, Deferred, Effect, Exit, Fiber, Layer, RcMap, type Scope, Stream } from "effect"
import type { ModelFailed } from "../../models/ChatModel.ts"
import { retryStorage } from "../../storage/retryStorage.ts"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import type { EndTurnInput } from "../ChatStore.ts"
import { ownerKey } from "../ConversationOwner.ts"
import type { MeteredReply } from "../meteredReply.ts"
import type { KeptReply } from "./KeptReply.ts"
import { cutOff, followReply } from "./followReply.ts"
import { makeReplyText, type ReplyText } from "./ReplyText.ts"
import { type ReplyName, type RunningChat, RunningReplies, type RunningReply } from "./RunningReplies.ts"
import { writeReply } from "./writeReply.ts"

/** How long stopping waits until the replies are stored and charged. */
const STOPPED_WITHIN = "5 seconds"
const STOPPED_POLL = "100 millis"

export interface ContinueInput {
  readonly reply: ReplyName
  /** The public id of the model that was chosen; another one may answer. */
  readonly model: string
  /** The chat is there already, and not only once the first turn is stored. */
  readonly chatExists: boolean
  /** Opens the reply, which lives until the scope closes. */
  readonly open: (kept: KeptReply) => Effect.Effect<MeteredReply, ModelFailed, Scope.Scope>
}

/** A reply that runs, read from its beginning. */
export interface JoinedReply {
  readonly chatId: string
  readonly messageId: string
  readonly model: string
  /** Each element is what was there at once. Leaving it ends nothing. */
  readonly text: Stream.Stream<string, ModelFailed>
}

/** A reply as it can be read here, whichever process writes it. */
interface Readable {
  readonly messageId: string
  readonly model: () => string
  readonly text: Pick<ReplyText<ModelFailed | StorageFailed>, "begun" | "stream">
}

/** A reply that this process writes. */
interface OwnReply extends Readable {
  /** Unix milliseconds. */
  readonly startedAt: number
  /** Interrupts it, without waiting. */
  readonly stop: () => void
  readonly stopped: Effect.Effect<unknown>
}

const keyOf = ({ owner, chatId }: RunningChat): string => {
  const { userId, bot, visitor } = ownerKey(owner)
  return JSON.stringify([userId, bot, visitor, chatId.toLowerCase()])
}

/** The replies that go on when their reader leaves: those that this process writes, and how those of others are read. */
export class ContinuingReplies extends Context.Service<
  ContinuingReplies,
  {
    /**
     * Writes a reply to its end, whatever becomes of who asked for it: gives it once its first words are there. It ends
     * early where it is stopped, its chat is deleted, or this process stops.
     */
    run(input: ContinueInput): Effect.Effect<MeteredReply, ModelFailed>
    /** The reply of a chat that runs, on whatever process, or undefined: waits for its first words. */
    join(
      chat: RunningChat & { readonly replyId?: string | undefined }
    ): Effect.Effect<JoinedReply | undefined, ModelFailed | StorageFailed, Scope.Scope>
    /** The reply of a chat that runs, on whatever process. */
    find(chat: RunningChat): Effect.Effect<RunningReply | undefined, StorageFailed>
    /** Ends the replies of a chat that run, on whatever process, and waits for a while until they are stored and charged. */
    stop(chat: RunningChat): Effect.Effect<void, StorageFailed>
  }
>()("@parley/core/chat/running/ContinuingReplies") {
  static readonly layer = Layer.effect(
    ContinuingReplies,
    Effect.gen(function* () {
      const replies = yield* RunningReplies
      const run = yield* makeRun
      const followed = yield* makeFollowed
      const find = (chat: RunningChat) => {
        // What this process writes it knows before it is written for others.
        const own = run.own(chat).at(-1)
        if (own === undefined) return replies.find(chat)
        const { messageId, model, startedAt } = own
        return Effect.succeed({ messageId, model: model(), startedAt })
      }

      const findReadable = Effect.fnUntraced(function* (chat: RunningChat & { readonly replyId?: string | undefined }) {
        const own = run.own(chat).findLast(({ messageId }) => (chat.replyId ?? messageId).toLowerCase() === messageId)
        if (own !== undefined) return own
        const found = yield* replies.find(chat)
        return (
          found && (yield* followed({ owner: chat.owner, chatId: chat.chatId, replyId: found.messageId }, found.model))
        )
      })
      const untilStopped = (chat: RunningChat): Effect.Effect<void, StorageFailed> =>
        Effect.flatMap(find(chat), (found) =>
          found === undefined ? Effect.void : Effect.andThen(Effect.sleep(STOPPED_POLL), untilStopped(chat))
        )

      return ContinuingReplies.of({
        run: run.run,
        find,
        join: Effect.fnUntraced(function* (chat) {
          const found = yield* findReadable(chat)
          if (found === undefined) return undefined
          const { messageId, model, text } = found
          yield* text.begun
          const whole = Stream.catchTag(text.stream, "StorageFailed", () => Stream.fail(cutOff(model())))
          return { chatId: chat.chatId.toLowerCase(), messageId, model: model(), text: whole }
        }),
        stop: Effect.fnUntraced(function* (chat) {
          const own = run.own(chat)
          for (const { stop } of own) stop()
          const asked = yield* replies.askToStop(chat)
          const stopped = Effect.forEach(own, ({ stopped }) => stopped, { discard: true })
          yield* Effect.timeoutOption(asked ? Effect.andThen(stopped, untilStopped(chat)) : stopped, STOPPED_WITHIN)
        })
      })
    })
  )
}

/** How a process writes replies that go on, and which it is writing. */
const makeRun = Effect.gen(function* () {
  const replies = yield* RunningReplies
  const layerScope = yield* Effect.scope
  const writing = new Map<string, Set<OwnReply>>()

  const register = (reply: ReplyName, own: OwnReply) => {
    const key = keyOf(reply)
    const ofChat = writing.get(key) ?? new Set()
    writing.set(key, ofChat.add(own))
    return () => {
      ofChat.delete(own)
      if (ofChat.size === 0) writing.delete(key)
    }
  }

  const run = Effect.fnUntraced(function* ({ chatExists, model: chosen, open, reply }: ContinueInput) {
    const text = makeReplyText<ModelFailed>()
    const opened = Deferred.makeUnsafe<MeteredReply, ModelFailed>()
    let model = chosen
    let isStored = false
    let fiber: Fiber.Fiber<void, ModelFailed> | undefined

    const write = Effect.gen(function* () {
      const stop = Effect.sync(() => fiber?.interruptUnsafe())
      const written = yield* writeReply({ replies, reply, text, model: () => model, chatExists, stop })
      const end = (input: EndTurnInput) => {
        isStored = true
        return Effect.andThen(written.finish, replies.end(input))
      }
      yield* Effect.addFinalizer(() =>
        // A reply that came to nothing has no turn that ends.
        isStored ? Effect.void : Effect.andThen(written.finish, Effect.ignore(retryStorage(replies.forget(reply))))
      )
      const metered = yield* open({ tokens: written.tokens, end })
      model = metered.model
      yield* Deferred.succeed(opened, { model, text: text.stream })
      yield* Effect.interruptible(Stream.runForEach(metered.text, (piece) => Effect.sync(() => text.append(piece))))
    })
    const ended = (exit: Exit.Exit<void, ModelFailed>) => {
      const broken = Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)
      const end = broken ? Exit.fail(cutOff(model)) : exit
      unregister()
      text.end(end)
      return Exit.isFailure(end) ? Deferred.failCause(opened, end.cause) : Effect.void
    }
    const own: OwnReply = {
      messageId: reply.replyId.toLowerCase(),
      startedAt: yield* Clock.currentTimeMillis,
      model: () => model,
      text,
      stop: () => fiber?.interruptUnsafe(),
      stopped: Effect.suspend(() => (fiber === undefined ? Effect.void : Fiber.await(fiber)))
    }
    const unregister = register(reply, own)
    fiber = yield* Effect.forkIn(Effect.onExit(Effect.scoped(write), ended), layerScope)
    return yield* Effect.interruptible(Deferred.await(opened))
  })

  return {
    run: (input: ContinueInput) => Effect.uninterruptible(run(input)),
    own: (chat: RunningChat) => [...(writing.get(keyOf(chat)) ?? [])]
  }
})

/** How a process reads replies that others write: each is looked at once, however many read it here. */
const makeFollowed = Effect.gen(function* () {
  const replies = yield* RunningReplies
  const followed = yield* RcMap.make({
    lookup: Effect.fnUntraced(function* (key: string) {
      const [reply, chosen] = JSON.parse(key) as [ReplyName, string]
      const text = makeReplyText<ModelFailed | StorageFailed>()
      let model = chosen
      const onModel = (known: string) => {
        model = known
      }
      yield* Effect.forkScoped(Effect.interruptible(followReply(replies, reply, text, onModel)))
      return { messageId: reply.replyId, model: () => model, text } satisfies Readable
    })
  })
  return (reply: ReplyName, model: string) => RcMap.get(followed, JSON.stringify([reply, model]))
})
