/** Levels of LOG_LEVEL that let a line of information through. */
const TALKATIVE = ["", "trace", "debug", "info"]

/** Command lines that start a process which stays. */
const STARTING = ["serve", "serve --no-work", "work"]

/**
 * The first line of a server or worker on stderr, before slow modules are loaded, so that the screen does not stay
 * empty: a sentence, in production a line of the JSON log. Undefined for other commands, and if the log level hides
 * information.
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
 * True if these words start a server on the embedded database, as far as it is known before the configuration is
 * checked.
 */
export const servesEmbedded = (
  argv: ReadonlyArray<string>,
  environment: Readonly<Record<string, string | undefined>>
): boolean => argv.join(" ") === "serve" && !environment["DATABASE_URL"]?.trim()
