import { createInterface } from "node:readline"
import type { Readable, Writable } from "node:stream"

/** The first frame that the owner of a data folder sends: its process id, and if it accepts commands. */
export interface Greeting {
  readonly pid: number
  readonly takesCommands: boolean
}

/** A command that the owner is to run. */
export interface CommandRequest {
  readonly argv: ReadonlyArray<string>
  /** The folder of the sending process, in which relative paths begin. */
  readonly folder?: string
  /** True if the sender's stderr is a terminal, on which a progress bar may be drawn. */
  readonly onTerminal?: boolean
}

/**
 * True if a frame is a command. The frame is checked, because any process that can open the socket may write anything.
 */
export const isCommandRequest = (frame: unknown): frame is CommandRequest => {
  const argv = typeof frame === "object" && frame !== null && "argv" in frame ? frame.argv : undefined
  return Array.isArray(argv) && argv.every((word) => typeof word === "string")
}

/** The frames that answer a command: that it began, its output, and at the end its exit code. */
export type Answer =
  | { readonly began: true }
  | { readonly stdout: string }
  | { readonly stderr: string }
  | { readonly exit: number }

/** Writes one frame: a line of JSON. */
export const writeFrame = (stream: Writable, frame: Greeting | CommandRequest | Answer): void => {
  if (stream.writable) stream.write(`${JSON.stringify(frame)}\n`)
}

/** Reads frames until the stream ends or breaks, or until a line is not a frame. */
export async function* readFrames<Frame>(stream: Readable): AsyncGenerator<Frame> {
  const lines = createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY })
  // A destroyed stream emits no end, so the reader is closed here; otherwise it would wait for ever.
  stream.once("close", () => lines.close())
  try {
    for await (const line of lines) yield JSON.parse(line) as Frame
  } catch {
    return
  } finally {
    lines.close()
  }
}
