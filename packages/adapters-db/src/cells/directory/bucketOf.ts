import { hash } from "node:crypto"

/** The number of buckets: an owner's is the first 12 bits of a digest. */
export const BUCKETS = 4096

/** The bucket of an owner: the first 12 bits of the SHA-256 of the id in UTF-8. It never changes. */
export const bucketOf = (owner: string): number => {
  const digest = hash("sha256", owner, "buffer")
  return ((digest[0] ?? 0) << 4) | ((digest[1] ?? 0) >> 4)
}

/** The same in SQL, of the owner in an expression. */
export const bucketSql = (owner: string): string => {
  const digest = `sha256(convert_to(${owner}, 'UTF8'))`
  return `(get_byte(${digest}, 0) * 16 + get_byte(${digest}, 1) / 16)`
}
