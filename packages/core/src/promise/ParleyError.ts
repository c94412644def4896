import type { SendFailed } from "../chat/ChatService.ts"
import type { AccountNotFound, HoldNotFound, InvalidAmount, KeyConflict, ReceiptNotFound } from "../credits/errors.ts"
import type {
  DocumentForbidden,
  DocumentNotFound,
  DocumentQuotaExceeded,
  FileRejected,
  InvalidDocumentId
} from "../documents/errors.ts"
import type { SessionInvalid, SessionVerifierUnavailable } from "../identity/SessionVerifier.ts"
import type { InvalidCatalog } from "../tiers/Catalog.ts"

/** Every failure Parley names. `_tag` tells them apart; `code` is stable across releases. */
export type ParleyError =
  | SendFailed
  | AccountNotFound
  | DocumentForbidden
  | DocumentNotFound
  | DocumentQuotaExceeded
  | FileRejected
  | HoldNotFound
  | InvalidAmount
  | InvalidCatalog
  | InvalidDocumentId
  | KeyConflict
  | ReceiptNotFound
  | SessionInvalid
  | SessionVerifierUnavailable
