import { Console as NodeConsole } from "node:console"
import { Writable } from "node:stream"
import { Console, Context, Layer } from "effect"
import type { Environment } from "./config/EnvironmentReader.ts"
import { readEnvironmentFile } from "./config/environmentFile.ts"

/** The environment of a command line. */
export interface SurroundingParts {
  /** The folder that relative paths start from. */
  readonly folder: string
  /** Reads the environment, and its problems. */
  readEnvironment(): { readonly environment: Environment; readonly problems: ReadonlyArray<string> }
  /** Receives the output as it is printed. */
  stdout(text: string): void
  stderr(text: string): void
}

/** The surroundings of a command line: by default those of this process, with its `.env` file. */
export class Surroundings extends Context.Reference<SurroundingParts>("@parley/cli/Surroundings", {
  defaultValue: () => ({
    get folder() {
      return process.cwd()
    },
    readEnvironment: () => {
      const problems = readEnvironmentFile()
      return { environment: process.env, problems }
    },
    stdout: (text) => void process.stdout.write(text),
    stderr: (text) => void process.stderr.write(text)
  })
}) {}

const writer = (write: (text: string) => void): Writable =>
  new Writable({
    decodeStrings: false,
    write: (chunk: string, _encoding, done) => {
      write(chunk)
      done()
    }
  })

/** A console that passes its output on instead of printing it. */
export const consoleTo = ({ stderr, stdout }: Pick<SurroundingParts, "stderr" | "stdout">): Console.Console =>
  new NodeConsole({ stdout: writer(stdout), stderr: writer(stderr) })

/** The surroundings of a command line that runs inside another program. */
export interface GivenSurroundings extends Pick<SurroundingParts, "folder" | "stderr" | "stdout"> {
  readonly environment: Environment
  /** Resolves with the signal that stops it in order, as a signal to the process would; default: none. */
  readonly stop?: Promise<"SIGINT" | "SIGTERM">
}

/** A layer of the given surroundings, with a console that prints into them. */
export const surroundingsLayer = ({ environment, ...parts }: GivenSurroundings): Layer.Layer<never> =>
  Layer.mergeAll(
    Layer.succeed(Surroundings, { ...parts, readEnvironment: () => ({ environment, problems: [] }) }),
    Layer.succeed(Console.Console, consoleTo(parts))
  )
