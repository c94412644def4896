/** The values of `LOG_LEVEL` at which information is logged. */
const TALKATIVE = ["", "trace", "debug", "info"]

/** The commands that start a process which keeps running. */
const STARTING = ["serve", "serve --no-work", "work"]

/**
 * The first line that a server or worker prints on stderr, before slow modules are loaded, so that the screen is not
 * empty meanwhile: a sentence, or in production a line of the JSON log. Undefined for other commands, and if the log
 * level hides information.
 */
export const firstLine = (
  argv: ReadonlyArray<string>,
  environment: Readonly<Record<string, string | undefined>>,
  now: Date
): string | undefined => {
  const level = environment["LOG_LEVEL"]?.trim().toLowerCase() ?? ""
  if (!STARTING.includes(argv.join(" ")) || !TALKATIVE.includes(level)) return undefined
  const message = "Parley is starting."
  if (environment["NODE_ENV"]?.trim() !== "production") return `${message} The first start takes the longest.`
  const timestamp = now.toISOString()
  return JSON.stringify({ message, level: "INFO", timestamp, annotations: {}, spans: {}, fiberId: "#0" })
}

/**
 * True if these arguments start a server on the embedded database, as far as that is known before the configuration is
 * checked.
 */
export const servesEmbedded = (
  argv: ReadonlyArray<string>,
  environment: Readonly<Record<string, string | undefined>>
): boolean => argv.join(" ") === "serve" && !environment["DATABASE_URL"]?.trim()
