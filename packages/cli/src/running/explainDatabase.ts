/** A problem of a database, and its remedy. Neither contains a value of the configuration. */
export interface DatabaseTrouble {
  readonly detail: string
  readonly advice: string
}

interface Failure {
  readonly code?: unknown
  readonly sqlState?: unknown
  readonly tls?: unknown
  readonly cause?: unknown
  readonly errors?: ReadonlyArray<unknown>
}

/**
 * The system's or Postgres's code of a failed connection or statement, found along the causes: a code names the
 * problem and contains no data.
 */
export const storageCode = (error: unknown): string | undefined => {
  let current = error as Failure | undefined
  for (let depth = 0; depth < 6 && typeof current === "object" && current !== null; depth += 1) {
    if (typeof current.sqlState === "string") return current.sqlState
    const inner = current.cause ?? current.errors?.[0]
    if (inner === undefined) return typeof current.code === "string" ? current.code : undefined
    current = inner as Failure
  }
  return undefined
}

const RIGHTS =
  "Let its administrator run: GRANT CREATE ON DATABASE ... TO ...; CREATE ROLE parley_user; CREATE ROLE parley_service; GRANT parley_user, parley_service TO ... (the login of DATABASE_URL)."
const ADDRESS = "Check the host and port of DATABASE_URL, and that the database runs there."

const troubles: Readonly<Record<string, DatabaseTrouble>> = {
  ECONNREFUSED: { detail: "no server listens at its address", advice: ADDRESS },
  ENOTFOUND: { detail: "its host is not known", advice: ADDRESS },
  EAI_AGAIN: { detail: "its host cannot be looked up", advice: ADDRESS },
  ENOENT: {
    detail: "a file that DATABASE_URL names does not exist: sslrootcert, sslcert, sslkey or a socket",
    advice: "Correct its path; a relative one starts at the folder in which the program runs."
  },
  ETIMEDOUT: { detail: "its address does not answer", advice: ADDRESS },
  EHOSTUNREACH: { detail: "there is no way to its address", advice: ADDRESS },
  ENETUNREACH: { detail: "there is no way to its address", advice: ADDRESS },
  "3D000": {
    detail: "the server has no database of the name in DATABASE_URL",
    advice: "Make it (CREATE DATABASE ...), or correct the name at the end of DATABASE_URL."
  },
  "28000": {
    detail: "the server does not let the login of DATABASE_URL in: no such role, or not from here or not without TLS",
    advice:
      'Create the role (CREATE ROLE ... LOGIN), or correct DATABASE_URL: "sslmode=verify-full" has it use TLS. The server\'s pg_hba.conf lists the allowed logins.'
  },
  "28P01": {
    detail: "the server refuses the password, or knows no such role",
    advice: "Correct the name and the password in DATABASE_URL."
  },
  "42501": { detail: "the login of DATABASE_URL lacks rights", advice: RIGHTS },
  "22023": {
    detail: "the roles parley_user and parley_service are missing, or the login of DATABASE_URL may not act as them",
    advice: 'Make them with "parley migrate".'
  },
  "42704": {
    detail: "a role or an extension is missing",
    advice: 'Make the roles with "parley migrate", and install pgvector on the server.'
  },
  "0A000": {
    detail: "the server lacks something, such as the extension pgvector, or is older than Postgres 17",
    advice: "Use a Postgres 17 with pgvector installed."
  },
  "58P01": {
    detail: "the server lacks an extension",
    advice: "Use a Postgres 17 with pgvector installed."
  },
  "53300": {
    detail: "the server takes no more connections",
    advice: "Raise its max_connections, or put a connection pooler in front."
  },
  "55000": {
    detail: "the server lets no one connect to the database",
    advice: "Let its administrator run: ALTER DATABASE ... ALLOW_CONNECTIONS true."
  },
  "57P03": { detail: "the server is starting or stopping", advice: "Try again in a moment." },
  "53100": { detail: "the server's disk is full", advice: "Make room on it." },
  XX001: {
    detail: "its files are damaged or cut off, as a failure of the machine can leave them",
    advice:
      'Restore from a backup into a new data folder: "PARLEY_DATA_DIR=... parley restore <file>". Before that, see that the disk is not full.'
  },
  "25006": {
    detail: "the server only reads at the moment",
    advice: "Is it a replica? DATABASE_URL must name the primary."
  }
}

/** Servers whose TLS was refused, before anything was sent to them. No remedy lowers the demand. */
const tlsTroubles: Readonly<Record<string, DatabaseTrouble>> = {
  "not-offered": {
    detail: "the server at its address offers no TLS, and DATABASE_URL requires it",
    advice:
      "Turn TLS on at the server (ssl = on), or correct the host and port. Keep sslmode: without it, everything is sent in the clear."
  },
  untrusted: {
    detail: "the certificate of the server is not signed by an authority that this machine trusts",
    advice:
      'Set "sslrootcert=<file>" in DATABASE_URL to the certificate of the authority, as its provider publishes it. If it is set, check the host: another server may have answered.'
  },
  "other-host": {
    detail: "the certificate of the server is for another host than that of DATABASE_URL",
    advice: "Use a name in the certificate as the host, or have a certificate issued for this host."
  },
  "out-of-date": {
    detail: "the certificate of the server has expired or is not valid yet",
    advice: "Renew it on the server, and check the clocks of both machines."
  }
}

const tlsTrouble = (error: unknown): DatabaseTrouble | undefined => {
  let current = error as Failure | undefined
  for (let depth = 0; depth < 6 && typeof current === "object" && current !== null; depth += 1) {
    if (typeof current.tls === "string") return tlsTroubles[current.tls]
    current = (current.cause ?? current.errors?.[0]) as Failure | undefined
  }
  return undefined
}

/** A connection to another database than that of the cell. */
const refusalOf = (error: unknown): string | undefined => {
  let current = error as { readonly code?: unknown; readonly message?: string; readonly cause?: unknown } | undefined
  for (let depth = 0; depth < 6 && typeof current === "object" && current !== null; depth += 1) {
    if (current.code === "cell_refused") return current.message
    current = current.cause as typeof current
  }
  return undefined
}

/** The cell whose database failed, if there are several. */
const cellOf = (error: unknown): string | undefined => {
  const { cell } = Object(error) as { readonly cell?: unknown }
  return typeof cell === "string" && cell !== "global" ? cell : undefined
}

const found = (error: unknown): DatabaseTrouble => {
  const refused = tlsTrouble(error)
  if (refused !== undefined) return refused
  const refusal = refusalOf(error)
  if (refusal !== undefined) return { detail: "it is not the database of the cell", advice: refusal }
  const code = storageCode(error)
  const known = code === undefined ? undefined : troubles[code]
  if (known !== undefined) return { ...known, detail: `${known.detail} (${code})` }
  return {
    detail: `it does not answer as it should${code === undefined ? "" : ` (${code})`}`,
    advice: "Check DATABASE_URL and that the database runs."
  }
}

/** The problem behind a failed connection or statement, and its remedy. */
export const databaseTrouble = (error: unknown): DatabaseTrouble => {
  const { advice, detail } = found(error)
  if (cellOf(error) === undefined) return { advice, detail }
  const ofCells = (text: string) => text.replaceAll("DATABASE_URL", "PARLEY_CELLS")
  return { advice: ofCells(advice), detail: ofCells(detail) }
}

/** The same as a sentence for people. */
export const explainDatabase = (error: unknown): string => {
  const { advice, detail } = databaseTrouble(error)
  const cell = cellOf(error)
  const what = cell === undefined ? "The database" : `The database of the cell ${cell}`
  return `${what} cannot be used: ${detail}. ${advice} Run "parley doctor" for details.`
}
