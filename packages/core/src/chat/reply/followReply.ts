import { Effect } from "effect"
import { ModelFailed } from "../../models/ChatModel.ts"
import { retryStorage } from "../../storage/retryStorage.ts"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import type { ReplyText } from "./ReplyText.ts"
import type { ReplyName, RunningReplies } from "./RunningReplies.ts"

/** How often a reply that another process writes is looked at: soon where it grows, later and later where it does not. */
const SOON_MS = 150
const LATEST_MS = 1_000
const SLOWER = 1.5

/** Where a reply breaks off whose writer did not say why. */
export const cutOff = (model: string) => new ModelFailed({ model, reason: "cut-off", retryable: false })

/**
 * Reads a reply that another process writes into `text`, from the beginning to its end, and ends that as the reply ended:
 * what is not complete, and what no process writes any more, breaks off.
 */
export const followReply = (
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
