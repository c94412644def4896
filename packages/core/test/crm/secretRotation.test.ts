import { Effect, Layer, Redacted } from "effect"
import { expect, it } from "vitest"
import { CrmAccess } from "../../src/crm/CrmAccess.ts"
import { SealedConnections } from "../../src/crm/CrmConnectionStore.ts"
import { SecretRotation } from "../../src/crm/SecretRotation.ts"
import { noSecrets } from "../../src/secrets/noSecrets.ts"
import { SecretBox } from "../../src/secrets/SecretBox.ts"
import { boxLayer, connected, crmWorld, KEY, newBotOf, newKey } from "./crmWorld.ts"

/** The rotation of a process with these keys, on the same stores. */
const rotation = (keys: string) => Layer.fresh(SecretRotation.layer).pipe(Layer.provide(boxLayer(keys)))
const rotate = (keys: string, apply = true) =>
  Effect.provide(
    SecretRotation.use((each) => each.rotate({ apply })),
    rotation(keys)
  )

it("seals everything again once; values readable before are readable after, with the new key alone", async () => {
  const world = crmWorld()
  const second = `second:${newKey()}`
  await Effect.runPromise(
    Effect.gen(function* () {
      const sealed = yield* SealedConnections
      const bots = yield* Effect.forEach(Array.from({ length: 150 }), () =>
        Effect.gen(function* () {
          const bot = yield* newBotOf()
          yield* connected(bot, world.provider_one)
          return { ...bot, provider: "provider_one" as const }
        })
      )
      const token = (bot: (typeof bots)[number]) => CrmAccess.use((access) => access.accessToken(bot))
      const before = yield* Effect.forEach(bots, token)
      expect(yield* rotate(`${second},${KEY}`, false)).toMatchObject({ key: "second", resealed: 150, unreadable: 0 })
      expect(yield* sealed.counts).toEqual([{ keyId: "first", connections: 150 }])
      const reports = yield* Effect.all([rotate(`${second},${KEY}`), rotate(`${second},${KEY}`)], {
        concurrency: "unbounded"
      })
      expect(reports.reduce((sum, { resealed }) => sum + resealed, 0)).toBe(150)
      expect(reports.at(-1)?.keys).toEqual([{ keyId: "second", connections: 150 }])
      expect(yield* rotate(`${second},${KEY}`)).toMatchObject({ resealed: 0, unreadable: 0 })
      const after = yield* Effect.provide(
        Effect.forEach(bots, token),
        Layer.fresh(CrmAccess.layer).pipe(Layer.provide(boxLayer(second)))
      )
      const texts = (tokens: typeof before) => tokens.map(({ accessToken }) => Redacted.value(accessToken))
      expect(texts(after)).toEqual(texts(before))
    }).pipe(Effect.provide(world.layer))
  )
})

it("leaves what it cannot read as it is, and says how much that is; without a key it says that", async () => {
  const world = crmWorld()
  await Effect.runPromise(
    Effect.gen(function* () {
      const sealed = yield* SealedConnections
      yield* connected(yield* newBotOf(), world.provider_one)
      expect(yield* rotate(`second:${newKey()}`)).toMatchObject({ resealed: 0, unreadable: 1 })
      expect(yield* sealed.counts).toEqual([{ keyId: "first", connections: 1 }])
      const keyless = Layer.fresh(SecretRotation.layer).pipe(Layer.provide(Layer.succeed(SecretBox, noSecrets)))
      const refused = Effect.provide(Effect.flip(SecretRotation.use((each) => each.rotate({ apply: true }))), keyless)
      expect((yield* refused)._tag).toBe("SecretsNotConfigured")
    }).pipe(Effect.provide(world.layer))
  )
})
