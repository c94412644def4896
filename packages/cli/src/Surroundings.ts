import { Console as NodeConsole } from "node:console"
import { Writable } from "node:stream"
import { Console, Context, Layer } from "effect"
import type { Environment } from "./config/EnvironmentReader.ts"
import { readEnvironmentFile } from "./config/environmentFile.ts"

/** What a command line finds around it. */
export interface SurroundingParts {
  /** Where relative paths start. */
  readonly folder: string
  /** The environment, and what is wrong with how it was put together. */
  readEnvironment(): { readonly environment: Environment; readonly problems: ReadonlyArray<string> }
  /** Receives what is printed, as it comes. */
  stdout(text: string): void
  stderr(text: string): void
}

/** The surroundings of a command line: those of this process, with its `.env` file, unless others are given. */
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

/** A console that passes on what is printed, instead of printing it. */
export const consoleTo = ({ stderr, stdout }: Pick<SurroundingParts, "stderr" | "stdout">): Console.Console =>
  new NodeConsole({ stdout: writer(stdout), stderr: writer(stderr) })

/** Surroundings of its own for a command line that runs inside another program. */
export interface GivenSurroundings extends Pick<SurroundingParts, "folder" | "stderr" | "stdout"> {
  readonly environment: Environment
  /** Resolves with the signal that ends it in order, as one of the process would; it hears none unless given. */
  readonly stop?: Promise<"SIGINT" | "SIGTERM">
}

/** The surroundings given, and a console that prints into them. */
export const surroundingsLayer = ({ environment, ...parts }: GivenSurroundings): Layer.Layer<never> =>
  Layer.mergeAll(
    Layer.succeed(Surroundings, { ...parts, readEnvironment: () => ({ environment, problems: [] }) }),
    Layer.succeed(Console.Console, consoleTo(parts))
  )
