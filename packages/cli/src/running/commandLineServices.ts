import { Effect, FileSystem, Layer, Path, Sink, Stdio, Stream, Terminal } from "effect"
import type { Command } from "effect/cli"
import { ChildProcessSpawner } from "effect/process"

const never = Effect.die(new Error("No command of parley prompts, starts a program or reads a file it is given."))

/** The system services that `effect/cli` requires. Parley's commands use only the console among them. */
export const commandLineServices: Layer.Layer<Command.Environment> = Layer.mergeAll(
  FileSystem.layerNoop({}),
  Path.layer,
  Layer.succeed(
    Stdio.Stdio,
    Stdio.make({
      args: Effect.succeed([]),
      stdin: Stream.empty,
      stdout: () => Sink.drain,
      stderr: () => Sink.drain
    })
  ),
  Layer.succeed(
    Terminal.Terminal,
    Terminal.make({
      columns: Effect.succeed(process.stdout.columns ?? 80),
      rows: Effect.succeed(process.stdout.rows ?? 24),
      size: never,
      readInput: never,
      readLine: never,
      display: (text) => Effect.sync(() => void process.stdout.write(text))
    })
  ),
  Layer.succeed(
    ChildProcessSpawner.ChildProcessSpawner,
    ChildProcessSpawner.make(() => never)
  )
)
