import { makeWebCryptoSecretBox, noSecrets } from "@parley/core/effect"
import { SecretBox } from "@parley/core/adapter"
import { Effect, Layer } from "effect"
import type { ParleyConfig } from "../config/readConfig.ts"
import { findDevelopmentKey, openDevelopmentKey } from "./developmentKey.ts"

/**
 * The encryption of stored secrets with the keys of the environment. In development, if no keys are set, the key in the
 * data folder is used, which a server generates and a command only reads. Otherwise sealing fails.
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
      // The keys are valid, because reading the configuration has checked them.
      return Effect.orDie(makeWebCryptoSecretBox(keys))
    })
  )
