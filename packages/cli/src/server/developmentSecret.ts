import { randomBytes } from "node:crypto"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { DataFolderUnusable } from "../dataFolder/dataFolderErrors.ts"

const BYTES = 32

/** The key of development sessions, kept in the data folder so that people stay signed in; made where there is none. */
export const developmentSecret = (folder: string): Effect.Effect<Uint8Array, DataFolderUnusable> =>
  Effect.try({
    try: () => {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      const path = join(folder, "development-session-secret")
      try {
        writeFileSync(path, randomBytes(BYTES), { flag: "wx", mode: 0o600 })
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
      }
      const secret = readFileSync(path)
      if (secret.byteLength >= BYTES) return secret
      const made = randomBytes(BYTES)
      writeFileSync(path, made, { mode: 0o600 })
      return made
    },
    catch: (error) =>
      new DataFolderUnusable({ folder, problem: (error as NodeJS.ErrnoException).code ?? "unknown error" })
  })
