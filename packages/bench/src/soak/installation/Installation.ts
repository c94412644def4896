import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type ListeningStandIn, listenStandIn, memoryStore, type StandInState } from "@parley/stripe-stand-in"
import { BENCH, sessionToken } from "../../chat/Contender.ts"
import { ModelVendor } from "./ModelVendor.ts"
import { OwnPostgres } from "./OwnPostgres.ts"
import { openPort, runCommand, SoakedProcess } from "./SoakedProcess.ts"

const SECRET = randomBytes(32).toString("base64")
/** The secret with which the payment provider's events are signed. */
export const WEBHOOK_SECRET = "whsec_of_the_soak"
const API_KEY = "sk_test_of_the_soak"
/** The id of the price of a pack of credits. */
export const PACK = "price_pack"
/** The credits of a pack. */
export const PACK_CREDITS = 700
const MANY = 1_000_000_000

/** The limits of this configuration refuse nothing, because every refusal counts as a failure. */
const config = {
  tiers: {
    free: {
      ...{ monthlyCredits: MANY, abandonedTriesPerMinute: MANY, maxDocuments: 100_000 },
      ...{ maxDocumentBytes: MANY * 1_000, maxChatBytes: MANY * 1_000 }
    }
  },
  models: { "model-a-mini": { creditsPer1kInput: 0, creditsPer1kCachedInput: 0, creditsPer1kOutput: 1_000 } },
  prices: { [PACK]: { topup: PACK_CREDITS } },
  widget: {
    ...{ perIpPerMinute: MANY, streamsPerIp: MANY, perConversationPerMinute: MANY, readsPerIpPerMinute: MANY },
    ...{ perBotPerMinute: MANY, streamsPerBot: MANY, ownerDailyCredits: MANY, addressDailyPercent: 100 },
    ...{ botDailyPercent: 100 }
  }
}

/**
 * Two servers and a worker with a Postgres server of their own, and with stand-ins of the model vendor and the payment
 * provider.
 */
export class Installation implements AsyncDisposable {
  /** The folder for the logs, the data and the records of this run. */
  readonly folder = mkdtempSync(join(tmpdir(), "parley-soak-"))
  readonly #stack = new AsyncDisposableStack()
  readonly servers: Array<SoakedProcess> = []
  readonly urls: Array<string> = []
  readonly #environment: Readonly<Record<string, string>>
  readonly postgres: OwnPostgres
  readonly vendor: ModelVendor
  readonly payments: ListeningStandIn["standIn"]
  readonly paymentState: StandInState

  private constructor(
    postgres: OwnPostgres,
    vendor: ModelVendor,
    shop: ListeningStandIn,
    state: StandInState,
    stack: AsyncDisposableStack
  ) {
    this.postgres = postgres
    this.vendor = vendor
    this.payments = shop.standIn
    this.payments.deliveries.hold = true
    this.paymentState = state
    this.#stack.use(stack)
    const file = join(this.folder, "config.json")
    writeFileSync(file, JSON.stringify(config))
    this.#environment = {
      ...{ NODE_ENV: "production", LOG_LEVEL: "info", PARLEY_LOG_REQUESTS: "off", PARLEY_CONFIG: file },
      ...{ PARLEY_SESSION_SECRET: SECRET, PARLEY_SESSION_ISSUER: BENCH, PARLEY_SESSION_AUDIENCE: BENCH },
      ...{ OPENAI_API_KEY: "sk-soak", OPENAI_BASE_URL: vendor.url, DATABASE_URL: postgres.url },
      ...{ STRIPE_SECRET_KEY: API_KEY, STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET, STRIPE_API_URL: shop.url }
    }
  }

  static async start(): Promise<Installation> {
    await using stack = new AsyncDisposableStack()
    const postgres = stack.use(await OwnPostgres.start())
    const vendor = stack.use(await ModelVendor.start())
    const state = memoryStore().load()
    const store = { load: () => state, save: () => undefined }
    const prices = [{ id: PACK, name: "Credits", amount: 990, currency: "usd" }]
    const shop = stack.adopt(await listenStandIn({ prices, apiKey: API_KEY, store }), (each) => each.close())
    const installation = new Installation(postgres, vendor, shop, state, stack.move())
    try {
      for (const name of ["server-1", "server-2"]) await installation.#serve(name)
      installation.servers.push(await installation.#start("worker", ["work"], {}))
      return installation
    } catch (cause) {
      await installation[Symbol.asyncDispose]()
      throw cause
    }
  }

  /** Returns the session cookie of a person. */
  cookieOf(user: string): string {
    return `parley_session=${sessionToken(SECRET, user)}`
  }

  /** Runs a command of `parley` while the servers run; returns its exit code. */
  command(...args: ReadonlyArray<string>): Promise<number | null> {
    return runCommand({ name: "commands", args, folder: this.folder, environment: this.#environment })
  }

  /** Asks all processes to stop; returns the exit code or the signal of each. */
  stop(): Promise<ReadonlyArray<number | string | null>> {
    return Promise.all(this.servers.map((each) => each.stop()))
  }

  /** Removes the folder with the logs; without this call it stays. */
  removeFolder(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack[Symbol.asyncDispose]()
  }

  async #serve(name: string): Promise<void> {
    const port = String(await openPort())
    this.servers.push(await this.#start(name, ["serve", "--no-work"], { PORT: port }))
    this.urls.push(`http://127.0.0.1:${port}`)
  }

  async #start(name: string, args: ReadonlyArray<string>, more: Readonly<Record<string, string>>) {
    const environment = { ...this.#environment, ...more }
    return this.#stack.use(await SoakedProcess.start({ name, args, folder: this.folder, environment }))
  }
}
