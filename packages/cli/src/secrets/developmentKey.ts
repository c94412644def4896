import { randomBytes } from "node:crypto"
import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseSecretKeys, type SecretKey } from "@parley/core/effect"
import { Result } from "effect"
import { makeDataFolder } from "../dataFolder/makeDataFolder.ts"

const KEY_BYTES = 32
const nameOf = (folder: string) => join(folder, "encryption.key")

/** The key in a data folder; undefined if there is none, or if it is invalid. */
export const findDevelopmentKey = (folder: string): ReadonlyArray<SecretKey> | undefined => {
  try {
    return Result.getOrUndefined(parseSecretKeys(readFileSync(nameOf(folder), "utf8")))
  } catch {
    return undefined
  }
}

/**
 * The key in a data folder, generated if there is none, readable by its owner only. If several processes generate one
 * at once, all get the first one. Undefined if the folder cannot be written.
 */
export const openDevelopmentKey = (folder: string): ReadonlyArray<SecretKey> | undefined => {
  const known = findDevelopmentKey(folder)
  if (known !== undefined) return known
  const drawn = `${nameOf(folder)}.${process.pid}.${randomBytes(4).toString("hex")}`
  try {
    makeDataFolder(folder)
    writeFileSync(drawn, `${randomBytes(KEY_BYTES).toString("base64")}\n`, { mode: 0o600, flag: "wx" })
    linkSync(drawn, nameOf(folder))
  } catch {
    // Another process has stored its key, or the folder is not writable.
  } finally {
    rmSync(drawn, { force: true })
  }
  return findDevelopmentKey(folder)
}
