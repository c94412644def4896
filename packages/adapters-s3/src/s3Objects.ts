import { type Objects, StorageFailed } from "@parley/core/adapter"
import { AwsV4Signer } from "aws4fetch"
import { Effect, Redacted, Schedule } from "effect"
import type { S3Options } from "./S3Options.ts"

const TIMEOUT_MS = 60_000
const RETRIES = 3

/** A response with its whole body. */
interface Answer {
  readonly status: number
  readonly bytes: Uint8Array
}

type Method = "PUT" | "GET" | "DELETE"

/** True for temporary failures, after which a retry may succeed. */
const isPassing = (status: number): boolean => status === 408 || status === 429 || status >= 500

const hex = (bytes: ArrayBuffer): string => Buffer.from(bytes).toString("hex")

/** Returns the digest with which the service compares the body, to refuse bytes that were changed on the way. */
const sha256 = async (bytes: Uint8Array): Promise<string> =>
  hex(await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>))

/** Sends signed requests to a bucket. */
const signedRequests = (options: S3Options) => {
  const { accessKeyId, bucket, endpoint, prefix = "", region = "us-east-1", timeoutMs = TIMEOUT_MS } = options
  const base =
    endpoint === undefined
      ? `https://${bucket}.s3.${region}.amazonaws.com/`
      : `${endpoint.replace(/\/+$/, "")}/${bucket}/`
  const addressOf = (key: string) => base + `${prefix}${key}`.split("/").map(encodeURIComponent).join("/")

  return async (
    method: Method,
    key: string,
    { body, headers = {} }: { readonly body?: Uint8Array; readonly headers?: Readonly<Record<string, string>> },
    signal: AbortSignal
  ): Promise<Answer> => {
    const signer = new AwsV4Signer({
      method,
      url: addressOf(key),
      headers: { ...headers, "x-amz-content-sha256": await sha256(body ?? new Uint8Array()) },
      accessKeyId,
      secretAccessKey: Redacted.value(options.secretAccessKey),
      ...(options.sessionToken === undefined ? {} : { sessionToken: Redacted.value(options.sessionToken) }),
      service: "s3",
      region
    })
    const signed = await signer.sign()
    const response = await fetch(signed.url, {
      method,
      headers: signed.headers,
      ...(body === undefined ? {} : { body: body as Uint8Array<ArrayBuffer> }),
      redirect: "error",
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
    })
    return { status: response.status, bytes: new Uint8Array(await response.arrayBuffer()) }
  }
}

/**
 * Objects in a bucket of S3 or a compatible service, signed by Signature Version 4
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-authenticating-requests.html). Requires the permissions
 * `s3:PutObject`, `s3:GetObject` and `s3:DeleteObject`; without `s3:ListBucket` the service answers 403 for a missing
 * object, which counts as a failure. Failures are `StorageFailed`; texts of the service reach neither logs nor
 * responses.
 */
export const s3Objects = (options: S3Options): Objects => {
  const { retries = RETRIES } = options
  const send = signedRequests(options)

  /** Returns a response with one of `statuses`, or undefined if the object does not exist. */
  const ask = (
    operation: string,
    method: Method,
    key: string,
    request: { readonly body?: Uint8Array; readonly headers?: Readonly<Record<string, string>> },
    statuses: ReadonlyArray<number>
  ): Effect.Effect<Uint8Array | undefined, StorageFailed> => {
    const failed = (retryable: boolean, cause: string) =>
      new StorageFailed({ operation: `ObjectStore.${operation}`, retryable, cause: new Error(cause) })
    return Effect.tryPromise({
      try: (signal) => send(method, key, request, signal),
      catch: () => failed(true, "The object store did not answer.")
    }).pipe(
      Effect.flatMap(({ bytes, status }) => {
        if (statuses.includes(status)) return Effect.succeed(bytes)
        if (status === 404 && method !== "PUT") return Effect.succeed(undefined)
        return Effect.fail(failed(isPassing(status), `The object store answered ${status}.`))
      }),
      Effect.retry({
        schedule: Schedule.jittered(Schedule.max([Schedule.exponential("200 millis"), Schedule.recurs(retries)])),
        while: ({ retryable }) => retryable
      })
    )
  }

  return {
    put: (key, bytes) => Effect.asVoid(ask("put", "PUT", key, { body: bytes }, [200])),
    read: (key) => ask("read", "GET", key, {}, [200]),
    readSome: (key, offset, length) =>
      Effect.map(
        ask("readSome", "GET", key, { headers: { range: `bytes=${offset}-${offset + length - 1}` } }, [200, 206]),
        // A service without support for ranges returns the whole object.
        (bytes) => (bytes !== undefined && bytes.byteLength > length ? bytes.subarray(offset, offset + length) : bytes)
      ),
    remove: (key) => Effect.asVoid(ask("remove", "DELETE", key, {}, [200, 204]))
  }
}
