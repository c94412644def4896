import { Result } from "effect"

/** Kept with the ledger row, which is read with every page of a history. */
const MAX_CHARACTERS = 16_384

/** What work gave as JSON text, undefined where it gave nothing; or what is wrong with it. */
export const resultText = (result: unknown): Result.Result<string | undefined, string> => {
  if (result === undefined) return Result.succeed(undefined)
  let text: string | undefined
  try {
    text = JSON.stringify(result)
  } catch {
    text = undefined
  }
  if (text === undefined) return Result.fail("its result is no JSON value")
  if (text.length > MAX_CHARACTERS) {
    return Result.fail(`its result has ${text.length} characters as JSON, and ${MAX_CHARACTERS} are kept at most`)
  }
  return Result.succeed(text)
}

/** What work gave, from the text that was kept of it. */
export const resultOf = (text: string | undefined): unknown => (text === undefined ? undefined : JSON.parse(text))
