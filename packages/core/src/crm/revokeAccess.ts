import { Effect } from "effect"
import { handledJob } from "../jobs/JobKind.ts"
import { CrmRelease } from "./CrmRelease.ts"
import { RevokeCrmAccess } from "./revocationJob.ts"

/** Revokes access that a process left over, because it died or because the provider could not be reached. */
export const crmRevoking = handledJob(
  RevokeCrmAccess,
  Effect.map(
    CrmRelease,
    ({ again }) =>
      ({ last, payload }) =>
        again(payload, last)
  )
)
