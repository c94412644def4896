import { Layer, Logger, type LogLevel, References } from "effect"
import { sentenceOf, withoutRepeats } from "./withoutRepeats.ts"

/** What belongs to a log line beside its sentence: names, codes, ids of people and counts; no secrets, prompts or vendor text. */
export type LogFields = Readonly<Record<string, unknown>>

/** Takes log lines: a logger of pino, or of what is called as it is. Their order is fields, then the sentence. */
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
 * Has everything logged through the caller's logger, or nothing with false, in the place of the console. The level is its
 * own to filter by. Failures that repeat are counted (`withoutRepeats`). One that throws loses the line, and nothing else.
 */
export const loggerLayer = (logger: ParleyLogger | false): Layer.Layer<never> => {
  if (logger === false) return Logger.layer([])
  const handOn = Logger.make<unknown, void>(({ fiber, logLevel, message }) => {
    try {
      logger[methods[logLevel]]({ ...fiber.getRef(References.CurrentLogAnnotations) }, sentenceOf(message))
    } catch {
      // A log is no reason to fail.
    }
  })
  return Layer.merge(Logger.layer([withoutRepeats(handOn)]), Layer.succeed(References.MinimumLogLevel, "Debug"))
}
