/** The part of `@parley/core/adapter` for identity. */

export {
  OPERATOR_ROLES,
  type OperatorRole,
  SESSION_PROBLEMS,
  type Session,
  SessionInvalid,
  SessionVerifier,
  SessionVerifierUnavailable
} from "./SessionVerifier.ts"
export { type RequestFacts, RequestOrigin } from "./RequestOrigin.ts"
export { RequestCharge } from "./RequestCharge.ts"
export { SessionIssuedAt } from "./SessionIssuedAt.ts"
export { isMoment } from "./isMoment.ts"
export { NO_PERSON } from "./UserId.ts"
