import { runParley } from "../../src/runParley.ts"
import type { Ended } from "./ParleyProcess.ts"

/**
 * Runs a command to its end like `runParley` of `ParleyProcess.ts`, but in the tests' process: for tests of a
 * command's output and effect. A process takes longer to start than most commands to run.
 */
export const runHere = async (
  argv: ReadonlyArray<string>,
  folder: string,
  environment: Readonly<Record<string, string>> = {}
): Promise<Ended> => {
  const said = { stdout: "", stderr: "" }
  const exit = await runParley(argv, {
    folder,
    environment,
    stdout: (text) => void (said.stdout += text),
    stderr: (text) => void (said.stderr += text)
  })
  return { exit, signal: null, ...said }
}
