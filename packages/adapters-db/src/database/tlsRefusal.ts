import { causeCode } from "@parley/core/adapter"

/**
 * The reason why the client refused a server before it sent a name, a password or a statement: the server offers no
 * TLS, or its certificate is not signed by a trusted authority, is for another host, or is not valid at this time.
 */
export type TlsRefusal = "not-offered" | "untrusted" | "other-host" | "out-of-date"

/** The message of the driver's error if the server offers no TLS; this error has no code. */
const NOT_OFFERED = "The server does not support SSL connections"

/** The reasons by the error codes of Node's TLS (nodejs.org/api/tls.html, "X509 certificate error codes"). */
const CODES: Readonly<Record<string, TlsRefusal>> = {
  CERT_HAS_EXPIRED: "out-of-date",
  CERT_NOT_YET_VALID: "out-of-date",
  ERR_TLS_CERT_ALTNAME_INVALID: "other-host",
  HOSTNAME_MISMATCH: "other-host",
  CERT_CHAIN_TOO_LONG: "untrusted",
  CERT_REJECTED: "untrusted",
  CERT_REVOKED: "untrusted",
  CERT_SIGNATURE_FAILURE: "untrusted",
  CERT_UNTRUSTED: "untrusted",
  DEPTH_ZERO_SELF_SIGNED_CERT: "untrusted",
  INVALID_CA: "untrusted",
  INVALID_PURPOSE: "untrusted",
  PATH_LENGTH_EXCEEDED: "untrusted",
  SELF_SIGNED_CERT_IN_CHAIN: "untrusted",
  UNABLE_TO_GET_ISSUER_CERT: "untrusted",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "untrusted",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "untrusted"
}

/** Returns the reason if TLS made the driver reject a connection; otherwise undefined. */
export const tlsRefusal = (cause: unknown): TlsRefusal | undefined =>
  cause instanceof Error && cause.message === NOT_OFFERED ? "not-offered" : CODES[causeCode(cause) ?? ""]
