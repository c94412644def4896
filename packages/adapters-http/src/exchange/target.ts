/** The target of a request. */
export interface Target {
  /** Still encoded. */
  readonly path: string
  /** Without its question mark. */
  readonly query: string
}

/** Takes the target of a request line (RFC 9112, 3.2): a path with a query, or a whole address as a proxy is sent. */
export const targetOf = (sent: string): Target => {
  const target = sent.startsWith("/") ? sent : pathOf(sent)
  const mark = target.indexOf("?")
  return mark < 0 ? { path: target, query: "" } : { path: target.slice(0, mark), query: target.slice(mark + 1) }
}

const pathOf = (address: string): string => {
  const url = URL.parse(address)
  return url === null ? "" : url.pathname + url.search
}

/** Normalises a configured mount prefix: removes a trailing slash. Throws if it is not an absolute path. */
export const prefixFrom = (configured: string | undefined): string => {
  const prefix = (configured ?? "").replace(/\/+$/, "")
  if (prefix !== "" && !/^(?:\/[\w.~!$&'()*+,=:@%-]+)+$/.test(prefix)) {
    throw new TypeError(`The prefix ${JSON.stringify(configured)} is not a path like "/api-root".`)
  }
  return prefix
}

/** A target below a prefix, without it; undefined if it is not below. */
export const below = ({ path, query }: Target, prefix: string): Target | undefined => {
  if (prefix === "") return { path, query }
  if (!path.startsWith(prefix)) return undefined
  const rest = path.slice(prefix.length)
  return rest === "" || rest.startsWith("/") ? { path: rest === "" ? "/" : rest, query } : undefined
}
