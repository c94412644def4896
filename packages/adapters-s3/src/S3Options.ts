import type { Redacted } from "effect"

/** Where objects are kept, and who asks. */
export interface S3Options {
  readonly bucket: string
  /** What every key begins with, for example `parley/`; nothing unless given. */
  readonly prefix?: string | undefined
  /** `us-east-1` unless given. */
  readonly region?: string | undefined
  /** Another service than Amazon's, by its address: the bucket is the first part of its paths. */
  readonly endpoint?: string | undefined
  readonly accessKeyId: string
  readonly secretAccessKey: Redacted.Redacted
  /** Of temporary credentials. */
  readonly sessionToken?: Redacted.Redacted | undefined
  /** How long a request may take, in milliseconds; one minute unless given. */
  readonly timeoutMs?: number | undefined
  /** How often a request that failed by no fault of its own is sent again; 3 times unless given. */
  readonly retries?: number | undefined
}

/** What a files URL says: all but who asks. */
export type S3Place = Pick<S3Options, "bucket" | "prefix" | "region" | "endpoint">

/** As Amazon names buckets: 3 to 63 lower-case letters, digits, dots and dashes. */
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
 * Reads `s3://<bucket>[/<prefix>][?region=<region>&endpoint=<address>]`. Undefined where it is none: also where it holds
 * credentials, which do not belong in it, or an endpoint without encryption that is not this machine.
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
