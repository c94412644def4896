import { connect, type Socket } from "node:net"
import { type Answer, type CommandRequest, type Greeting, readFrames, writeFrame } from "./frames.ts"
import { withSocketAddress } from "./socketAddress.ts"

/** Longest wait for the greeting of a live owner. */
const GREETING_MS = 5_000

/** A connection to the process that owns a data folder. */
export interface OwnerConnection {
  readonly socket: Socket
  /** The owner's first message; undefined if the owner accepts the connection but does not answer. */
  readonly greeting: Greeting | undefined
  readonly answers: AsyncGenerator<Answer>
}

const connected = (folder: string): Promise<Socket | undefined> =>
  new Promise((resolve) => {
    const socket = withSocketAddress(folder, (address) => connect(address))
    socket.on("error", () => resolve(undefined))
    socket.once("connect", () => resolve(socket))
  })

/** Connects to the process that owns `folder`; returns undefined if no live process owns it. */
export const connectToOwner = async (folder: string): Promise<OwnerConnection | undefined> => {
  const socket = await connected(folder).catch(() => undefined)
  if (socket === undefined) return undefined
  socket.setTimeout(GREETING_MS, () => socket.destroy())
  const frames = readFrames<Greeting | Answer>(socket)
  const first = await frames.next()
  socket.setTimeout(0)
  return {
    socket,
    greeting: first.done === true ? undefined : (first.value as Greeting),
    answers: frames as AsyncGenerator<Answer>
  }
}

/**
 * Returns the greeting of the process that owns `folder`; undefined if no live process owns it, or if the owner does
 * not answer.
 */
export const greetingOf = async (folder: string): Promise<Greeting | undefined> => {
  const connection = await connectToOwner(folder)
  connection?.socket.destroy()
  return connection?.greeting
}

/** Receives the output of a command that the owner runs. */
export interface CommandOutput {
  stdout(text: string): void
  stderr(text: string): void
}

/**
 * The outcome of a sent command: it ran; it did not begin, so it may be sent again; or the connection broke after it
 * began, so that its result is unknown.
 */
export type CommandOutcome =
  | { readonly _tag: "Ran"; readonly exit: number }
  | { readonly _tag: "NotBegun" }
  | { readonly _tag: "Lost" }

/**
 * Sends a command to the owner, which runs it. If the caller aborts, the connection closes, and the owner interrupts
 * the command.
 */
export const sendCommand = async (
  { answers, socket }: OwnerConnection,
  command: CommandRequest,
  output: CommandOutput,
  signal: AbortSignal
): Promise<CommandOutcome> => {
  const leave = () => socket.destroy()
  signal.addEventListener("abort", leave, { once: true })
  if (signal.aborted) leave()
  let began = false
  try {
    writeFrame(socket, command)
    for await (const answer of answers) {
      began = true
      if ("stdout" in answer) output.stdout(answer.stdout)
      else if ("stderr" in answer) output.stderr(answer.stderr)
      else if ("exit" in answer) return { _tag: "Ran", exit: answer.exit }
    }
    return began ? { _tag: "Lost" } : { _tag: "NotBegun" }
  } finally {
    signal.removeEventListener("abort", leave)
    leave()
  }
}
