import { createReadStream } from "node:fs"
import { pipeline } from "node:stream"
import { promisify } from "node:util"
import { createGunzip, gzip } from "node:zlib"
import { CopyPart, CopyRefused } from "@parley/adapters-db"
import { Effect, Schema, Stream } from "effect"
import { FileNotRead } from "../../running/commandErrors.ts"

const compress = promisify(gzip)
const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(CopyPart))

/**
 * Converts the parts of a backup to bytes: one line of JSON for each part, each compressed as a separate gzip member
 * (RFC 1952, 2.2).
 */
export const toBytes = <E, R>(parts: Stream.Stream<CopyPart, E, R>): Stream.Stream<Uint8Array, E, R> =>
  Stream.mapEffect(parts, (part) => Effect.promise(() => compress(`${JSON.stringify(part)}\n`)))

/** Converts zlib's error codes for bytes that are not gzip or are cut short; undefined for other codes. */
const refusalOf = (code: string | undefined): CopyRefused | undefined => {
  if (code === "Z_DATA_ERROR" || code === "Z_BUF_ERROR") return new CopyRefused({ problem: "incomplete", names: [] })
  return undefined
}

const failureOf = (path: string) => (error: unknown) => {
  const { code } = Object(error) as { readonly code?: string }
  return refusalOf(code) ?? new FileNotRead({ path, problem: code ?? "unknown" })
}

/** Reads the parts of the backup in a file. */
export const readParts = (path: string): Stream.Stream<CopyPart, CopyRefused | FileNotRead> =>
  Stream.suspend(() => {
    // `pipeline` passes the errors of the file and of the decompression on to the reader of `bytes`.
    const bytes = pipeline(createReadStream(path), createGunzip(), () => undefined)
    return Stream.fromAsyncIterable<Uint8Array, CopyRefused | FileNotRead>(bytes, failureOf(path))
  }).pipe(
    Stream.decodeText(),
    Stream.splitLines,
    Stream.mapEffect((line) =>
      Effect.mapError(decode(line), () => new CopyRefused({ problem: "other-format", names: [] }))
    )
  )
