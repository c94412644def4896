import { connect, type NetConnectOpts, type Socket } from "node:net"
import { type MalwareScan, ScannerUnavailable } from "@parley/core/adapter"
import { Effect } from "effect"

/** Default time limit for one file. clamd needs less even for the largest file, unless it is overloaded. */
const TIMEOUT_MS = 60_000
/** Time to find out whether clamd accepts a length: it refuses a length at once, and otherwise waits for the bytes. */
const LENGTH_MS = 1_000
/** The most bytes of an answer; every answer of clamd to one file is shorter. */
const MOST_ANSWER_BYTES = 4_096
const SOCKET = /^unix:(?:\/\/)?(\/.+)$/

export interface ClamAvOptions {
  /** The address of clamd: `tcp://host:3310` or `unix:/run/clamav/clamd.ctl`. */
  readonly url: string
  /** The longest time for one file, from the connection to the verdict, in milliseconds; one minute by default. */
  readonly timeoutMs?: number
}

/** Returns the connection options for an address of clamd; undefined if the text is no such address. */
export const clamAvPlace = (url: string): NetConnectOpts | undefined => {
  const path = SOCKET.exec(url)?.[1]
  if (path !== undefined) return { path }
  const { hostname = "", pathname, port, protocol } = URL.parse(url) ?? {}
  if (protocol !== "tcp:" || hostname === "" || !["", "/"].includes(pathname ?? "")) return undefined
  return { host: hostname.replace(/^\[(.*)\]$/, "$1"), port: Number(port || 3310) }
}

const unavailable = (reason: ScannerUnavailable["reason"]) => new ScannerUnavailable({ reason })

interface Answer {
  readonly text: string
  /** True if the whole request had been sent before the answer came. */
  readonly isToAll: boolean
}

/**
 * Returns clamd's answer on a connection, up to its NUL. An answer without NUL is a failure, because its missing end
 * may contain the word that reports a finding.
 */
const answerOn = (socket: Socket): Effect.Effect<Answer, ScannerUnavailable> =>
  Effect.callback((resume) => {
    let answer = Buffer.alloc(0)
    socket.on("data", (piece: Buffer) => {
      answer = Buffer.concat([answer, piece])
      const end = answer.indexOf(0)
      if (end >= 0) {
        const text = answer.toString("latin1", 0, end)
        resume(Effect.succeed({ text, isToAll: socket.writableLength === 0 }))
      } else if (answer.length > MOST_ANSWER_BYTES) resume(Effect.fail(unavailable("refused")))
    })
    socket.on("close", () => resume(Effect.fail(unavailable("unreachable"))))
  })

/** Sends a command and its data, and returns the answer. */
const ask = (
  place: NetConnectOpts,
  timeoutMs: number,
  pieces: ReadonlyArray<Uint8Array>
): Effect.Effect<Answer, ScannerUnavailable> =>
  Effect.acquireUseRelease(
    // An error closes the connection, and the close is handled.
    Effect.sync(() => connect(place).on("error", () => undefined)),
    (socket) =>
      Effect.suspend(() => {
        for (const piece of pieces) socket.write(piece)
        return answerOn(socket)
      }),
    (socket) => Effect.sync(() => socket.destroy())
  ).pipe(Effect.timeoutOrElse({ duration: timeoutMs, orElse: () => Effect.fail(unavailable("timeout")) }))

/** Encodes a length in four bytes, the most significant one first. */
const lengthOf = (bytes: number): Uint8Array => {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes)
  return length
}

const command = (name: string): Uint8Array => Buffer.from(`z${name}\0`)

/** clamd's answer to a length above its setting `StreamMaxLength`. */
const TOO_LARGE = /^INSTREAM size limit exceeded\. ERROR$/

/** The scanner, with methods to check whether it works. */
export interface ClamAv extends MalwareScan {
  /** Checks that clamd answers. */
  readonly ping: Effect.Effect<void, ScannerUnavailable>
  /** True if clamd refuses a file of this many bytes; false if it accepts the length or does not answer at all. */
  refusesLength(bytes: number): Effect.Effect<boolean>
}

/**
 * A malware scanner that uses ClamAV's daemon with the command INSTREAM (clamd(8), "COMMANDS"). It sends the file as
 * one chunk after its length, then a chunk of length 0. Every answer is a failure except `stream: OK`, `stream: <name>
 * FOUND` and the refusal of a file above clamd's limit, so that no file is stored without a verdict. Throws a
 * `TypeError` if the address is invalid.
 */
export const ClamAvScanner = ({ timeoutMs = TIMEOUT_MS, url }: ClamAvOptions): ClamAv => {
  const place = clamAvPlace(url)
  if (place === undefined) throw new TypeError("The address of clamd is not like tcp://host:3310 or unix:/path.")
  const refusesLength = (bytes: number) =>
    ask(place, Math.min(timeoutMs, LENGTH_MS), [command("INSTREAM"), lengthOf(bytes)]).pipe(
      Effect.match({ onFailure: () => false, onSuccess: ({ text }) => TOO_LARGE.test(text) })
    )
  return {
    scan: Effect.fn("ClamAvScanner.scan")(function* (bytes) {
      const { byteLength } = bytes
      const file = byteLength === 0 ? [] : [lengthOf(byteLength), bytes]
      const answer = yield* ask(place, timeoutMs, [command("INSTREAM"), ...file, lengthOf(0)]).pipe(
        Effect.catchTag("ScannerUnavailable", (failure) =>
          // clamd closes the connection after it has refused a length. Its answer may be lost while the file is still
          // being sent, so the length is sent once more, alone.
          failure.reason === "unreachable"
            ? Effect.flatMap(refusesLength(byteLength), (refuses) =>
                refuses ? Effect.succeed(undefined) : Effect.fail(failure)
              )
            : Effect.fail(failure)
        )
      )
      if (answer === undefined || TOO_LARGE.test(answer.text)) return "too-large"
      // If clamd answers before it has received the whole file, it has not checked the file.
      if (answer.text === "stream: OK" && answer.isToAll) return "clean"
      if (/^stream: .+ FOUND$/.test(answer.text)) return "infected"
      return yield* unavailable("refused")
    }),
    refusesLength,
    ping: Effect.flatMap(ask(place, timeoutMs, [command("PING")]), ({ text }) =>
      text === "PONG" ? Effect.void : Effect.fail(unavailable("refused"))
    )
  }
}
