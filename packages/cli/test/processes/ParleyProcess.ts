import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const NODE = fileURLToPath(new URL("../../../../node_modules/.bin/node", import.meta.url))
const MAIN = fileURLToPath(new URL("../../bin/parley.js", import.meta.url))

const SOURCES = ["--conditions=@parley/source", "--disable-warning=ExperimentalWarning"]

/** The surrounding environment must not influence a test. */
const BARE_ENVIRONMENT = { PATH: process.env["PATH"], NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] }

export interface Ended {
  readonly exit: number | null
  readonly signal: string | null
  readonly stdout: string
  readonly stderr: string
}

/** A temporary folder for one test, removed with its contents at the end. */
export const temporaryFolder = (): { readonly path: string } & Disposable => {
  const path = mkdtempSync(join(tmpdir(), "parley-test-"))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true, maxRetries: 5 }) }
}

/** A real `parley` process. Ended, at the latest, when it is disposed of. */
export class ParleyProcess implements AsyncDisposable {
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
  stdout = ""
  stderr = ""

  /**
   * `main` is the program; default: that of this repository, as `npm start` runs it. `options` are Node's: those of
   * sources unless given.
   */
  constructor(
    args: ReadonlyArray<string>,
    folder: string,
    environment: Readonly<Record<string, string>> = {},
    main = MAIN,
    options = SOURCES
  ) {
    this.child = spawn(NODE, [...options, main, ...args], {
      cwd: folder,
      env: { ...BARE_ENVIRONMENT, ...environment },
      stdio: ["ignore", "pipe", "pipe"]
    })
    this.child.stdout?.setEncoding("utf8").on("data", (text: string) => (this.stdout += text))
    this.child.stderr?.setEncoding("utf8").on("data", (text: string) => (this.stderr += text))
    // A test that ran out of time leaves none behind.
    const endWithTests = () => this.child.kill("SIGKILL")
    process.once("exit", endWithTests)
    this.ended = new Promise((resolve) =>
      this.child.once("close", (exit, signal) => {
        process.off("exit", endWithTests)
        resolve({ exit, signal, stdout: this.stdout, stderr: this.stderr })
      })
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill("SIGKILL")
    await this.ended
  }
}

/** Runs a command to its end. */
export const runParley = async (
  args: ReadonlyArray<string>,
  folder: string,
  environment?: Readonly<Record<string, string>>
): Promise<Ended> => {
  await using parley = new ParleyProcess(args, folder, environment)
  return await parley.ended
}

/** Polls until there is a result; fails with `what` after the deadline. */
export const eventually = async <A>(
  what: string,
  look: () => Promise<A | undefined> | A | undefined,
  deadlineMs = 90_000
): Promise<A> => {
  const deadline = performance.now() + deadlineMs
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    if (performance.now() > deadline) throw new Error(`Waited ${deadlineMs} ms in vain for ${what}.`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
