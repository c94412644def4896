/** What an author of adapters uses of identity. */

export {
  SESSION_PROBLEMS,
  type Session,
  SessionInvalid,
  SessionVerifier,
  SessionVerifierUnavailable
} from "./SessionVerifier.ts"
export { isMoment } from "./isMoment.ts"
export { UserId } from "./UserId.ts"
