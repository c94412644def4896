import type { Redacted } from "effect"

/** The location of the objects, and the credentials for it. */
export interface S3Options {
  readonly bucket: string
  /** The prefix of every key, for example `parley/`; empty by default. */
  readonly prefix?: string | undefined
  /** The region; `us-east-1` by default. */
  readonly region?: string | undefined
  /** The address of a compatible service; the name of the bucket is then the first part of the path. */
  readonly endpoint?: string | undefined
  readonly accessKeyId: string
  readonly secretAccessKey: Redacted.Redacted
  /** The session token of temporary credentials. */
  readonly sessionToken?: Redacted.Redacted | undefined
  /** Time limit of a request in milliseconds; default one minute. */
  readonly timeoutMs?: number | undefined
  /** Retries of a request after a temporary failure; default 3. */
  readonly retries?: number | undefined
}

/** The parts of an `s3://` URL: all options except the credentials. */
export type S3Place = Pick<S3Options, "bucket" | "prefix" | "region" | "endpoint">

/** Amazon's rule for bucket names: 3 to 63 lower-case letters, digits, dots and dashes. */
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/
const PREFIX = /^[A-Za-z0-9!_.*'()/-]{0,200}$/
const REGION = /^[a-z0-9-]{1,64}$/

const isEndpoint = (text: string): boolean => {
  if (!URL.canParse(text)) return false
  const { hash, hostname, password, protocol, search, username } = new URL(text)
  const isLoopback = ["localhost", "127.0.0.1", "[::1]"].includes(hostname)
  if (hash !== "" || search !== "" || username !== "" || password !== "") return false
  return protocol === "https:" || (protocol === "http:" && isLoopback)
}

/**
 * Parses `s3://<bucket>[/<prefix>][?region=<region>&endpoint=<address>]`. Returns undefined for any other text, and for
 * a URL that contains credentials, or an endpoint without TLS that is not on this machine.
 */
export const parseS3Url = (text: string): S3Place | undefined => {
  if (!URL.canParse(text)) return undefined
  const { hash, hostname, password, pathname, port, protocol, searchParams, username } = new URL(text)
  if (protocol !== "s3:" || username !== "" || password !== "" || port !== "" || hash !== "") return undefined
  const [region, endpoint] = [searchParams.get("region") ?? undefined, searchParams.get("endpoint") ?? undefined]
  const prefix = pathname.replace(/^\/+/, "").replace(/\/*$/, (end) => (end === "" ? "" : "/"))
  const isWhole =
    BUCKET.test(hostname) &&
    PREFIX.test(prefix) &&
    [...searchParams.keys()].every((name) => name === "region" || name === "endpoint") &&
    (region === undefined || REGION.test(region)) &&
    (endpoint === undefined || isEndpoint(endpoint))
  if (!isWhole) return undefined
  return { bucket: hostname, prefix: prefix === "" || prefix.endsWith("/") ? prefix : `${prefix}/`, region, endpoint }
}
