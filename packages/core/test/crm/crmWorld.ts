import { SecurityEvents } from "../../src/security/SecurityEvents.ts"
import { Effect, Layer, Result } from "effect"
import { BotStore } from "../../src/bots/BotStore.ts"
import { CrmAccess } from "../../src/crm/CrmAccess.ts"
import { CrmProviders } from "../../src/crm/CrmProvider.ts"
import { CrmRelease } from "../../src/crm/CrmRelease.ts"
import { CrmService } from "../../src/crm/CrmService.ts"
import { SecretRotation } from "../../src/crm/SecretRotation.ts"
import { SecretBox } from "../../src/secrets/SecretBox.ts"
import { parseSecretKeys } from "../../src/secrets/secretKeys.ts"
import { makeWebCryptoSecretBox } from "../../src/secrets/WebCryptoSecretBox.ts"
import { inMemoryStorageLayer } from "../../src/StoragePorts.ts"
import { newBot } from "../../src/testing/bots/botFixtures.ts"
import { scriptedCrm, type ScriptedCrm, type ScriptedCrmOptions } from "../../src/testing/crm/ScriptedCrmProvider.ts"
import { newUserId } from "../../src/testing/storage/storageFixtures.ts"

export const newKey = () => btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))))
export const KEY = `first:${newKey()}`

export const REDIRECT_URI = "http://localhost:3000/api/crm/callback"

/** The layer of a box with these keys. */
export const boxLayer = (keys: string) =>
  Layer.effect(SecretBox, Effect.orDie(makeWebCryptoSecretBox(Result.getOrThrow(parseSecretKeys(keys)))))

/** Two providers in memory, and everything of this domain over stores in memory. */
export const crmWorld = (one: ScriptedCrmOptions = {}, two: ScriptedCrmOptions = {}) => {
  const crms = {
    provider_one: scriptedCrm({ issuer: "https://one.example", ...one, id: "provider_one" }),
    provider_two: scriptedCrm({ rotates: false, ...two, id: "provider_two" })
  }
  const providers = Layer.succeed(
    CrmProviders,
    new Map(Object.values(crms).map(({ provider }) => [provider.id, provider]))
  )
  const layer = Layer.mergeAll(CrmAccess.layer, CrmRelease.farewellLayer, CrmService.layer, SecretRotation.layer).pipe(
    Layer.provideMerge(SecurityEvents.layer),
    Layer.provideMerge(CrmRelease.layer),
    Layer.provideMerge(Layer.mergeAll(providers, boxLayer(KEY), inMemoryStorageLayer))
  )
  return { ...crms, layer }
}

/** A new person's bot. */
export const newBotOf = (owner: string = newUserId()) =>
  Effect.gen(function* () {
    const bot = newBot(owner)
    yield* BotStore.use((bots) => bots.insert(bot, 1_000))
    return { owner, botId: bot.id }
  })

/** A browser's cookies: sealed states by their ids. */
export const newBrowser = () => {
  const cookies = new Map<string, string>()
  return { cookies, kept: (id: string) => cookies.get(id) }
}

type Name = { readonly owner: string; readonly botId: string }

/** Begins a connection in a browser: the provider's page that it is sent to. */
export const began = (
  { botId, owner }: Name,
  browser: ReturnType<typeof newBrowser>,
  provider: string = "provider_one"
) =>
  CrmService.use((crm) => crm.connect({ owner, botId, provider, redirectUri: REDIRECT_URI })).pipe(
    Effect.map(({ state, url }) => {
      browser.cookies.set(state.id, state.sealed)
      return url
    })
  )

/** Comes back to the callback. */
export const cameBack = (
  owner: string,
  browser: ReturnType<typeof newBrowser>,
  callback: URLSearchParams,
  provider: string = "provider_one"
) => CrmService.use((crm) => crm.callback({ owner, by: "ann@example.com", provider, callback, kept: browser.kept }))

/** Connects a bot. */
export const connected = (name: Name, crm: ScriptedCrm) =>
  Effect.gen(function* () {
    const browser = newBrowser()
    const url = yield* began(name, browser, crm.provider.id)
    return yield* cameBack(name.owner, browser, crm.approve(url), crm.provider.id)
  })
