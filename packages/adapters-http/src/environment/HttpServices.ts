import type { ParleyServices } from "@parley/core/effect"
import type { SessionVerifier } from "@parley/core/adapter"
import type { AllowedOrigins } from "./AllowedOrigins.ts"
import type { ApiDocument } from "./ApiDocument.ts"
import type { ApiKeys } from "./ApiKeys.ts"
import type { BodyIntake } from "./BodyIntake.ts"
import type { CronSecret } from "./CronSecret.ts"
import type { DevelopmentSignIn } from "./DevelopmentSignIn.ts"
import type { LargeWork } from "./LargeWork.ts"
import type { PersonRequests } from "./PersonRequests.ts"
import type { PersonSignIn } from "./PersonSignIn.ts"
import type { PublicAddress } from "./PublicAddress.ts"
import type { Readiness } from "./Readiness.ts"
import type { RefusalLog } from "./RefusalLog.ts"
import type { SessionCookies } from "./SessionCookies.ts"
import type { SignOutPage } from "./SignOutPage.ts"
import type { UntrustedProxy } from "../exchange/UntrustedProxy.ts"

/** The server's services for routes and accesses. */
export type HttpServices =
  | AllowedOrigins
  | ApiDocument
  | ApiKeys
  | BodyIntake
  | CronSecret
  | DevelopmentSignIn
  | LargeWork
  | PersonRequests
  | PersonSignIn
  | PublicAddress
  | Readiness
  | RefusalLog
  | SessionCookies
  | SessionVerifier
  | SignOutPage
  | UntrustedProxy

/** All services that handlers and accesses may use. */
export type RouteServices = ParleyServices | HttpServices
