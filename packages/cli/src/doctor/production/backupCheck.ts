import { readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import type { ParleyConfig } from "../../config/readConfig.ts"
import { exitCodes } from "../../exitCodes.ts"
import { type Check, failed, ok } from "../Check.ts"

const NAME = "backup"
const HOUR_MS = 3_600_000
/** The largest age of the newest backup in hours: backups run daily and may take two hours. */
const FRESH_HOURS = 26

interface Found {
  readonly bytes: number
  readonly at: number
}

const look = (path: string): Found => {
  const { mtimeMs, size } = statSync(path)
  return { bytes: size, at: mtimeMs }
}

/** The newest file with contents: `path` itself, or a file in the folder `path`. */
const newest = (path: string): Found | undefined => {
  try {
    const files = statSync(path).isDirectory()
      ? readdirSync(path, { withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map(({ name }) => look(join(path, name)))
      : [look(path)]
    return files.filter(({ bytes }) => bytes > 0).toSorted((one, other) => other.at - one.at)[0]
  } catch {
    return undefined
  }
}

/**
 * Checks by time and size that a backup file of the last day exists; only a restore could prove its contents. Backups
 * that are made elsewhere, for example by the provider of the database, cannot be checked here.
 *
 * @param now the current time in Unix milliseconds
 */
export const backupCheck = ({ backups }: Pick<ParleyConfig, "backups">, now: number): Check => {
  if (backups === undefined) {
    const advice =
      'Set PARLEY_BACKUPS to the file or folder of your daily backups ("parley backup"), or to "elsewhere" if the provider of the database makes them.'
    return failed(NAME, exitCodes.configuration, "none is known: PARLEY_BACKUPS is not set", advice)
  }
  if (backups._tag === "Elsewhere")
    return ok(NAME, "made elsewhere: PARLEY_BACKUPS says so, and nothing here can check it")
  const found = newest(backups.path)
  if (found === undefined) {
    const advice = `Run "parley backup --output <file>" there, or correct PARLEY_BACKUPS.`
    return failed(NAME, exitCodes.failed, "no file with contents at PARLEY_BACKUPS", advice)
  }
  const hours = Math.max(0, Math.floor((now - found.at) / HOUR_MS))
  return hours < FRESH_HOURS
    ? ok(NAME, `${hours} hours old, ${found.bytes} bytes; rehearse a restore each month`)
    : failed(NAME, exitCodes.failed, `the newest is ${hours} hours old`, "Find out why the daily backup did not run.")
}
