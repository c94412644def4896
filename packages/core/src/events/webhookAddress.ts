/** Returns true if a URL's host is this machine, by an unambiguous name or address. */
export const isThisMachine = (host: string): boolean =>
  host === "localhost" || host === "[::1]" || /^127(\.\d{1,3}){3}$/.test(host)

/** The problem of a webhook's address in words; undefined if it is valid. */
export const webhookUrlProblem = (address: unknown): string | undefined => {
  const url = typeof address === "string" ? URL.parse(address) : null
  if (url === null) return "expected an address that begins with https://"
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isThisMachine(url.hostname))) {
    return "expected an address that begins with https:// (http:// on this machine)"
  }
  if (url.username !== "" || url.password !== "") return "expected an address without a password in it"
  return undefined
}

/**
 * Networks that are not part of the internet, each with its first address and the length of its prefix in bits (IANA
 * special-purpose registries).
 */
const IPV4: ReadonlyArray<readonly [string, number]> = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3]
]

const ipv4Bits = (address: string): bigint | undefined => {
  const parts = address.split(".")
  if (parts.length !== 4 || parts.some((part) => !/^\d{1,3}$/.test(part) || Number(part) > 255)) return undefined
  return parts.reduce((bits, part) => (bits << 8n) | BigInt(part), 0n)
}

/** Returns an IPv6 address as one number; `::` represents all missing groups. */
const ipv6Bits = (address: string): bigint | undefined => {
  const [plain = ""] = address.replaceAll(/^\[|\]$/g, "").split("%")
  const tail = /^(.*:)([\d.]+)$/.exec(plain)
  const embedded = tail?.[2]?.includes(".") === true ? ipv4Bits(tail[2]) : undefined
  if (plain.includes(".") && embedded === undefined) return undefined
  const text =
    embedded === undefined
      ? plain
      : `${tail?.[1]}${(embedded >> 16n).toString(16)}:${(embedded & 0xffffn).toString(16)}`
  const halves = text.split("::")
  if (halves.length > 2) return undefined
  const [before = [], after = []] = halves.map((half) => (half === "" ? [] : half.split(":")))
  const missing = 8 - before.length - after.length
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined
  const groups = [...before, ...Array.from({ length: missing }, () => "0"), ...after]
  if (groups.some((group) => !/^[\da-f]{1,4}$/i.test(group))) return undefined
  return groups.reduce((bits, group) => (bits << 16n) | BigInt(`0x${group}`), 0n)
}

const isPrivateIpv4 = (bits: bigint): boolean =>
  IPV4.some(([first, length]) => bits >> BigInt(32 - length) === (ipv4Bits(first) ?? 0n) >> BigInt(32 - length))

const isPrivateIpv6 = (bits: bigint): boolean => {
  const low = bits & 0xffff_ffffn
  // IPv4 addresses that are mapped or translated to IPv6 (::ffff:0:0/96, 64:ff9b::/96), and 6to4 (2002::/16).
  if (bits >> 32n === 0xffffn || bits >> 32n === 0x64_ff9bn << 64n) return isPrivateIpv4(low)
  if (bits >> 112n === 0x2002n) return isPrivateIpv4((bits >> 80n) & 0xffff_ffffn)
  // Internet addresses are in 2000::/3. Within it, 2001::/23 is special, and 2001:db8::/32 and 3fff::/20 are for
  // documentation.
  if (bits >> 125n !== 1n) return true
  return bits >> 105n === 0x2001_0000n >> 9n || bits >> 96n === 0x2001_0db8n || bits >> 108n === 0x3fff0n
}

/**
 * Returns true if an IP address is not on the internet: on this machine, in a private or local network, or unassigned.
 * A text that is not an address counts as private.
 */
export const isPrivateAddress = (address: string): boolean => {
  const ipv4 = ipv4Bits(address)
  if (ipv4 !== undefined) return isPrivateIpv4(ipv4)
  const ipv6 = ipv6Bits(address)
  return ipv6 === undefined || isPrivateIpv6(ipv6)
}
