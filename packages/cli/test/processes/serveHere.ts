import { runParley } from "../../src/runParley.ts"
import { eventually } from "./ParleyProcess.ts"
import { urlIn } from "./RunningServer.ts"

/** A `parley serve` in the process of the tests. */
export interface ServerHere extends AsyncDisposable {
  readonly url: string
  /** What it has printed until now. */
  readonly said: { readonly stdout: string; readonly stderr: string }
  /** Asks it to stop as SIGTERM does; gives its exit code once it has ended. */
  stop(): Promise<number>
}

/**
 * Starts `parley serve` as `startServer` does, in the process of the tests: for what is about what a server says and does,
 * and not about its process, whose start takes longer than most tests. Fails with what it said where it does not listen.
 */
export const serveHere = async (
  folder: string,
  environment: Readonly<Record<string, string>> = {},
  options: ReadonlyArray<string> = []
): Promise<ServerHere> => {
  const said = { stdout: "", stderr: "" }
  const stopping = Promise.withResolvers<"SIGTERM">()
  const ended = runParley(["serve", ...options], {
    folder,
    environment: { PORT: "0", ...environment },
    stdout: (text) => void (said.stdout += text),
    stderr: (text) => void (said.stderr += text),
    stop: stopping.promise
  })
  const stop = () => {
    stopping.resolve("SIGTERM")
    return ended
  }
  const early = ended.then((exit) => {
    throw new Error(`The server ended with ${exit} before it listened: ${said.stderr}`)
  })
  early.catch(() => undefined)
  const url = await Promise.race([eventually("the server to listen", () => urlIn(said)), early])
  return { url, said, stop, [Symbol.asyncDispose]: async () => void (await stop()) }
}
