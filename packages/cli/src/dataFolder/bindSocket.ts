import { renameSync, rmSync } from "node:fs"
import type { Server } from "node:net"
import { join } from "node:path"
import { connectToOwner } from "./commandClient.ts"
import type { Greeting } from "./frames.ts"
import { SOCKET_NAME, withSocketAddress } from "./socketAddress.ts"

/** Either the socket is ours, or its owner lives. */
export type Bound =
  | { readonly _tag: "Bound" }
  | { readonly _tag: "Owned"; readonly owner: Greeting | undefined }
  | { readonly _tag: "Stale" }

/** Binding creates the file or fails, so that of many processes one succeeds. Mode 0600 from the first moment. */
const listen = (server: Server, folder: string): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException) => (error.code === "EADDRINUSE" ? resolve(false) : reject(error))
    server.once("error", failed)
    const mask = process.umask(0o177)
    try {
      withSocketAddress(folder, (address) =>
        server.listen(address, () => {
          server.off("error", failed)
          resolve(true)
        })
      )
    } finally {
      process.umask(mask)
    }
  })

const pause = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds))

/** Says who answers at the socket called `name`. */
const whoAnswers = async (folder: string, name?: string): Promise<Bound> => {
  const connection = await connectToOwner(folder, name)
  connection?.socket.destroy()
  return connection === undefined ? { _tag: "Stale" } : { _tag: "Owned", owner: connection.greeting }
}

/**
 * Removes a socket nobody answers at. It is moved aside first and asked once more there: should a new owner have bound
 * it in between, it is moved back.
 */
const removeStale = async (folder: string): Promise<Bound> => {
  const aside = `stale-${process.pid}.sock`
  try {
    renameSync(join(folder, SOCKET_NAME), join(folder, aside))
  } catch {
    return { _tag: "Stale" }
  }
  const found = await whoAnswers(folder, aside)
  if (found._tag === "Owned") renameSync(join(folder, aside), join(folder, SOCKET_NAME))
  else rmSync(join(folder, aside), { force: true })
  return found
}

/** One try to make the socket in `folder` the server's. `Stale` tells that a dead one was removed: try again. */
export const bindSocket = async (server: Server, folder: string): Promise<Bound> => {
  if (await listen(server, folder)) return { _tag: "Bound" }
  const first = await whoAnswers(folder)
  if (first._tag === "Owned") return first
  // A process that has bound and does not listen yet looks dead for an instant.
  await pause(50)
  const second = await whoAnswers(folder)
  return second._tag === "Owned" ? second : await removeStale(folder)
}
