import { Effect, Exit, type ManagedRuntime, Pull, Scope, Stream } from "effect"
import type { ChatRequest } from "../chat/ChatRequest.ts"
import { ChatService } from "../chat/ChatService.ts"
import type { Reply } from "../chat/Reply.ts"
import type { UserId } from "../identity/UserId.ts"
import type { ParleyServices } from "../parleyLayer.ts"
import type { SentReply } from "./Parley.ts"
import { runWith } from "./runWith.ts"

type Runtime = ManagedRuntime.ManagedRuntime<ParleyServices, never>

/** `ChatService.send` for promises: the reply's scope lives until its stream ends, fails, or is cancelled. */
export const sendReply = async (
  runtime: Runtime,
  userId: UserId,
  request: ChatRequest,
  options?: { readonly signal?: AbortSignal }
): Promise<SentReply> => {
  const run = runWith(runtime)
  const scope = Scope.makeUnsafe()
  const close = () => run(Scope.close(scope, Exit.void))
  try {
    const sending = ChatService.use((chat) => chat.send({ userId, request }))
    const { text, ...reply } = await run(Scope.provide(sending, scope), { signal: options?.signal })
    const stream = await readableFrom(runtime, text, scope, options?.signal)
    return { ...reply, stream, text: async () => (await Array.fromAsync(stream)).join("") }
  } catch (error) {
    await close()
    throw error
  }
}

const readableFrom = async (
  runtime: Runtime,
  text: Reply["text"],
  scope: Scope.Closeable,
  signal: AbortSignal | undefined
): Promise<ReadableStream<string>> => {
  const run = runWith(runtime)
  const reading = new AbortController()
  const pullText = await run(Scope.provide(Stream.toPull(text), scope))
  const next = Pull.catchDone(pullText, () => Effect.succeed(undefined))
  const close = () => run(Scope.close(scope, Exit.void))
  let onAbort: (() => void) | undefined
  const finish = () => {
    if (onAbort !== undefined) signal?.removeEventListener("abort", onAbort)
    return close()
  }
  return new ReadableStream<string>(
    {
      start: (controller) => {
        if (signal === undefined) return
        onAbort = () => {
          controller.error(signal.reason)
          reading.abort()
          void finish()
        }
        if (signal.aborted) onAbort()
        else signal.addEventListener("abort", onAbort, { once: true })
      },
      pull: async (controller) => {
        try {
          const ready = await run(next, { signal: reading.signal })
          if (ready !== undefined) return controller.enqueue(ready.join(""))
          await finish()
          controller.close()
        } catch (error) {
          await finish()
          if (!reading.signal.aborted) controller.error(error)
        }
      },
      cancel: async () => {
        reading.abort()
        await finish()
      }
    },
    { highWaterMark: 0 }
  )
}
