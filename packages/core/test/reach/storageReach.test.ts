import { Effect, Layer } from "effect"
import { expect, test } from "vitest"
import { InMemoryChats, keyOf } from "../../src/chat/store/InMemoryChats.ts"
import { runtimeOf } from "../../src/promise/Parley.ts"
import { openInMemory } from "../../src/promise/openInMemory.ts"
import { Reindexing } from "../../src/documents/indexing/reindexing/Reindexing.ts"
import { PassageEmbedder } from "../../src/documents/embedding/Embedder.ts"
import { storagePortsFromContext } from "../../src/StoragePorts.ts"
import { storageReach } from "../../src/storageReach.ts"
import {
  accessStoreContract,
  billingStoreContract,
  billingUpkeepContract,
  botReportsContract,
  botStoreContract,
  chatStoreContract,
  conversationFilesContract,
  createTestParley,
  creditLedgerContract,
  crmConnectionStoreContract,
  documentStoreContract,
  fileStoreContract,
  handoversContract,
  imageStoreContract,
  jobQueueContract,
  moneyRecordsContract,
  oauthStateStoreContract,
  outboxContract,
  passageIndexContract,
  passageMeaningContract,
  personalDataContract,
  preferenceStoreContract,
  projectStoreContract,
  reindexStoreContract,
  runningRepliesContract,
  sharedChatsContract,
  signInStoreContract,
  unitOfWorkContract,
  userExportContract,
  userImportContract
} from "@parley/core/testing"
import { Watch } from "./watchedStorage.ts"

const watch = new Watch()
const { layer } = watch
const chats = Layer.merge(layer, InMemoryChats.layer)

test("there is a rule for each member of each storage port", async () => {
  const members = (ports: object) =>
    Object.entries(ports).map(([port, service]) => [port, Object.keys(service as object).toSorted()])
  expect(Object.fromEntries(members(storageReach))).toEqual(Object.fromEntries(members(await openInMemory())))
})

accessStoreContract("watched", layer)
billingStoreContract("watched", layer)
billingUpkeepContract("watched", layer)
botReportsContract("watched", layer)
botStoreContract("watched", layer)
chatStoreContract("watched", chats, ({ chatId, owner }, ms) =>
  InMemoryChats.use((memory) =>
    Effect.sync(() => {
      const stored = memory.chats.get(keyOf(owner, chatId))
      if (stored === undefined) return
      const chat = { ...stored.chat, updatedAt: stored.chat.updatedAt - ms }
      memory.chats.set(keyOf(owner, chatId), { ...stored, chat })
    })
  )
)
conversationFilesContract("watched", layer)
creditLedgerContract("watched", layer)
crmConnectionStoreContract("watched", layer)
documentStoreContract("watched", layer)
fileStoreContract("watched", layer)
handoversContract("watched", chats, ({ chatId, owner }, ms) =>
  Effect.map(Effect.serviceOption(InMemoryChats), (memory) => {
    if (memory._tag === "None") return
    const stored = memory.value.chats.get(keyOf(owner, chatId))
    if (stored?.handover === undefined) return
    const handover = { ...stored.handover, seenAt: stored.handover.seenAt - ms }
    memory.value.chats.set(keyOf(owner, chatId), { ...stored, handover })
  })
)
imageStoreContract("watched", layer)
jobQueueContract("watched", layer)
moneyRecordsContract("watched", layer)
oauthStateStoreContract("watched", layer)
outboxContract("watched", layer)
passageIndexContract("watched", layer)
passageMeaningContract("watched", (embedder) =>
  Layer.provide(Layer.fresh(layer), Layer.succeed(PassageEmbedder, embedder))
)
personalDataContract("watched", layer)
preferenceStoreContract("watched", layer)
projectStoreContract("watched", layer)
reindexStoreContract("watched", layer)
runningRepliesContract("watched", layer)
sharedChatsContract("watched", layer)
signInStoreContract("watched", layer)
unitOfWorkContract("watched", layer)
userExportContract("watched", layer)
userImportContract("watched", layer, { runs: 10 })

test("the services of a person's chats, documents, bots and erasure call the ports", async () => {
  const stores = await Effect.runPromise(Effect.provide(storagePortsFromContext, layer))
  await using parley = await createTestParley(stores)
  const { id } = await parley.addText({ userId: "ann", filename: "a.txt", text: "Ann lives in Bern." })
  const request = { messages: [{ role: "user" as const, content: "Where does Ann live?" }], documentIds: [id] }
  for (let turn = 0; turn < 2; turn += 1) await (await parley.chat.send("ann", request)).text()
  await parley.bots.create("ann", { displayName: "Help", documentIds: [id] })
  await parley.credits.grant({ userId: "ann", key: "gift", amount: 5 })
  await runtimeOf(parley).runPromise(Reindexing.use((reindexing) => reindexing.estimate("ann")))
  await Effect.runPromise(stores.signIns.enter({ email: "ann@example.com", newUserId: "ann" }))
  await parley.users.block("ann", { by: "olga" })
  expect(await parley.users.erase("ann", { by: "olga" })).toMatchObject({ chats: 2, documents: 1 })
})

/** An erasure also blocks the mailbox of a blocked person, whose record is under a name of its own. */
const OF_THE_MAILBOX = ["access.change: in another's unit", "access.lock: in another's unit"]

/** A transaction of the caller's needs a server: its calls are those of the ledger. */
const NOT_IN_MEMORY = ["unitOfWork.join"]

test("a call by owner reaches rows of that person alone, also within a unit of work", () => {
  const byOwner = Object.entries(storageReach).flatMap(([port, methods]) =>
    Object.entries(methods).flatMap(([name, rule]) =>
      typeof rule === "object" && ("owner" in rule || "owners" in rule) ? [`${port}.${name}`] : []
    )
  )
  expect([...watch.found].toSorted()).toEqual(OF_THE_MAILBOX)
  expect(byOwner.filter((call) => !watch.called.has(call))).toEqual(NOT_IN_MEMORY)
})
