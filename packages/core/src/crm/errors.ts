import { Schema } from "effect"

/** The calls of a provider that can fail. */
export const CRM_OPERATIONS = ["exchange", "refresh", "revoke"] as const

/**
 * The reason for a provider's refusal. `grant`: the code or the refresh token is not valid, or no longer valid;
 * `client`: the provider does not accept this server's registration (id, secret, redirect address); `other`: anything
 * else.
 */
export const CRM_REFUSALS = ["grant", "client", "other"] as const
export type CrmRefusal = (typeof CRM_REFUSALS)[number]

/** The CRM provider answered, and refused. */
export class CrmRefused extends Schema.TaggedError<CrmRefused>()("CrmRefused", {
  operation: Schema.Literals(CRM_OPERATIONS),
  reason: Schema.Literals(CRM_REFUSALS),
  cause: Schema.Defect()
}) {
  readonly code = "crm_refused"
  override get message() {
    return this.reason === "client"
      ? "The CRM provider does not accept this server's registration; its operator has to set it up right."
      : "The CRM provider no longer allows this. Connect it again."
  }
}

/**
 * The CRM provider cannot be reached, or reported that it did not accept the request (429, 503). The request had no
 * effect, so it may be sent again.
 */
export class CrmUnavailable extends Schema.TaggedError<CrmUnavailable>()("CrmUnavailable", {
  operation: Schema.Literals(CRM_OPERATIONS),
  /** The milliseconds after which the provider allows a retry, if it stated them. */
  retryAfterMs: Schema.optionalKey(Schema.Finite),
  cause: Schema.Defect()
}) {
  readonly code = "crm_unavailable"
  override get message() {
    return "The CRM provider does not answer at the moment. Try again in a moment."
  }
}

/**
 * The request may have reached the CRM provider, but no valid response arrived: the connection broke, the request timed
 * out, the status was 5xx other than 503, or the body was not a token response. The code or token that was sent may
 * have been used.
 */
export class CrmAnswerLost extends Schema.TaggedError<CrmAnswerLost>()("CrmAnswerLost", {
  operation: Schema.Literals(CRM_OPERATIONS),
  cause: Schema.Defect()
}) {
  readonly code = "crm_answer_lost"
  override get message() {
    return "The CRM provider's answer was lost. Connect it again."
  }
}

/** The failures of a call to a CRM provider. */
export type CrmFailed = CrmRefused | CrmUnavailable | CrmAnswerLost

/** No CRM provider has this name. */
export class CrmProviderNotFound extends Schema.TaggedError<CrmProviderNotFound>()("CrmProviderNotFound", {}) {
  readonly code = "crm_provider_not_found"
  override get message() {
    return "There is no such CRM provider."
  }
}

/** The parts that a server may lack for connecting bots to a CRM. */
export const CRM_LACKS = ["provider", "encryption-key", "public-address"] as const

/** Connections to this CRM are not configured on this server. */
export class CrmNotConfigured extends Schema.TaggedError<CrmNotConfigured>()("CrmNotConfigured", {
  missing: Schema.Literals(CRM_LACKS)
}) {
  readonly code = "crm_not_configured"
  override get message() {
    switch (this.missing) {
      case "provider":
        return "This CRM is not set up on this server."
      case "encryption-key":
        return "CRM connections are not set up on this server: it has no key to encrypt them with (PARLEY_ENCRYPTION_KEY)."
      case "public-address":
        return "CRM connections are not set up on this server: it does not know its public address (PARLEY_BASE_URL)."
    }
  }
}

/** The browser has no state for this callback, so the bot is unknown. */
export class CrmStateUnknown extends Schema.TaggedError<CrmStateUnknown>()("CrmStateUnknown", {}) {
  readonly code = "crm_state_unknown"
  override get message() {
    return "This is no answer to a connection that was begun in this browser within the last ten minutes. Begin again on the bot's page."
  }
}

/** The bot is not connected to this CRM. */
export class CrmNotConnected extends Schema.TaggedError<CrmNotConnected>()("CrmNotConnected", {}) {
  readonly code = "crm_not_connected"
  override get message() {
    return "The bot is not connected to this CRM."
  }
}

/** The connection has lost its access to the CRM. */
export class CrmNeedsReconnect extends Schema.TaggedError<CrmNeedsReconnect>()("CrmNeedsReconnect", {
  problem: Schema.Literals(["expired", "refused", "answer_lost"])
}) {
  readonly code = "crm_needs_reconnect"
  override get message() {
    return "The connection to the CRM has ended. Connect the bot again."
  }
}

/** Appointments cannot be booked: no connected CRM supports them. */
export class AppointmentsNotAvailable extends Schema.TaggedError<AppointmentsNotAvailable>()(
  "AppointmentsNotAvailable",
  {}
) {
  readonly code = "appointments_not_available"
  override get message() {
    return "Appointments are not available."
  }
}

/** Access was not revoked at its provider yet; a job that fails with this error is retried. */
export class CrmNotRevoked extends Schema.TaggedError<CrmNotRevoked>()("CrmNotRevoked", {}) {
  readonly code = "crm_not_revoked"
  override get message() {
    return "The CRM provider did not accept that access is revoked; it is tried again later."
  }
}
