/** The common name of all callers with an unknown address: together they have the limits of one address. */
export const UNKNOWN_ADDRESS = "unknown"

const OCTET = /^(?:0|[1-9]\d{0,2})$/
const GROUP = /^[\da-f]{1,4}$/

/**
 * Prefixes of 96 bits after which the last 32 bits are an IPv4 address: IPv4-mapped (RFC 4291), translated (RFC 6052,
 * RFC 2765).
 */
const IPV4_PREFIXES = [
  [0, 0, 0, 0, 0, 0xffff],
  [0x64, 0xff9b, 0, 0, 0, 0],
  [0, 0, 0, 0, 0xffff, 0]
]

const octetsOf = (text: string): ReadonlyArray<number> | undefined => {
  const parts = text.split(".")
  const octets = parts.map(Number)
  return parts.length === 4 && parts.every((part) => OCTET.test(part)) && octets.every((octet) => octet <= 255)
    ? octets
    : undefined
}

/** The groups on one side of `::`; the last group may be an IPv4 address. */
const groupsOf = (text: string): ReadonlyArray<number> | undefined => {
  if (text === "") return []
  const groups: Array<number> = []
  const parts = text.split(":")
  for (const [index, part] of parts.entries()) {
    const octets = index === parts.length - 1 ? octetsOf(part) : undefined
    if (octets !== undefined) {
      const [a = 0, b = 0, c = 0, d = 0] = octets
      groups.push(a * 256 + b, c * 256 + d)
    } else if (GROUP.test(part)) groups.push(Number.parseInt(part, 16))
    else return undefined
  }
  return groups
}

/** The eight groups of an IPv6 address in any of its text forms (RFC 4291, 2.2); undefined for any other text. */
const ipv6GroupsOf = (text: string): ReadonlyArray<number> | undefined => {
  const sides = text.split("::")
  const [left, right] = sides.map(groupsOf)
  if (left === undefined || sides.length > 2) return undefined
  if (sides.length === 1) return left.length === 8 ? left : undefined
  // An IPv4 address can only be at the end of the whole address, and not before "::".
  if (right === undefined || left.length + right.length > 7 || sides[0]?.includes(".") === true) return undefined
  return [...left, ...Array.from({ length: 8 - left.length - right.length }, () => 0), ...right]
}

const ipv4In = (groups: ReadonlyArray<number>): string | undefined => {
  const isPrefixed = IPV4_PREFIXES.some((prefix) => prefix.every((group, index) => groups[index] === group))
  if (!isPrefixed) return undefined
  return groups
    .slice(6)
    .flatMap((group) => [group >> 8, group & 255])
    .join(".")
}

/** Removes additions of some proxies: brackets, a port, a zone (RFC 7239, 6; RFC 4007, 11). */
const withoutAdditions = (text: string): string => {
  const bracketed = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text)?.[1]
  const withPort = /^([\d.]+):\d{1,5}$/.exec(text)?.[1]
  return (bracketed ?? withPort ?? text).replace(/%[^%]*$/, "")
}

/**
 * Returns the name under which calls from an address are counted: an IPv4 address in one form, or the first 64 bits of
 * an IPv6 address, because one subscriber has at least all addresses with the same 64 bits (RFC 6177). Any other text,
 * and an unknown address, becomes `UNKNOWN_ADDRESS`, so that no client can create counts with texts of its choice.
 */
export const addressBucket = (address: string | undefined): string => {
  const text = withoutAdditions((address ?? "").trim().toLowerCase())
  if (octetsOf(text) !== undefined) return text
  const groups = ipv6GroupsOf(text)
  if (groups === undefined) return UNKNOWN_ADDRESS
  return (
    ipv4In(groups) ??
    `${groups
      .slice(0, 4)
      .map((group) => group.toString(16))
      .join(":")}::/64`
  )
}

/**
 * Returns an address for logs: whole, without additions of proxies. Any other text becomes `UNKNOWN_ADDRESS`, so that
 * no client can write texts of its choice into a log.
 */
export const bareAddress = (address: string | undefined): string =>
  addressBucket(address) === UNKNOWN_ADDRESS ? UNKNOWN_ADDRESS : withoutAdditions((address ?? "").trim().toLowerCase())
