import { makeWebCryptoSecretBox } from "@parley/core/effect"
import { Effect } from "effect"
import type { ParleyConfig } from "../config/ParleyConfig.ts"
import { findDevelopmentKey } from "../secrets/developmentKey.ts"
import { type Check, note, ok } from "./Check.ts"

const SET_KEY = 'Set PARLEY_ENCRYPTION_KEY to 32 random bytes, for example what "openssl rand -base64 32" prints.'
const NAME = "encryption key"

/** The key that encrypts tokens of other services. A key's id reveals nothing of the key. */
export const encryptionKeyCheck = ({ dataFolder, encryptionKeys, production }: ParleyConfig): Effect.Effect<Check> =>
  Effect.gen(function* () {
    const [, ...others] = encryptionKeys
    if (encryptionKeys.length > 0) {
      const { sealsWith } = yield* Effect.orDie(makeWebCryptoSecretBox(encryptionKeys))
      return ok(NAME, `${sealsWith} encrypts${others.length === 0 ? "" : `, and ${others.length} more can decrypt`}`)
    }
    if (production) return note(NAME, "none: no bot can be connected to a CRM", SET_KEY)
    return findDevelopmentKey(dataFolder) === undefined
      ? note(NAME, "none yet: a server draws one for development into the data folder", SET_KEY)
      : note(NAME, "for development, in the data folder", SET_KEY)
  })
