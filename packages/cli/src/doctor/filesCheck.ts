import { type Database, type Databases, movedFiles } from "@parley/adapters-db"
import { s3Objects } from "@parley/adapters-s3"
import { Effect } from "effect"
import type { ParleyConfig } from "../config/readConfig.ts"
import { exitCodes } from "../exitCodes.ts"
import { eachDatabase } from "../databases/eachDatabase.ts"
import { type Check, failed, ok } from "./Check.ts"

const PROBE = new TextEncoder().encode("parley")

/**
 * Checks that the object store writes, reads and deletes an object, and that one is configured if files were moved to
 * it.
 */
export const filesCheck = ({ files }: ParleyConfig): Effect.Effect<ReadonlyArray<Check>, never, Database | Databases> =>
  files === undefined ? neededCheck : Effect.map(storeCheck(files), (check) => [check])

const storeCheck = (files: NonNullable<ParleyConfig["files"]>): Effect.Effect<Check> => {
  const objects = s3Objects({ ...files, retries: 0, timeoutMs: 10_000 })
  const key = `doctor/${crypto.randomUUID()}`
  const works = Effect.gen(function* () {
    yield* objects.put(key, PROBE)
    const read = yield* objects.read(key)
    yield* objects.remove(key)
    return read?.byteLength === PROBE.byteLength
  })
  const place = `the bucket ${files.bucket}`
  const advice = "Check PARLEY_FILES_URL, the credentials, and that they may put, get and delete objects there."
  const trouble = (found: string) => failed("files", exitCodes.unavailable, found, advice)
  return Effect.match(works, {
    onFailure: ({ cause }) => trouble(`${place}: ${cause instanceof Error ? cause.message : "not usable"}`),
    onSuccess: (whole) => (whole ? ok("files", `${place} keeps them`) : trouble(`${place} gave back other bytes`))
  })
}

/** A database without the table, or out of reach, is another check's affair. */
const neededCheck: Effect.Effect<ReadonlyArray<Check>, never, Database | Databases> = Effect.gen(function* () {
  const counts = yield* Effect.orDie(eachDatabase(Effect.orElseSucceed(movedFiles, () => 0)))
  const moved = counts.reduce((sum, { result }) => sum + result, 0)
  if (moved === 0) return []
  return [
    failed(
      "files",
      exitCodes.configuration,
      `${moved} uploaded files are in an object store, and none is configured`,
      "Set PARLEY_FILES_URL to the bucket that contains them."
    )
  ]
})
