import { once } from "node:events"
import { connect, createServer, type AddressInfo } from "node:net"

/** A port of this machine on which no program listens. */
export const openPort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, "close")
  return port
}

/** True if a program listens on a port of this machine. */
export const listens = async (port: number): Promise<boolean> => {
  const socket = connect(port, "127.0.0.1")
  try {
    await once(socket, "connect")
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
