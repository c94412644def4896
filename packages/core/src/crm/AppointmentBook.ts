import { Context, Effect, Layer } from "effect"
import type { CrmConnectionName } from "./CrmConnectionStore.ts"
import { AppointmentsNotAvailable } from "./errors.ts"

/** An appointment that is to be made in a connected CRM. */
export interface AppointmentDraft {
  readonly connection: CrmConnectionName
  readonly title: string
  /** Unix milliseconds. */
  readonly startsAt: number
  readonly durationMs: number
  readonly attendeeEmail: string
}

/** The port for booking appointments. */
export class AppointmentBook extends Context.Service<
  AppointmentBook,
  {
    /** Books an appointment, and returns its id at the provider. */
    book(draft: AppointmentDraft): Effect.Effect<{ readonly appointmentId: string }, AppointmentsNotAvailable>
  }
>()("@parley/core/crm/AppointmentBook") {
  /** The only implementation: every call fails with `AppointmentsNotAvailable`. */
  static readonly unavailable = Layer.succeed(AppointmentBook, {
    book: () => Effect.fail(new AppointmentsNotAvailable())
  })
}
