import { countOf, InputIssue, sizeOf } from "@parley/core/adapter"
import { Schema } from "effect"

const Issues = Schema.Array(InputIssue)

/** The path, query or body of a request does not match the route's schema. Lists every problem and its place. */
export class InvalidRequest extends Schema.TaggedError<InvalidRequest>()("InvalidRequest", { issues: Issues }) {
  readonly code = "invalid_request"
  override get message() {
    return `The request is not valid: ${this.issues.map((issue) => `${issue.path}: ${issue.message}`).join("; ")}.`
  }
}

/** A multipart body that does not contain exactly one file. `detail` names the remedy. */
export class InvalidUpload extends Schema.TaggedError<InvalidUpload>()("InvalidUpload", { detail: Schema.String }) {
  readonly code = "invalid_upload"
  override get message() {
    return this.detail
  }
}

/** A JSON body is larger than `limit` bytes. */
export class PayloadTooLarge extends Schema.TaggedError<PayloadTooLarge>()("PayloadTooLarge", { limit: Schema.Int }) {
  readonly code = "payload_too_large"
  override get message() {
    return `What is sent may have at most ${sizeOf(this.limit)}. Send less, or upload long texts as documents.`
  }
}

/** The address, cookies and other headers of a request are together larger than the server reads. */
export class HeadTooLarge extends Schema.TaggedError<HeadTooLarge>()("HeadTooLarge", { limit: Schema.Int }) {
  readonly code = "head_too_large"
  override get message() {
    return `The address, cookies and other headers of a request may have at most ${sizeOf(this.limit)}. Delete the cookies of this site and try again.`
  }
}

/** No tier has a model with this id that the server can run. */
export class ModelNotFound extends Schema.TaggedError<ModelNotFound>()("ModelNotFound", {}) {
  readonly code = "model_not_found"
  override get message() {
    return "There is no such model. GET /v1/models lists the models of this server."
  }
}

/** A browser sent the request on behalf of another site. */
export class CrossSiteRequest extends Schema.TaggedError<CrossSiteRequest>()("CrossSiteRequest", {}) {
  readonly code = "cross_site_request"
  override get message() {
    return "Requests that change something are taken from this site only, not from a page of another origin."
  }
}

/** A scheduler did not send the configured secret. */
export class CronUnauthorized extends Schema.TaggedError<CronUnauthorized>()("CronUnauthorized", {}) {
  readonly code = "cron_unauthorized"
  override get message() {
    return 'Send the header "Authorization: Bearer <CRON_SECRET>" with the secret this server was started with.'
  }
}

/** The service key does not have the scope that the route requires. */
export class ScopeMissing extends Schema.TaggedError<ScopeMissing>()("ScopeMissing", { scope: Schema.String }) {
  readonly code = "scope_missing"
  override get message() {
    return `This key does not have the scope ${this.scope}. Use a key that has it.`
  }
}

/** The person is not an operator, or has no role that allows the request. */
export class RoleMissing extends Schema.TaggedError<RoleMissing>()("RoleMissing", { role: Schema.String }) {
  readonly code = "role_missing"
  override get message() {
    return `This needs the role ${this.role}, which your session does not have.`
  }
}

/** The person signed in too long ago for a call that a stolen session must not make. */
export class FreshSignInRequired extends Schema.TaggedError<FreshSignInRequired>()("FreshSignInRequired", {
  maxAgeSeconds: Schema.Int
}) {
  readonly code = "fresh_sign_in_required"
  override get message() {
    return `This needs a sign-in of the last ${countOf(this.maxAgeSeconds, "second")}. Sign in again, then repeat the request.`
  }
}

/** Too many requests from this address had a wrong credential. A request with a valid one is still accepted. */
export class TooManyFailures extends Schema.TaggedError<TooManyFailures>()("TooManyFailures", {
  limit: Schema.Int,
  retryAfterMs: Schema.Finite
}) {
  readonly code = "too_many_failures"
  override get message() {
    return `More than ${countOf(this.limit, "request")} from your address had a wrong credential within a minute. Sign in again, or correct the key, and try again in a moment.`
  }
}

/** No `CRON_SECRET` is set, so no scheduler can start the scheduled work. */
export class CronNotConfigured extends Schema.TaggedError<CronNotConfigured>()("CronNotConfigured", {}) {
  readonly code = "cron_not_configured"
  override get message() {
    return "Scheduled jobs are switched off: set CRON_SECRET and start the server again."
  }
}

/** A person with a subscription tried to buy a second plan, and would pay for both. */
export class AlreadySubscribed extends Schema.TaggedError<AlreadySubscribed>()("AlreadySubscribed", {}) {
  readonly code = "already_subscribed"
  override get message() {
    return "You have subscribed already. Change the plan on the payment provider's page, or end it there first."
  }
}

/**
 * The host's own sign-in threw, or returned a person in an invalid form. The error has no code, so it is answered and
 * logged as an unexpected error; the log gets only its kind and stack frames, because its message may contain private
 * data.
 */
export class AuthenticateFailed extends Error {
  override readonly name: string
  constructor(cause: unknown) {
    super("The host's authenticate failed.")
    this.name = `AuthenticateFailed(${cause instanceof Error ? cause.constructor.name : typeof cause})`
    // The stack frames of the error without its message.
    const { message, stack = "" } = cause instanceof Error ? cause : this
    this.stack = stack.slice(stack.lastIndexOf(message) + message.length)
  }
}

/** No route has this path. */
export class RouteNotFound extends Schema.TaggedError<RouteNotFound>()("RouteNotFound", {}) {
  readonly code = "not_found"
  override get message() {
    return "No route has this path. GET /openapi.json lists all routes."
  }
}

/** A route with this path exists, but for other methods. */
export class MethodNotAllowed extends Schema.TaggedError<MethodNotAllowed>()("MethodNotAllowed", {
  allowed: Schema.Array(Schema.String)
}) {
  readonly code = "method_not_allowed"
  override get message() {
    return `This path takes ${this.allowed.join(", ")}.`
  }
}

/** A part that the server depends on, such as the database, does not answer. */
export class NotReady extends Schema.TaggedError<NotReady>()("NotReady", {
  /** The problem in the form of a code of the check, for the log only. */
  problem: Schema.optionalKey(Schema.String),
  cause: Schema.optionalKey(Schema.Defect())
}) {
  readonly code = "not_ready"
  override get message() {
    return "Something this server depends on does not answer yet. Try again in a moment."
  }
}

/** A request body came too slowly, or stopped coming. */
export class RequestTooSlow extends Schema.TaggedError<RequestTooSlow>()("RequestTooSlow", {}) {
  readonly code = "request_too_slow"
  override get message() {
    return "The body of the request came too slowly. Send it again over a better connection."
  }
}

/** Another parser read the body before the route, and kept no form of it that the route can use. */
export class BodyAlreadyRead extends Schema.TaggedError<BodyAlreadyRead>()("BodyAlreadyRead", {}) {
  readonly code = "body_already_read"
  override get message() {
    return "The body was read before the request came to its route. To repair the server: mount Parley before any body parser or upload handler, or have it leave what it reads in request.body."
  }
}

/** The server has no room for the request's body: other requests use all of it. */
export class ServerBusy extends Schema.TaggedError<ServerBusy>()("ServerBusy", {}) {
  readonly code = "server_busy"
  readonly retryAfterMs = 5_000
  override get message() {
    return "The server has more to read than it can keep at the moment. Send the request again in a few seconds."
  }
}

/** A person has more concurrent requests than any ordinary use requires. */
export class TooManyRequests extends Schema.TaggedError<TooManyRequests>()("TooManyRequests", { limit: Schema.Int }) {
  readonly code = "too_many_requests"
  readonly retryAfterMs = 1_000
  override get message() {
    return `You have ${countOf(this.limit, "request")} under way, which is the most. Wait until some of them have ended.`
  }
}

/** The files of the widget are not built, so the server cannot send them. */
export class WidgetNotBuilt extends Schema.TaggedError<WidgetNotBuilt>()("WidgetNotBuilt", {}) {
  readonly code = "widget_not_built"
  override get message() {
    return "The widget is not built yet: npm ci builds it, and npm run build."
  }
}
