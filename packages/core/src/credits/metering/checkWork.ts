import { Effect, Result } from "effect"
import { InvalidWork } from "../errors.ts"
import type { ReceiptLine, WorkReceiptDraft } from "../Receipt.ts"
import { problemOfLines } from "../rules/workCost.ts"
import { parseUsageSource } from "../UsageSource.ts"
import type { WorkBound, WorkName, WorkReport } from "./Metering.ts"
import { isWorkKey } from "./workKey.ts"
import { resultText } from "./workResult.ts"

export const checkName = ({ key }: WorkName): Effect.Effect<void, InvalidWork> =>
  isWorkKey(key) ? Effect.void : new InvalidWork({ key: key.slice(0, 200), reason: "its key is not acceptable" })

export const checkSource = ({ key, source }: WorkBound): Effect.Effect<void, InvalidWork> =>
  parseUsageSource(source) === undefined
    ? new InvalidWork({ key, reason: "its source is none of chat, bot:<id>, meter:<name> and key:<id>" })
    : Effect.void

export const checkLines = (key: string, lines: ReadonlyArray<ReceiptLine>): Effect.Effect<void, InvalidWork> => {
  const problem = problemOfLines(lines)
  return problem === undefined ? Effect.void : new InvalidWork({ key, reason: problem })
}

const MAX_LIFETIME_SECONDS = 86_400

/** How long a hold lives, in milliseconds; `ttlMs` if nothing else was asked for. */
export const lifetimeOf = (
  key: string,
  lifetimeSeconds: number | undefined,
  ttlMs: number
): Effect.Effect<number, InvalidWork> => {
  if (lifetimeSeconds === undefined) return Effect.succeed(ttlMs)
  const isRight = Number.isInteger(lifetimeSeconds) && lifetimeSeconds >= 1 && lifetimeSeconds <= MAX_LIFETIME_SECONDS
  return isRight
    ? Effect.succeed(lifetimeSeconds * 1_000)
    : new InvalidWork({
        key,
        reason: `its lifetime is not a whole number of seconds from 1 to ${MAX_LIFETIME_SECONDS}`
      })
}

/** What a report says, as the ledger keeps it. */
export const draftOf = Effect.fnUntraced(function* <A>(key: string, { lines, result }: WorkReport<A>) {
  yield* checkLines(key, lines)
  const text = resultText(result)
  if (Result.isFailure(text)) return yield* new InvalidWork({ key, reason: text.failure })
  return { lines, ended: "completed", result: text.success } satisfies WorkReceiptDraft
})
