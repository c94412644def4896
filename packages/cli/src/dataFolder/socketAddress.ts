import { join } from "node:path"

/** The file name of the socket in the data folder. */
const SOCKET_NAME = "parley.sock"

/**
 * The longest path of a Unix socket in bytes (`sun_path` without its closing NUL): 107 on Linux, 103 on the BSDs and
 * macOS.
 */
const PATH_BYTES = process.platform === "linux" ? 107 : 103

/**
 * Calls `use` with an address of the socket in `folder`. If the path is too long for a socket, `use` gets the bare file
 * name, and the folder is the process's working folder during the call; so `use` must bind or connect before it
 * returns.
 */
export const withSocketAddress = <A>(folder: string, use: (address: string) => A): A => {
  const path = join(folder, SOCKET_NAME)
  if (Buffer.byteLength(path) <= PATH_BYTES) return use(path)
  const before = process.cwd()
  process.chdir(folder)
  try {
    return use(SOCKET_NAME)
  } finally {
    process.chdir(before)
  }
}
