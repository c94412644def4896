/** Matches a site such as `https://*.example.com:8443`: scheme, `*.` for subdomains, host and port. */
const SITE = /^(https?):\/\/(\*\.)?([^:/]+)(?::(\d+))?$/
const PORTS: Readonly<Record<string, string>> = { http: "80", https: "443" }

/**
 * Returns true if a page of this origin may show a bot with these sites, by the rules of `frame-ancestors` (CSP level
 * 3, 6.7.2.6): every origin if there are no sites; a site with http also allows https.
 */
export const isAllowedSite = (sites: ReadonlyArray<string>, origin: string): boolean => {
  const { hostname, port, protocol } = new URL(origin)
  const scheme = protocol.slice(0, -1)
  const actual = port || PORTS[scheme]
  const isNamed = (site: string): boolean => {
    const [, named = "", wild, host = "", written] = SITE.exec(site) ?? []
    if (scheme !== named && !(named === "http" && scheme === "https")) return false
    const expected = written ?? PORTS[named]
    if (expected !== actual && !(expected === "80" && actual === "443")) return false
    return wild === undefined ? hostname === host : hostname.endsWith(`.${host}`)
  }
  return sites.length === 0 || sites.some(isNamed)
}
