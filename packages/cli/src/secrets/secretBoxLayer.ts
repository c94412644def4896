import { makeWebCryptoSecretBox, noSecrets } from "@parley/core/effect"
import { SecretBox } from "@parley/core/adapter"
import { Effect, Layer } from "effect"
import type { ParleyConfig } from "../config/readConfig.ts"
import { findDevelopmentKey, openDevelopmentKey } from "./developmentKey.ts"

/**
 * The encryption of secrets: with the keys of the environment; without them, in development, with the key in the data
 * folder, which a server generates and a command only reads; otherwise sealing fails.
 */
export const secretBoxLayer = (
  config: ParleyConfig,
  { isCommand }: { readonly isCommand: boolean }
): Layer.Layer<SecretBox> =>
  Layer.effect(
    SecretBox,
    Effect.suspend(() => {
      const { dataFolder, encryptionKeys, production } = config
      const open = isCommand ? findDevelopmentKey : openDevelopmentKey
      const keys = encryptionKeys.length > 0 || production ? encryptionKeys : (open(dataFolder) ?? [])
      if (keys.length === 0) return Effect.succeed(noSecrets)
      // The keys were checked when the configuration was read.
      return Effect.orDie(makeWebCryptoSecretBox(keys))
    })
  )
