import { makeWebCryptoSecretBox, noSecrets } from "@parley/core/effect"
import { SecretBox } from "@parley/core/adapter"
import { Effect, Layer } from "effect"
import type { ParleyConfig } from "../config/ParleyConfig.ts"
import { findDevelopmentKey, openDevelopmentKey } from "./developmentKey.ts"

/**
 * What secrets are kept with: the keys of the environment; without them, in development, the key in the data folder, which
 * a server draws and a command only reads; else nothing is sealed.
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
      // What the configuration says is judged where it is read.
      return Effect.orDie(makeWebCryptoSecretBox(keys))
    })
  )
