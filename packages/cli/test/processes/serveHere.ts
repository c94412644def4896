import { runParley } from "../../src/runParley.ts"
import { eventually } from "./ParleyProcess.ts"
import { urlIn } from "./RunningServer.ts"

/** A `parley serve` in the process of the tests. */
export interface ServerHere extends AsyncDisposable {
  readonly url: string
  /** Its output so far. */
  readonly said: { readonly stdout: string; readonly stderr: string }
  /** Stops it as SIGTERM does; returns its exit code when it has ended. */
  stop(): Promise<number>
}

/**
 * Starts `parley serve` like `startServer`, but in the tests' process: for tests of a server's output and effect. A
 * process takes longer to start than most tests to run. Fails with its output if it does not listen.
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
