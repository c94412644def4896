import { Effect } from "effect"
import { AccessList } from "../../sessions/AccessList.ts"
import { ownerKey } from "../store/StoredChat.ts"
import type { RunReplyInput } from "./endReply.ts"
import type { ReplyParties } from "./Reply.ts"
import { ReplyRunner } from "./ReplyRunner.ts"

/** The treatment of a reply whose reader leaves. */
export type OnDisconnect = "end" | "continue"

/** Refuses messages and replies if a person who pays for the reply, or reads it, is blocked. */
export const makeUnblocked = Effect.gen(function* () {
  const accessList = yield* AccessList
  const replies = yield* ReplyRunner
  const check = ({ conversationOwner, payer }: ReplyParties) =>
    Effect.forEach(new Set([payer, ownerKey(conversationOwner).userId]), accessList.checkPerson, { discard: true })
  return {
    check,
    run: (
      input: Omit<RunReplyInput, "joinable" | "spending">,
      parties: ReplyParties,
      onDisconnect: OnDisconnect | undefined
    ) =>
      Effect.tapError(
        replies.run({ ...input, spending: parties, joinable: onDisconnect === "continue" }),
        // A block may have ended the reply before its first words.
        () => check(parties)
      )
  }
})
