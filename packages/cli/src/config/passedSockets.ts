import type { EnvironmentReader } from "./EnvironmentReader.ts"

/** The descriptor of the first socket that systemd passes (sd_listen_fds(3)). */
export const PASSED_SOCKET = 3

/** The number of sockets that systemd passes to this process; undefined if it passes none. */
export const passedSockets = (read: EnvironmentReader): number | undefined => {
  const [pid, count] = [read.text("LISTEN_PID"), read.text("LISTEN_FDS")]
  return pid === String(process.pid) && count !== undefined ? Number(count) : undefined
}

/** Removes the variables that describe the passed sockets, so that child processes of this one do not read them. */
export const forgetPassedSockets = (): void => {
  for (const name of ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"]) delete process.env[name]
}
