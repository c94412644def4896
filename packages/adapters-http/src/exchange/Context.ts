import type { Server } from "../server/Server.ts"
import type { Request } from "./Request.ts"

/** A request, and the server that answers it. */
export interface Context {
  readonly request: Request
  readonly server: Server
}

/**
 * The path under which people see the routes, empty for the root: the path of the base URL if it has one, even if a
 * proxy changes it; otherwise the mount prefix.
 */
export const publicPathOf = ({ request: { prefix }, server: { address } }: Context): string => {
  const path = address?.pathname.replace(/\/+$/, "") ?? ""
  return path === "" ? prefix : path
}
