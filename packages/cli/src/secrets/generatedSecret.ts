import { randomBytes } from "node:crypto"
import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { makeDataFolder } from "../dataFolder/makeDataFolder.ts"

const SECRET_BYTES = 32

/** Returns a secret in a data folder; undefined if it is missing or invalid. */
export const findSecret = <A>(folder: string, name: string, parse: (text: string) => A | undefined): A | undefined => {
  try {
    return parse(readFileSync(join(folder, name), "utf8"))
  } catch {
    return undefined
  }
}

/**
 * Returns a secret in a data folder, and generates it if it is missing: 32 random bytes in base64, readable by their
 * owner only. If several processes generate it at the same time, all get the first one. Undefined if the folder cannot
 * be written.
 */
export const openSecret = <A>(folder: string, name: string, parse: (text: string) => A | undefined): A | undefined => {
  const known = findSecret(folder, name, parse)
  if (known !== undefined) return known
  const place = join(folder, name)
  const drawn = `${place}.${process.pid}.${randomBytes(4).toString("hex")}`
  try {
    makeDataFolder(folder)
    writeFileSync(drawn, `${randomBytes(SECRET_BYTES).toString("base64")}\n`, { mode: 0o600, flag: "wx" })
    linkSync(drawn, place)
  } catch {
    // Another process has stored its secret first, or the folder is not writable: `findSecret` below finds out.
  } finally {
    rmSync(drawn, { force: true })
  }
  return findSecret(folder, name, parse)
}
