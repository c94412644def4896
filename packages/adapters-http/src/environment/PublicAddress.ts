import { Context } from "effect"

/** The address that people use. */
export class PublicAddress extends Context.Service<
  PublicAddress,
  {
    /** Undefined if it is not configured. */
    readonly url: URL | undefined
  }
>()("@parley/adapters-http/environment/PublicAddress") {}

/**
 * The path under which people see the routes, empty for the root: the path of the base URL if it has one, even if a
 * proxy changes it; otherwise the mount prefix.
 */
export const publicPathOf = ({ url }: PublicAddress["Service"], prefix: string): string => {
  const path = url?.pathname.replace(/\/+$/, "") ?? ""
  return path === "" ? prefix : path
}

/** The address under which people see the routes, as far as it is known; undefined otherwise. */
export const publicAddressOf = (address: PublicAddress["Service"], prefix: string): string | undefined => {
  const path = publicPathOf(address, prefix)
  if (address.url !== undefined) return address.url.origin + path
  return path === "" ? undefined : path
}
