import { Channel, Effect, Exit, Pull, Schema, Scope, Stream } from "effect"
import { ChatOwner, ChatService } from "../chat/ChatService.ts"
import { onePerson } from "../chat/sendMessages.ts"
import { ConversationOwner } from "../chat/store/StoredChat.ts"
import { UserId } from "../identity/UserId.ts"
import type { ParleyServices } from "../parleyLayer.ts"
import type { ChatRequest } from "../chat/ChatRequest.ts"
import { CheckedByService, Id, withFields } from "../storage/inputs.ts"
import { checked } from "./callsOf.ts"
import type { Parley, SentReply } from "./Parley.ts"
import type { ParleyCalls } from "./ParleyCalls.ts"

const Given = Schema.optional(CheckedByService)

/** Checks the ids of the person, or of the parties; other properties of the parties are not checked here. */
const Sender = Schema.Union([
  UserId,
  Schema.Struct({
    ...{ payer: UserId, documentsOwner: UserId, conversationOwner: ConversationOwner },
    ...{ source: Given, dailyCap: Given, shares: Given, askedFrom: Given }
  })
])

const Sent = withFields<ChatRequest>(
  "messages",
  "chatId",
  "parentMessageId",
  "modelId",
  "documentIds",
  "documentFilter"
)
const Options = Schema.UndefinedOr(Schema.Struct({ signal: Given, onDisconnect: Given }))

/** The calls that open a reply. The scope of a reply lives until its stream ends, fails, or is cancelled. */
export const replyCalls = (calls: ParleyCalls): Pick<Parley["chat"], "join" | "send"> => ({
  send: checked([{ sender: Sender }, { request: Sent }, { options: Options }], async (from, request, options) => {
    const parties = typeof from === "string" ? onePerson(from) : from
    const sending = ChatService.use((chat) => chat.send({ parties, request, onDisconnect: options?.onDisconnect }))
    return (await readReply(calls, sending, options?.signal))!
  }) as Parley["chat"]["send"],
  join: checked(
    [{ owner: ChatOwner }, { chatId: Id }, { messageId: Schema.UndefinedOr(Id) }],
    (owner: ChatOwner, chatId: string, messageId?: string) =>
      readReply(
        calls,
        ChatService.use((chat) => chat.join(owner, chatId, messageId))
      )
  )
})

/**
 * Opens a reply, if there is one, and returns its text as a stream of the platform; the end of the stream closes the
 * reply's scope.
 */
const readReply = async <R extends { readonly text: Stream.Stream<string, unknown> }>(
  { open, run }: ParleyCalls,
  opening: Effect.Effect<R | undefined, unknown, ParleyServices | Scope.Scope>,
  signal?: AbortSignal
): Promise<(Omit<R, "text"> & Pick<SentReply, "stream" | "text">) | undefined> => {
  const scope = Scope.makeUnsafe()
  const close = () => run(Scope.close(scope, Exit.void))
  try {
    const opened = await run(Scope.provide(opening, scope), { signal })
    if (opened === undefined) {
      await close()
      return undefined
    }
    const { text, ...reply } = opened
    // `Stream.toPull` is avoided, because it merges all services into the context of every pull.
    const pullText = await run(Channel.toPullScoped(Stream.toChannel(text), scope))
    const next = Pull.catchDone(pullText, () => Effect.succeed(undefined))
    const stream = readableFrom({ read: (signal) => run(next, { signal }), close, open, signal })
    return { ...reply, stream, text: async () => (await Array.fromAsync(stream)).join("") }
  } catch (error) {
    await close()
    throw error
  }
}

interface Reading {
  /** Returns the next text; undefined at the end. */
  read(signal: AbortSignal): Promise<ReadonlyArray<string> | undefined>
  /** Ends the reply: if it is complete, it was charged already; otherwise it is charged as if its reader had left. */
  close(): Promise<void>
  readonly open: ParleyCalls["open"]
  readonly signal: AbortSignal | undefined
}

const readableFrom = ({ read, close, open, signal }: Reading): ReadableStream<string> => {
  const leaving = new AbortController()
  let finishing: Promise<void> | undefined
  const finish = () => (finishing ??= close().finally(() => open.delete(leave)))
  const leave = () => {
    leaving.abort()
    return finish()
  }
  open.add(leave)
  return new ReadableStream<string>(
    {
      start: (controller) => {
        const aborted = () => {
          controller.error(signal?.reason)
          leave().catch(() => undefined)
        }
        if (signal?.aborted === true) aborted()
        else signal?.addEventListener("abort", aborted, { once: true, signal: leaving.signal })
      },
      pull: async (controller) => {
        try {
          const ready = await read(leaving.signal)
          if (ready !== undefined) return controller.enqueue(ready.join(""))
          await finish()
          controller.close()
        } catch (error) {
          await finish()
          controller.error(error)
        }
      },
      cancel: leave
    },
    { highWaterMark: 0 }
  )
}
