import { Channel, Effect, Exit, type ManagedRuntime, Pull, Schema, Scope, Stream } from "effect"
import type { ChatRequest } from "../chat/ChatRequest.ts"
import { ChatOwner, ChatService, onePerson } from "../chat/ChatService.ts"
import type { ReplyParties } from "../chat/reply/Reply.ts"
import { ConversationOwner } from "../chat/store/StoredChat.ts"
import { UserId } from "../identity/UserId.ts"
import type { ParleyServices } from "../parleyLayer.ts"
import { Id } from "../storage/inputs.ts"
import { checked } from "./callsOf.ts"
import type { Parley, RejoinedReply, SendOptions, SentReply } from "./Parley.ts"
import { type OpenReplies, runWith } from "./runWith.ts"

/** One person, or the people of the parties; everything else about them is the caller's. */
const Sender = Schema.Union([
  UserId,
  Schema.Struct({ payer: UserId, documentsOwner: UserId, conversationOwner: ConversationOwner })
])

type Runtime = ManagedRuntime.ManagedRuntime<ParleyServices, never>

/** The calls that open a reply. Its scope lives until its stream ends, fails, or is cancelled. */
export const replyCalls = (runtime: Runtime, open: OpenReplies): Pick<Parley["chat"], "join" | "send"> => ({
  send: checked(
    [{ sender: Sender }],
    (from: UserId | ReplyParties, request: ChatRequest, options?: SendOptions): Promise<SentReply> => {
      const parties = typeof from === "string" ? onePerson(from) : from
      const sending = ChatService.use((chat) => chat.send({ parties, request, onDisconnect: options?.onDisconnect }))
      return readReply(runtime, open, sending, options?.signal)
    }
  ),
  join: checked(
    [{ owner: ChatOwner }, { chatId: Id }],
    async (owner: ChatOwner, chatId: string): Promise<RejoinedReply | undefined> => {
      const none = new Error("none")
      const joining = Effect.flatMap(
        ChatService.use((chat) => chat.join(owner, chatId)),
        (joined) => (joined === undefined ? Effect.fail(none) : Effect.succeed(joined))
      )
      try {
        return await readReply(runtime, open, joining)
      } catch (error) {
        if (error === none) return undefined
        throw error
      }
    }
  )
})

/** Opens a reply and gives its text as a stream of the platform; its scope lives until that ends or is cancelled. */
const readReply = async <R extends { readonly text: Stream.Stream<string, unknown> }>(
  runtime: Runtime,
  open: OpenReplies,
  opening: Effect.Effect<R, unknown, ParleyServices | Scope.Scope>,
  signal?: AbortSignal
): Promise<Omit<R, "text"> & Pick<SentReply, "stream" | "text">> => {
  const run = runWith(runtime)
  const scope = Scope.makeUnsafe()
  const close = () => run(Scope.close(scope, Exit.void))
  try {
    const { text, ...reply } = await run(Scope.provide(opening, scope), { signal })
    // Not by `Stream.toPull`, which merges all services into the context of every pull.
    const pullText = await run(Channel.toPullScoped(Stream.toChannel(text), scope))
    const next = Pull.catchDone(pullText, () => Effect.succeed(undefined))
    const read = (signal: AbortSignal) => run(next, { signal })
    const stream = readableFrom({ read, close, open, signal })
    return { ...reply, stream, text: async () => (await Array.fromAsync(stream)).join("") }
  } catch (error) {
    await close()
    throw error
  }
}

interface Reading {
  /** What is ready next; undefined at the end. */
  read(signal: AbortSignal): Promise<ReadonlyArray<string> | undefined>
  /** Ends the reply: a complete one is settled already, any other is settled as left. */
  close(): Promise<void>
  readonly open: OpenReplies
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
