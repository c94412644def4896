import { EXACT_SEARCH_PASSAGES, findVectorIndexes, isRecentPgvector, largestLibrary } from "@parley/adapters-db"
import { Effect } from "effect"
import { embeddedModel } from "../commands/vectors/embeddedModel.ts"
import type { ParleyConfig } from "../config/readConfig.ts"
import { type Check, note, ok } from "./Check.ts"

const NAME = "vector index"

/**
 * Checks that a library above the size limit has exactly one index over its embeddings, and that the index is valid.
 */
export const vectorIndexChecks = Effect.fnUntraced(function* (config: ParleyConfig) {
  const by = yield* embeddedModel
  const { current, others, pgvector } = yield* findVectorIndexes(by?.model)
  const found: Array<Check> = []
  if (by !== undefined && pgvector !== undefined) {
    const largest = yield* largestLibrary
    const exactWithin = config.exactSearchPassages ?? EXACT_SEARCH_PASSAGES
    const isLarge = largest > exactWithin
    const slow = `the largest library has ${largest} passages, more than ${exactWithin}, and a search of it compares all`
    if (current?.state === "valid")
      found.push(ok(NAME, `about ${current.passages} embeddings of ${by.model} are in it`))
    else if (current?.state === "building") found.push(ok(NAME, "it is being built"))
    else if (current !== undefined) {
      found.push(
        note(
          NAME,
          "building it was interrupted: it takes room and is not searched",
          'Run "parley vectors index" again.'
        )
      )
    } else if (isLarge && config.database._tag === "Embedded") {
      found.push(note(NAME, slow, "The embedded database has no index: use a Postgres server (DATABASE_URL)."))
    } else if (isLarge && !isRecentPgvector(pgvector)) {
      found.push(note(NAME, `${slow}; pgvector ${pgvector} is too old for an index`, "Install pgvector 0.8 or newer."))
    } else if (isLarge && by.dimensions > 4_000) {
      found.push(note(NAME, `${slow}; pgvector indexes at most 4,000 numbers each`, "Configure fewer dimensions."))
    } else if (isLarge) {
      found.push(note(NAME, slow, 'Build an index with "parley vectors index"; --dry-run tells what it takes.'))
    }
  }
  const left = others.filter(({ state }) => state !== "building")
  if (left.length > 0) {
    found.push(
      note(
        NAME,
        `${left.length} left over of other models or interrupted builds: each takes room, and time at each upload`,
        'Take them away with "parley vectors drop"; --dry-run tells which.'
      )
    )
  }
  return found
})
