/** The meanings of `parley`'s exit codes. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  configuration: 3,
  notFound: 4,
  refused: 5,
  /** `EX_UNAVAILABLE` of sysexits.h: a service that Parley depends on does not answer. */
  unavailable: 69
} as const
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** The exit code of a process that a signal ended, as shells report it: 128 plus the signal's number. */
export const exitCodeOfSignal = (signal: "SIGINT" | "SIGTERM"): number => (signal === "SIGINT" ? 130 : 143)
