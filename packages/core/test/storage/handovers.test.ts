import { Effect, Layer } from "effect"
import { InMemoryChats, keyOf } from "../../src/chat/store/InMemoryChats.ts"
import { InMemoryChatStore } from "../../src/chat/store/InMemoryChatStore.ts"
import { InMemoryHandovers } from "../../src/chat/store/InMemoryHandovers.ts"
import { InMemoryCreditLedger } from "../../src/credits/InMemoryCreditLedger.ts"
import { InMemoryOutbox } from "../../src/events/InMemoryOutbox.ts"
import { InMemoryBotReports } from "../../src/chat/store/InMemoryBotReports.ts"
import { botReportsContract } from "../../src/testing/chat/botReportsContract.ts"
import { handoversContract } from "../../src/testing/chat/handoversContract.ts"

const stores = Layer.mergeAll(
  InMemoryChatStore.layer,
  InMemoryHandovers.layer,
  InMemoryCreditLedger.layer,
  InMemoryOutbox.layer
)

botReportsContract("in memory", Layer.merge(stores, InMemoryBotReports.layer))
handoversContract("in memory", Layer.provideMerge(stores, InMemoryChats.layer), ({ chatId, owner }, ms) =>
  Effect.map(Effect.serviceOption(InMemoryChats), (found) => {
    if (found._tag === "None") return
    const { chats } = found.value
    const key = keyOf(owner, chatId)
    const stored = chats.get(key)
    if (stored?.handover === undefined) return
    chats.set(key, { ...stored, handover: { ...stored.handover, seenAt: stored.handover.seenAt - ms } })
  })
)
