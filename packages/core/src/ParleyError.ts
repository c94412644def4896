import type { Effect } from "effect"
import type { SubscriptionNotFound } from "./credits/errors.ts"
import type { MeterFailed } from "./credits/metering/WorkMeter.ts"
import type { DeliveryFailed } from "./events/EventSink.ts"
import type { InvalidWebhook } from "./events/verifyWebhook.ts"
import type { InvalidWebhooks } from "./events/webhooks.ts"
import type { SessionInvalid, SessionVerifierUnavailable } from "./identity/SessionVerifier.ts"
import type { JobNotFailed, JobNotFound } from "./jobs/errors.ts"
import type { PackageMissing } from "./PackageMissing.ts"
import type { ParleyServices } from "./parleyLayer.ts"
import type { ParleyClosed } from "./promise/ParleyCalls.ts"
import type { InvalidSecretKeys } from "./secrets/errors.ts"
import type { TransactionConflict, TransactionNotJoined } from "./storage/CallersTransaction.ts"
import type { InvalidInput } from "./storage/inputs.ts"
import type { InvalidCatalog } from "./tiers/Catalog.ts"
import type { TiersMissing } from "./tiers/errors.ts"

/** A failure of a database adapter while nothing of Parley runs yet: opening, migrating, asking whether it is ready, indexing embeddings. */
export interface DatabaseProblem extends Error {
  readonly _tag: string
  readonly code:
    | "assign_refused"
    | "database_failed"
    | "cell_not_open"
    | "cell_refused"
    | "copy_refused"
    | "database_not_ready"
    | "folder_in_use"
    | "migration_refused"
    | "migration_unknown"
    | "move_refused"
    | "owner_busy"
    | "package_missing"
    | "split_refused"
    | "vector_index_refused"
}

/** The failures of a member of a service; a call that takes the caller's own work also fails as that work does. */
type FailureOf<Member> = Member extends
  | ((...given: never) => Effect.Effect<unknown, infer E, unknown>)
  | Effect.Effect<unknown, infer E, unknown>
  ? unknown extends E
    ? never
    : E
  : never

type FailuresOf<Service> = Service extends { readonly Service: infer Members }
  ? { [Name in keyof Members]: FailureOf<Members[Name]> }[keyof Members]
  : never

/**
 * Every failure with a name, those of the services first. `_tag` distinguishes them; `code` is stable across releases.
 */
export type ParleyError =
  | FailuresOf<ParleyServices>
  | MeterFailed
  | DatabaseProblem
  | DeliveryFailed
  | InvalidCatalog
  | InvalidInput
  | InvalidSecretKeys
  | InvalidWebhook
  | InvalidWebhooks
  | JobNotFailed
  | JobNotFound
  | PackageMissing
  | ParleyClosed
  | SessionInvalid
  | SessionVerifierUnavailable
  | SubscriptionNotFound
  | TiersMissing
  | TransactionConflict
  | TransactionNotJoined
