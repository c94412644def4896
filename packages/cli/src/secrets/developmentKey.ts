import { parseSecretKeys, type SecretKey } from "@parley/core/effect"
import { Result } from "effect"
import { findSecret, openSecret } from "./generatedSecret.ts"

const NAME = "encryption.key"

const keysIn = (text: string): ReadonlyArray<SecretKey> | undefined => Result.getOrUndefined(parseSecretKeys(text))

/** Returns the development key in a data folder; undefined if it is missing or invalid. */
export const findDevelopmentKey = (folder: string): ReadonlyArray<SecretKey> | undefined =>
  findSecret(folder, NAME, keysIn)

/**
 * Returns the development key in a data folder, and generates it if it is missing; undefined if the folder cannot be
 * written.
 */
export const openDevelopmentKey = (folder: string): ReadonlyArray<SecretKey> | undefined =>
  openSecret(folder, NAME, keysIn)
