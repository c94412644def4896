import { randomBytes } from "node:crypto"
import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseSecretKeys, type SecretKey } from "@parley/core/effect"
import { Result } from "effect"
import { makeDataFolder } from "../dataFolder/makeDataFolder.ts"

const KEY_BYTES = 32
const nameOf = (folder: string) => join(folder, "encryption.key")

/** The key in a data folder; undefined where there is none, or none that can be used. */
export const findDevelopmentKey = (folder: string): ReadonlyArray<SecretKey> | undefined => {
  try {
    return Result.getOrUndefined(parseSecretKeys(readFileSync(nameOf(folder), "utf8")))
  } catch {
    return undefined
  }
}

/**
 * The key in a data folder, drawn where there is none, for its owner's eyes alone. Of processes that draw one at once, all
 * get the same: the first to put it there. Undefined where the folder cannot be written.
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
    // Somebody else's is there by now, or nothing can be written.
  } finally {
    rmSync(drawn, { force: true })
  }
  return findDevelopmentKey(folder)
}
