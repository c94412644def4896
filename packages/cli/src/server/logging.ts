import { withoutRepeats } from "@parley/core/adapter"
import { Layer, Logger, type LogLevel, References } from "effect"
import type { ParleyConfig } from "../config/readConfig.ts"

const levels: Record<ParleyConfig["logLevel"], LogLevel.LogLevel> = {
  trace: "Trace",
  debug: "Debug",
  info: "Info",
  warn: "Warn",
  error: "Error",
  fatal: "Fatal",
  none: "None"
}

/**
 * Logs on stderr: lines of JSON in production, text for people elsewhere. Repeated failures are counted, not repeated.
 */
export const loggingLayer = ({ logLevel, production }: ParleyConfig): Layer.Layer<never> =>
  Layer.mergeAll(
    Logger.layer([
      withoutRepeats(
        production ? Logger.withConsoleError(Logger.formatJson) : Logger.consolePretty({ colors: process.stderr.isTTY })
      )
    ]),
    Layer.succeed(Logger.LogToStderr, true),
    Layer.succeed(References.MinimumLogLevel, levels[logLevel])
  )
