import { Context, Effect, Layer } from "effect"
import type { CrmConnectionName } from "./CrmConnection.ts"
import { AppointmentsNotAvailable } from "./errors.ts"

/** An appointment to be made in a connected CRM. */
export interface AppointmentDraft {
  readonly connection: CrmConnectionName
  readonly title: string
  /** Unix milliseconds. */
  readonly startsAt: number
  readonly durationMs: number
  readonly attendeeEmail: string
}

/** Where appointments are made. */
export class AppointmentBook extends Context.Service<
  AppointmentBook,
  {
    /** Makes an appointment, and gives the provider's id of it. */
    book(draft: AppointmentDraft): Effect.Effect<{ readonly appointmentId: string }, AppointmentsNotAvailable>
  }
>()("@parley/core/crm/AppointmentBook") {
  /** The one there is: it makes none, and says so. */
  static readonly unavailable = Layer.succeed(AppointmentBook, {
    book: () => Effect.fail(new AppointmentsNotAvailable())
  })
}
