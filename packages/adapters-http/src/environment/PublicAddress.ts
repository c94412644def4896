import { Context } from "effect"

/** Where people reach the server. */
export class PublicAddress extends Context.Service<
  PublicAddress,
  {
    /** Undefined where it is not configured. */
    readonly url: URL | undefined
  }
>()("@parley/adapters-http/environment/PublicAddress") {}

/**
 * The path under which people see the routes, empty for the root. A base URL with a path says it, whatever a proxy makes
 * of it on the way; else it is the mount prefix.
 */
export const publicPathOf = ({ url }: PublicAddress["Service"], prefix: string): string => {
  const path = url?.pathname.replace(/\/+$/, "") ?? ""
  return path === "" ? prefix : path
}

/** The address under which people see the routes, as far as it is known; undefined where nothing is. */
export const publicAddressOf = (address: PublicAddress["Service"], prefix: string): string | undefined => {
  const path = publicPathOf(address, prefix)
  if (address.url !== undefined) return address.url.origin + path
  return path === "" ? undefined : path
}
