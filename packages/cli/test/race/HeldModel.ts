import type { ChatModel, ReplyPart } from "@parley/core/adapter"
import { Deferred, Effect, Stream } from "effect"

/** Answers only when the test allows it, so that admitted callers hold credits while all others are decided. */
export class HeldModel implements ChatModel {
  readonly name = "held"
  asked = 0
  answer = Deferred.makeUnsafe<void>()

  stream(): Stream.Stream<ReplyPart> {
    this.asked += 1
    const parts: ReadonlyArray<ReplyPart> = [
      { _tag: "text-delta", text: "Yes." },
      { _tag: "end", reason: "completed", usage: undefined }
    ]
    return Stream.unwrap(Effect.as(Deferred.await(this.answer), Stream.fromIterable(parts)))
  }
}
