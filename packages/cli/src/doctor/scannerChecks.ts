import { ClamAvScanner } from "@parley/adapters-documents"
import { settingsLayer, UploadLimits } from "@parley/core/effect"
import { Effect } from "effect"
import type { ParleyConfig } from "../config/readConfig.ts"
import { exitCodes } from "../exitCodes.ts"
import { type Check, failed, note, ok } from "./Check.ts"

const NAME = "malware scanner"
const WITHIN_MS = 5_000

/**
 * Checks that the malware scanner of uploads answers and accepts files of the largest allowed size; empty if no scanner
 * is set.
 */
export const scannerChecks = ({
  clamAv,
  settings
}: Pick<ParleyConfig, "clamAv" | "settings">): Effect.Effect<ReadonlyArray<Check>> =>
  clamAv === undefined
    ? Effect.succeed([])
    : Effect.gen(function* () {
        const { ping, refusesLength } = ClamAvScanner({ url: clamAv, timeoutMs: WITHIN_MS })
        yield* ping
        const { maxBytes } = yield* Effect.provide(UploadLimits, settingsLayer(settings))
        if (!(yield* refusesLength(maxBytes))) return [ok(NAME, "clamd answers")]
        const advice = `Set StreamMaxLength in clamd.conf to ${maxBytes} or more, or lower PARLEY_UPLOAD_MAX_BYTES.`
        return [note(NAME, "clamd refuses the largest files that may be uploaded", advice)]
      }).pipe(
        Effect.catchTag("ScannerUnavailable", ({ reason }) => {
          const advice = "Start clamd, and check PARLEY_CLAMAV_URL. Until it answers, every upload is refused."
          return Effect.succeed([failed(NAME, exitCodes.unavailable, `clamd does not answer: ${reason}`, advice)])
        })
      )
