import { Console as NodeConsole } from "node:console"
import { Writable } from "node:stream"
import { Console, Context, Layer } from "effect"
import type { Environment } from "./config/EnvironmentReader.ts"
import { readEnvironmentFile } from "./config/environmentFile.ts"

/** The working folder, the environment variables and the output of a command line. */
export interface SurroundingParts {
  /** The folder in which relative paths begin. */
  readonly folder: string
  /** Reads the environment variables, and returns the problems found while reading them. */
  readEnvironment(): { readonly environment: Environment; readonly problems: ReadonlyArray<string> }
  /** Receives the output of the command as soon as it is printed. */
  stdout(text: string): void
  stderr(text: string): void
}

/** The surroundings in which a command line runs; by default those of this process, with its `.env` file. */
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

/** A console that passes its output to two functions instead of printing it. */
export const consoleTo = ({ stderr, stdout }: Pick<SurroundingParts, "stderr" | "stdout">): Console.Console =>
  new NodeConsole({ stdout: writer(stdout), stderr: writer(stderr) })

/** The surroundings of a command line that another program runs within its process. */
export interface GivenSurroundings extends Pick<SurroundingParts, "folder" | "stderr" | "stdout"> {
  readonly environment: Environment
  /** Resolves with the signal on which the command stops in order, as a process would; default: never. */
  readonly stop?: Promise<"SIGINT" | "SIGTERM">
}

/** A layer with the given surroundings, and with a console that prints into them. */
export const surroundingsLayer = ({ environment, ...parts }: GivenSurroundings): Layer.Layer<never> =>
  Layer.mergeAll(
    Layer.succeed(Surroundings, { ...parts, readEnvironment: () => ({ environment, problems: [] }) }),
    Layer.succeed(Console.Console, consoleTo(parts))
  )
