import { Layer, Logger, type LogLevel, References } from "effect"
import { sentenceOf, withoutRepeats } from "./withoutRepeats.ts"

/**
 * The fields of a log line in addition to its sentence: names, codes, ids of people and counts; never secrets, prompts
 * or texts of vendors.
 */
export type LogFields = Readonly<Record<string, unknown>>

/**
 * Receives log lines: a logger of pino, or an object with the same methods. Their parameters are the fields, followed
 * by the sentence.
 */
export interface ParleyLogger {
  debug(fields: LogFields, message: string): void
  info(fields: LogFields, message: string): void
  warn(fields: LogFields, message: string): void
  error(fields: LogFields, message: string): void
}

const methods: Readonly<Record<LogLevel.LogLevel, keyof ParleyLogger>> = {
  All: "debug",
  Trace: "debug",
  Debug: "debug",
  Info: "info",
  Warn: "warn",
  Error: "error",
  Fatal: "error",
  None: "debug"
}

/**
 * Sends all log lines to the caller's logger in place of the console; with `false`, they are dropped. The logger
 * filters by level itself. Repeated failures are counted (`withoutRepeats`). If the logger throws, only that line is
 * lost.
 */
export const loggerLayer = (logger: ParleyLogger | false): Layer.Layer<never> => {
  if (logger === false) return Logger.layer([])
  const handOn = Logger.make<unknown, void>(({ fiber, logLevel, message }) => {
    try {
      logger[methods[logLevel]]({ ...fiber.getRef(References.CurrentLogAnnotations) }, sentenceOf(message))
    } catch {
      // A failing logger must not make the work fail.
    }
  })
  return Layer.merge(Logger.layer([withoutRepeats(handOn)]), Layer.succeed(References.MinimumLogLevel, "Debug"))
}
