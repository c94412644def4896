import { Cause, Clock, Context, Deferred, Effect, Exit, Fiber, Layer, Scope, Stream } from "effect"
import type { ModelFailed } from "../../models/ChatModel.ts"
import type { UserBlocked } from "../../sessions/errors.ts"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import { instruments } from "../../telemetry/instruments.ts"
import { ownerKey, type Source } from "../store/StoredChat.ts"
import type { RunReplyInput } from "./endReply.ts"
import { cutOff, makeFollowed, type Readable } from "./followReply.ts"
import { ChatTitles } from "../titles/ChatTitles.ts"
import { makeReplyText, type ReplyText } from "./ReplyText.ts"
import { type RunningChat, RunningReplies, type RunningReply } from "./RunningReplies.ts"
import { makeRunReply } from "./runReply.ts"
import type { UserId } from "../../identity/UserId.ts"
import { AccessList } from "../../sessions/AccessList.ts"

/** The interval at which a process checks whether people of its running replies were blocked. */
const LOOK_MS = 1_000
/**
 * The maximum age of the list of blocked people for a check; an older list is read again. Shorter than the interval,
 * because timers may fire early.
 */
const MAX_AGE_MS = 500

/** Makes a check that refuses messages and replies if one of the people involved is blocked. */
export const makeRefuseBlocked = Effect.map(
  AccessList,
  ({ checkPerson }) =>
    (people: Iterable<UserId>) =>
      Effect.forEach(new Set(people), checkPerson, { discard: true })
)

/** A reply that this process writes. */
interface EndableReply {
  /** The people whose block ends the reply: its payer and the owner of its chat. */
  readonly people: ReadonlyArray<UserId>
  /** Interrupts the reply, without waiting for its end. */
  readonly stop: () => void
}

/**
 * Returns an effect that starts a watch over the replies of this process, unless one is running. The watch ends the
 * replies of blocked people at once and then every second, until no reply runs. If a reply begins before this process
 * has read of a block, the next check ends it.
 */
const makeEndBlockedReplies = (running: () => ReadonlyArray<EndableReply>) =>
  Effect.gen(function* () {
    const accessList = yield* AccessList
    const scope = yield* Effect.scope
    let watching = false

    const look = Effect.gen(function* () {
      const people = new Set<UserId>()
      for (const reply of running()) for (const userId of reply.people) people.add(userId)
      const blocked = yield* accessList.blockedAmong(people, MAX_AGE_MS)
      if (blocked.size === 0) return
      for (const reply of running()) if (reply.people.some((userId) => blocked.has(userId))) reply.stop()
    })
    const watch = Effect.gen(function* () {
      // `watching` becomes false in the same step as the watch stops, so that a reply that begins afterwards starts a
      // new watch.
      while ((watching = running().length > 0)) {
        // If the list cannot be read, no reply is ended: a process without a list accepts no sessions anyway.
        yield* Effect.ignore(look)
        yield* Effect.sleep(LOOK_MS)
      }
    }).pipe(Effect.onError(() => Effect.sync(() => void (watching = false))))

    return Effect.suspend(() => {
      if (watching) return Effect.void
      watching = true
      return Effect.asVoid(Effect.forkIn(Effect.interruptible(watch), scope))
    })
  })

/**
 * The maximum time that `stop` waits until replies are stored and charged; `STOPPED_POLL` is the interval of its
 * checks.
 */
const STOPPED_WITHIN = "5 seconds"
const STOPPED_POLL = "100 millis"
/** The maximum time that a reader waits for a turn that is being stored. */
const STORED_WITHIN = "5 seconds"

/** A reply whose first words have arrived. */
export interface StartedReply {
  /** The public id of the model that writes the reply. */
  readonly model: string
  readonly text: Stream.Stream<string, ModelFailed>
}

/** A started reply with the passages that its model read, and the documents of which it read nothing. */
interface AnsweredReply extends StartedReply {
  readonly sources: ReadonlyArray<Source>
  readonly unread: ReadonlyArray<string>
}

/** A running reply that a further reader reads from its beginning. */
export interface JoinedReply extends StartedReply {
  readonly chatId: string
  readonly messageId: string
}

/** Names a reply of a chat: the reply with this id, or the one begun last unless given. */
type ChatReply = RunningChat & { readonly replyId?: string | undefined }

/** A reply that this process writes. */
interface OwnReply extends Readable, EndableReply {
  readonly joinable: boolean
  readonly text: ReplyText<ModelFailed>
  /** Unix milliseconds. */
  readonly startedAt: number
  readonly stopped: Effect.Effect<unknown>
  /** To be run after `stopped`: waits until the reply is stored and charged. */
  readonly ended: Effect.Effect<unknown>
  /** Waits until the reply's turn is stored, if its first words have arrived. */
  readonly stored: Effect.Effect<unknown>
}

const keyOf = ({ owner, chatId }: RunningChat): string => {
  const { userId, bot, visitor } = ownerKey(owner)
  return JSON.stringify([userId, bot, visitor, chatId.toLowerCase()])
}

/** Writes the replies of this process, and finds and reads running replies of all processes. */
export class ReplyRunner extends Context.Service<
  ReplyRunner,
  {
    /**
     * Writes a reply in a fiber of the process and returns it once its first words have arrived. The reply ends early
     * if it is stopped, if its payer or its reader is blocked, or if this process stops. Unless other readers may join
     * it, it also ends when the scope closes, which waits for that end. Fails with `UserBlocked` if a block ended the
     * reply before its first words.
     */
    run(input: RunReplyInput): Effect.Effect<AnsweredReply, ModelFailed | UserBlocked | StorageFailed, Scope.Scope>
    /**
     * Returns a joinable reply of a chat, even if another process writes it; undefined if there is none. Waits for its
     * first words.
     */
    join(chat: ChatReply): Effect.Effect<JoinedReply | undefined, ModelFailed | StorageFailed, Scope.Scope>
    /** Finds a joinable reply of a chat, even if another process writes it; undefined if there is none. */
    find(chat: ChatReply): Effect.Effect<RunningReply | undefined, StorageFailed>
    /**
     * Ends the joinable replies of a chat, even if other processes write them, and waits until they are stored and
     * charged.
     */
    stop(chat: RunningChat): Effect.Effect<void, StorageFailed>
    /** Waits until the turns of a chat whose first words have arrived in this process are stored. */
    stored(chat: RunningChat): Effect.Effect<void>
    /** Waits until this process writes no reply, and has stored and charged all its replies. */
    readonly idle: Effect.Effect<void>
  }
>()("@parley/core/chat/reply/ReplyRunner") {
  static readonly layer = Layer.effect(
    ReplyRunner,
    Effect.gen(function* () {
      const replies = yield* RunningReplies
      const { all, ownOf, run } = yield* makeRun
      const followed = yield* makeFollowed
      const isAsked =
        ({ replyId }: ChatReply) =>
        ({ joinable, messageId }: OwnReply) =>
          joinable && (replyId ?? messageId).toLowerCase() === messageId
      const find = (chat: ChatReply) => {
        // A process knows its own replies before they are stored for other processes.
        const found = ownOf(chat).findLast(isAsked(chat))
        if (found === undefined) return replies.find(chat)
        const { messageId, model, startedAt } = found
        return Effect.succeed({ messageId, model: model(), startedAt })
      }
      const findReadable = Effect.fnUntraced(function* (chat: ChatReply) {
        const here = ownOf(chat).findLast(isAsked(chat))
        if (here !== undefined) return here
        const found = yield* replies.find(chat)
        return (
          found && (yield* followed({ owner: chat.owner, chatId: chat.chatId, replyId: found.messageId }, found.model))
        )
      })
      const untilStopped = (chat: RunningChat): Effect.Effect<void, StorageFailed> =>
        Effect.flatMap(find(chat), (found) =>
          found === undefined ? Effect.void : Effect.andThen(Effect.sleep(STOPPED_POLL), untilStopped(chat))
        )

      return ReplyRunner.of({
        run,
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
          const here = ownOf(chat).filter(({ joinable }) => joinable)
          for (const { stop } of here) stop()
          const asked = yield* replies.askToStop(chat)
          const stopped = Effect.forEach(here, ({ stopped }) => stopped, { discard: true })
          yield* Effect.timeoutOption(asked ? Effect.andThen(stopped, untilStopped(chat)) : stopped, STOPPED_WITHIN)
        }),
        stored: (chat) =>
          Effect.suspend(() => {
            const here = ownOf(chat)
            const stored = Effect.forEach(here, ({ stored }) => stored, { discard: true })
            return here.length === 0 ? Effect.void : Effect.asVoid(Effect.timeoutOption(stored, STORED_WITHIN))
          }),
        idle: Effect.whileLoop({
          while: () => all().length > 0,
          body: () => Effect.forEach(all(), ({ ended, stopped }) => Effect.andThen(stopped, ended)),
          step: () => undefined
        })
      })
    })
  )
}

/** The replies that this process is writing, by chat. */
const makeOwnReplies = Effect.gen(function* () {
  const own = new Map<string, Set<OwnReply>>()
  const all = () => [...own.values()].flatMap((some) => [...some])
  const endBlocked = yield* makeEndBlockedReplies(all)
  return {
    all,
    ownOf: (chat: RunningChat) => [...(own.get(keyOf(chat)) ?? [])],
    /** Adds a reply; returns a function that removes the reply again. */
    register: (chat: RunningChat, reply: OwnReply) => {
      const key = keyOf(chat)
      const ofChat = own.get(key) ?? new Set()
      own.set(key, ofChat.add(reply))
      instruments.repliesActive.record(1)
      return Effect.as(endBlocked, () => {
        instruments.repliesActive.record(-1)
        ofChat.delete(reply)
        if (ofChat.size === 0) own.delete(key)
      })
    }
  }
})

/** Makes a function that begins to write the title of a new chat, once its first reply is complete. */
const makeBeginTitle = Effect.map(
  ChatTitles,
  (titles) => (input: RunReplyInput, text: ReplyText<ModelFailed>, stored: Effect.Effect<unknown>) => {
    const { hold, spending, titledOn: tier, turn } = input
    if (tier === undefined) return Effect.void
    const { userId } = ownerKey(turn.owner)
    const question = turn.messages.find(({ role }) => role === "user")?.content ?? ""
    const { dailyCap, source } = spending
    const paying = { payer: hold.userId, source, dailyCap }
    const { chatId, title } = turn
    return titles.begin({ userId, chatId, tier, title, question, reply: text.from(0), ...paying }, stored)
  }
)

/** Makes the function that writes a reply, and the list of the replies of this process. */
const makeRun = Effect.gen(function* () {
  const running = yield* Scope.fork(yield* Effect.scope)
  const runReply = yield* makeRunReply
  const refuseBlocked = yield* makeRefuseBlocked
  const beginTitle = yield* makeBeginTitle
  const { all, ownOf, register } = yield* makeOwnReplies
  // Runs before the scope `running` closes, because that ends the replies to be counted.
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      const cut = all().filter(({ text }) => text.isGrowing())
      instruments.repliesCut.record(cut.length, { reason: "shutdown" })
    })
  )

  const run = Effect.fnUntraced(function* (input: RunReplyInput) {
    const { hold, joinable, turn } = input
    const text = makeReplyText<ModelFailed>()
    const started = Deferred.makeUnsafe<AnsweredReply, ModelFailed>()
    let model = input.calls[0].request.model.id
    let stored: Effect.Effect<unknown> = Effect.void
    let fiber: Fiber.Fiber<void, ModelFailed> | undefined
    let ending: Fiber.Fiber<unknown, unknown> | undefined

    const stop = () => fiber?.interruptUnsafe()
    const reply: OwnReply = {
      joinable,
      people: [hold.userId, ownerKey(turn.owner).userId],
      messageId: turn.reply.id.toLowerCase(),
      startedAt: yield* Clock.currentTimeMillis,
      model: () => model,
      text,
      stop,
      stopped: Effect.suspend(() => (fiber === undefined ? Effect.void : Fiber.await(fiber))),
      ended: Effect.suspend(() => (ending === undefined ? Effect.void : Fiber.await(ending))),
      stored: Effect.suspend(() => stored)
    }
    const unregister = yield* register(turn, reply)
    const ended = (exit: Exit.Exit<void, ModelFailed>) => {
      const end = Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause) ? Exit.fail(cutOff(model)) : exit
      text.end(end)
      if (ending === undefined) unregister()
      else ending.addObserver(unregister)
      if (Exit.isFailure(end)) return Deferred.failCause(started, end.cause)
      return beginTitle(input, text, reply.ended)
    }
    const written = runReply(input, text, {
      stop: Effect.sync(stop),
      onEnd: (fiber) => void (ending = fiber),
      onFirstWords: ({ model: speaker, sources, unread = [] }, beginning) => {
        model = speaker
        stored = Fiber.await(beginning)
        return Deferred.succeed(started, { model, text: text.stream, sources, unread })
      }
    })
    const writing = Effect.onExit(Effect.scoped(written), ended)
    fiber = yield* Effect.forkIn(writing, running, { startImmediately: true, uninterruptible: true })
    if (!joinable) yield* Effect.addFinalizer(() => Effect.andThen(Effect.sync(stop), reply.stopped))
    const spoken = Effect.tapError(Deferred.await(started), () => refuseBlocked(reply.people))
    // The reader may join a joinable reply on another server at once, and that server finds it only by its stored turn.
    const known = joinable ? Effect.tap(spoken, () => Effect.timeoutOption(reply.stored, STORED_WITHIN)) : spoken
    return yield* Effect.interruptible(known)
  }, Effect.uninterruptible)

  return { run, all, ownOf }
})
