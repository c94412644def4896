import { parseSecretKeys, type SecretKey } from "@parley/core/effect"
import { Result } from "effect"
import { findSecret, openSecret } from "./generatedSecret.ts"

const NAME = "encryption.key"

const keysIn = (text: string): ReadonlyArray<SecretKey> | undefined => Result.getOrUndefined(parseSecretKeys(text))

/** The key in a data folder; undefined if there is none, or if it is invalid. */
export const findDevelopmentKey = (folder: string): ReadonlyArray<SecretKey> | undefined =>
  findSecret(folder, NAME, keysIn)

/** The key in a data folder, generated if there is none. Undefined if the folder cannot be written. */
export const openDevelopmentKey = (folder: string): ReadonlyArray<SecretKey> | undefined =>
  openSecret(folder, NAME, keysIn)
