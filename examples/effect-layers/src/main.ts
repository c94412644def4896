import { chatModelsLayer } from "@parley/adapters-llm"
import {
  Catalog,
  ChatService,
  CreditService,
  inMemoryStorageLayer,
  noCrmLayer,
  noPayments,
  noSecrets,
  parleyLayer
} from "@parley/core/effect"
import { makeCatalog, onePerson, textParser } from "@parley/core"
import { SecretBox, paymentProviderLayer } from "@parley/core/adapter"
import { DocumentParser } from "@parley/core/adapter"
import { Console, Effect, Layer, Stream } from "effect"
import { loggedLedger } from "./loggedLedger.ts"

/** Implements every port with a shipped adapter, except the ledger, which logs its calls. */
const ports = Layer.mergeAll(
  Layer.provideMerge(loggedLedger, inMemoryStorageLayer),
  chatModelsLayer(),
  noCrmLayer,
  Layer.succeed(Catalog, makeCatalog()),
  Layer.succeed(DocumentParser, textParser),
  paymentProviderLayer(noPayments),
  Layer.succeed(SecretBox, noSecrets)
)

const request = { messages: [{ role: "user" as const, content: "Hello" }] }

const program = Effect.gen(function* () {
  const chat = yield* ChatService
  const reply = yield* chat.send({ parties: onePerson("ann"), request })
  const text = yield* Stream.mkString(reply.text)
  yield* Console.log(text.length > 0)
  yield* Console.log((yield* (yield* CreditService).balance("ann")).available)
})

await Effect.runPromise(Effect.scoped(Effect.provide(program, Layer.provide(parleyLayer, ports))))
