import { type Effect, Result } from "effect"
import { CreditLedger, type CreditPorts } from "../../credits/CreditLedger.ts"
import type { ChatRecords, ChatStore } from "../../chat/store/ChatStore.ts"
import { ownerKey } from "../../chat/store/StoredChat.ts"
import type { EndTurn } from "../../chat/reply/RunningReplies.ts"
import type { Refusal } from "../../credits/rules/LedgerState.ts"
import type { StorageFailed } from "../../storage/StorageFailed.ts"

/** The store of chats, and the ledger whose operations end the turns. */
export type ChatStores = ChatStore | ChatRecords | CreditPorts

/** Ends a turn without a hold, with an operation that changes nothing else. */
export const endTurn = (
  end: Pick<EndTurn, "owner" | "chatId" | "replyId" | "content" | "state"> & Partial<EndTurn>
): Effect.Effect<void, Refusal | StorageFailed, CreditPorts> =>
  CreditLedger.use((ledger) =>
    ledger.run({
      name: "end",
      userId: ownerKey(end.owner).userId,
      reads: {},
      decide: () => ({ answer: Result.succeed(undefined), changes: undefined }),
      companion: { begin: undefined, ...end, _tag: "EndTurn" } satisfies EndTurn
    })
  )
