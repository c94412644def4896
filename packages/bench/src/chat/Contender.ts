import { createHmac } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ServerProcess } from "./ServerProcess.ts"

/** A server with the route `POST /api/chat` that is measured. */
export interface Contender extends AsyncDisposable {
  readonly name: string
  readonly server: ServerProcess
  /** The URL of the server's database; undefined if it has none. */
  readonly databaseUrl: string | undefined
  /** Returns the request headers that identify a user. */
  headersOf(user: string): Readonly<Record<string, string>>
}

/** The users of the measurements; each has enough credits. */
export const USERS = Array.from({ length: 64 }, (_, index) => `user-${index + 1}`)

const here = (path: string) => new URL(path, import.meta.url)

export const startBare = async (vendorUrl: string): Promise<Contender> => {
  const server = await ServerProcess.start(here("bareServer.ts"), [], {
    NODE_ENV: "production",
    OPENAI_BASE_URL: `${vendorUrl}/v1`
  })
  return {
    name: "(a) bare handler",
    server,
    databaseUrl: undefined,
    headersOf: () => ({}),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]()
  }
}

export const startUsual = async (vendorUrl: string, databaseUrl: string): Promise<Contender> => {
  const server = await ServerProcess.start(here("usualServer.ts"), [], {
    NODE_ENV: "production",
    OPENAI_BASE_URL: `${vendorUrl}/v1`,
    DATABASE_URL: databaseUrl
  })
  return {
    name: "(b) usual handler",
    server,
    databaseUrl,
    headersOf: (user) => ({ "x-user": user }),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]()
  }
}

const base64url = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url")

/** The issuer and the audience of session tokens. */
export const BENCH = "bench"

/** Returns a session token (RFC 7519, HS256) that is valid for an hour. */
export const sessionToken = (secret: string, user: string): string => {
  const now = Math.floor(Date.now() / 1000)
  const claims = { iss: BENCH, aud: BENCH, sub: user, iat: now, exp: now + 3600 }
  const signed = `${base64url({ alg: "HS256", typ: "JWT" })}.${base64url(claims)}`
  return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`
}

/**
 * The settings of Parley for the measurements: users have enough credits, and may disconnect as often as necessary,
 * because these users disconnect before the first words of a reply.
 */
const rich = { tiers: { free: { monthlyCredits: 1_000_000_000, abandonedTriesPerMinute: 1_000_000 } } }

/**
 * Starts `parley serve` as in production, with OpenAI's adapter. `settings` is the content of the file that
 * `PARLEY_CONFIG` names, and `environment` contains further environment variables.
 */
export const startParley = async (
  vendorUrl: string,
  databaseUrl: string,
  settings: object = rich,
  environment: Readonly<Record<string, string>> = {}
): Promise<Contender> => {
  const folder = mkdtempSync(join(tmpdir(), "parley-bench-"))
  const config = join(folder, "config.json")
  writeFileSync(config, JSON.stringify(settings))
  const secret = createHmac("sha256", folder).update("bench").digest("hex")
  const server = await ServerProcess.start(here("../../../cli/src/main.ts"), ["serve"], {
    NODE_ENV: "production",
    LOG_LEVEL: "info",
    PORT: "0",
    PARLEY_DATA_DIR: folder,
    PARLEY_CONFIG: config,
    PARLEY_SESSION_SECRET: secret,
    PARLEY_SESSION_ISSUER: BENCH,
    PARLEY_SESSION_AUDIENCE: BENCH,
    OPENAI_API_KEY: "sk-bench",
    OPENAI_BASE_URL: `${vendorUrl}/v1`,
    DATABASE_URL: databaseUrl,
    ...environment
  })
  const cookies = new Map(USERS.map((user) => [user, `parley_session=${sessionToken(secret, user)}`]))
  return {
    name: "(c) parley",
    server,
    databaseUrl,
    headersOf: (user) => ({ cookie: cookies.get(user) ?? "" }),
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
