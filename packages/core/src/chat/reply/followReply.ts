import { Effect, RcMap } from "effect"
import { ModelFailed } from "../../models/ChatModel.ts"
import { retryStorage } from "../../storage/retryStorage.ts"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import { makeReplyText, type ReplyText } from "./ReplyText.ts"
import { type ReplyName, RunningReplies } from "./RunningReplies.ts"

/**
 * The intervals at which a reply that another process writes is read: `SOON_MS` while the reply grows, longer and
 * longer while it does not.
 */
const SOON_MS = 150
const LATEST_MS = 1_000
const SLOWER = 1.5

/** The failure of a reply whose process ended without giving a reason. */
export const cutOff = (model: string) => new ModelFailed({ model, reason: "cut-off", retryable: false })

/** A reply that this process can read; any process may write it. */
export interface Readable {
  readonly messageId: string
  readonly model: () => string
  readonly text: Pick<ReplyText<ModelFailed | StorageFailed>, "begun" | "stream">
}

/**
 * Reads a reply that another process writes into `text`, from its beginning to its end, and ends `text` as the reply
 * ended. If the reply is not complete, or no process writes it any more, `text` ends with a failure.
 */
const followReply = (
  replies: RunningReplies["Service"],
  reply: ReplyName,
  text: ReplyText<ModelFailed | StorageFailed>,
  onModel: (model: string) => void
): Effect.Effect<void> => {
  const look = Effect.gen(function* () {
    let pause = SOON_MS
    for (;;) {
      const progress = yield* retryStorage(replies.read({ ...reply, from: text.length() }))
      if (progress._tag !== "Lost" && progress.model !== undefined) onModel(progress.model)
      text.append(progress.text)
      if (progress._tag === "Ended" && progress.state === "complete") return
      if (progress._tag !== "Running") return yield* cutOff("")
      pause = progress.text === "" ? Math.min(LATEST_MS, pause * SLOWER) : SOON_MS
      yield* Effect.sleep(pause)
    }
  })
  return Effect.onExit(look, (exit) => Effect.sync(() => text.end(exit))).pipe(Effect.ignore)
}

/** Reads the replies that other processes write. Each reply is read once, for all its readers in this process. */
export const makeFollowed = Effect.gen(function* () {
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
