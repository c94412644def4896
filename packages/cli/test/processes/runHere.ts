import { runParley } from "../../src/runParley.ts"
import type { Ended } from "./ParleyProcess.ts"

/**
 * Runs a command to its end as `runParley` of `ParleyProcess.ts` does, in the process of the tests: for what is about
 * what commands say and do, and not about processes, whose start takes longer than most commands.
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
