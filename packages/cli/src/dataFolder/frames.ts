import { createInterface } from "node:readline"
import type { Readable, Writable } from "node:stream"

/** The first frame of the owner of a data folder: its process, and whether it accepts commands. */
export interface Greeting {
  readonly pid: number
  readonly takesCommands: boolean
}

/** A command for the owner to run. */
export interface CommandRequest {
  readonly argv: ReadonlyArray<string>
  /** The sender's folder, from which relative paths start. */
  readonly folder?: string
  /** True if the sender's stderr is a terminal, on which a progress bar may be drawn. */
  readonly onTerminal?: boolean
}

/** True if a frame is a command: any process that can open the socket can write anything to it. */
export const isCommandRequest = (frame: unknown): frame is CommandRequest => {
  const argv = typeof frame === "object" && frame !== null && "argv" in frame ? frame.argv : undefined
  return Array.isArray(argv) && argv.every((word) => typeof word === "string")
}

/** The frames of a command's response: that it began, its output, and its exit code at the end. */
export type Answer =
  | { readonly began: true }
  | { readonly stdout: string }
  | { readonly stderr: string }
  | { readonly exit: number }

/** Writes one frame: a line of JSON. */
export const writeFrame = (stream: Writable, frame: Greeting | CommandRequest | Answer): void => {
  if (stream.writable) stream.write(`${JSON.stringify(frame)}\n`)
}

/** The frames received, until the stream ends, breaks, or has a line that is no frame. */
export async function* readFrames<Frame>(stream: Readable): AsyncGenerator<Frame> {
  const lines = createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY })
  // A stream that is destroyed does not end, and its reader would wait for ever.
  stream.once("close", () => lines.close())
  try {
    for await (const line of lines) yield JSON.parse(line) as Frame
  } catch {
    return
  } finally {
    lines.close()
  }
}
