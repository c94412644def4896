import { Layer, Logger, type LogLevel, References } from "effect"
import type { LogLevelName, ParleyConfig } from "../config/ParleyConfig.ts"

const levels: Record<LogLevelName, LogLevel.LogLevel> = {
  trace: "Trace",
  debug: "Debug",
  info: "Info",
  warn: "Warn",
  error: "Error",
  fatal: "Fatal",
  none: "None"
}

/** Logs on stderr: lines of JSON in production, text for people elsewhere. */
export const loggingLayer = ({ logLevel, production }: ParleyConfig): Layer.Layer<never> =>
  Layer.mergeAll(
    production
      ? Logger.layer([Logger.withConsoleError(Logger.formatJson)])
      : Logger.layer([Logger.consolePretty({ colors: process.stderr.isTTY })]),
    Layer.succeed(Logger.LogToStderr, true),
    Layer.succeed(References.MinimumLogLevel, levels[logLevel])
  )
