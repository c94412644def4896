import { ClamAvScanner } from "@parley/adapters-documents"
import { Effect } from "effect"
import type { ParleyConfig } from "../config/readConfig.ts"
import { exitCodes } from "../exitCodes.ts"
import { type Check, failed, ok } from "./Check.ts"

const NAME = "malware scanner"
const WITHIN_MS = 5_000

/** Checks that the scanner of uploaded files answers; empty if there is none. */
export const scannerChecks = ({ clamAv }: Pick<ParleyConfig, "clamAv">): Effect.Effect<ReadonlyArray<Check>> =>
  clamAv === undefined
    ? Effect.succeed([])
    : ClamAvScanner({ url: clamAv, timeoutMs: WITHIN_MS }).ping.pipe(
        Effect.map(() => [ok(NAME, "clamd answers")]),
        Effect.catchTag("ScannerUnavailable", ({ reason }) => {
          const advice = "Start clamd, and check PARLEY_CLAMAV_URL. Until it answers, every upload is refused."
          return Effect.succeed([failed(NAME, exitCodes.unavailable, `clamd does not answer: ${reason}`, advice)])
        })
      )
