import type { CrmProviderId } from "./crmServers.ts"

/** An answer, with its cookies as they were set. */
export interface CrmAnswer {
  readonly status: number
  readonly location: string | null
  readonly cookies: ReadonlyArray<string>
  readonly text: string
}

export interface CrmConnectionSeen {
  readonly state: string
  readonly problem: string | null
  readonly account: { readonly id: string | null; readonly name: string | null }
  readonly connectedBy: string
}

/** A signed-in person's client that follows no redirect and shows every cookie: a browser, step by step. */
export class CrmVisitor {
  readonly #url: string
  readonly #cookies: Map<string, string>

  private constructor(url: string, cookies: Map<string, string>) {
    this.#url = url
    this.#cookies = cookies
  }

  /** A client without a session. */
  static stranger(url: string): CrmVisitor {
    return new CrmVisitor(url, new Map())
  }

  static async signedIn(url: string, email: string): Promise<CrmVisitor> {
    const visitor = CrmVisitor.stranger(url)
    await visitor.signIn(email)
    return visitor
  }

  /** Another client with the same cookies, as an attacker with copied cookies would have. */
  twin(): CrmVisitor {
    return new CrmVisitor(this.#url, new Map(this.#cookies))
  }

  async signIn(email: string): Promise<void> {
    const answer = await this.#send("/dev/sign-in", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ email })
    })
    if (answer.status >= 400) throw new Error(`Signing in answered ${answer.status}.`)
  }

  signOut(): void {
    for (const name of this.#cookies.keys()) if (name.includes("session")) this.#cookies.delete(name)
  }

  get(path: string): Promise<CrmAnswer> {
    return this.#send(path, {})
  }

  delete(path: string): Promise<CrmAnswer> {
    return this.#send(path, { method: "DELETE" })
  }

  /** Creates a bot; returns its id. */
  async makeBot(): Promise<string> {
    const made = await this.#send("/api/bots", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ displayName: "Harbour guide" })
    })
    return (JSON.parse(made.text) as { readonly id: string }).id
  }

  begin(provider: string, botId: string): Promise<CrmAnswer> {
    return this.get(`/api/crm/${provider}/connect?${new URLSearchParams({ botId })}`)
  }

  /** The provider's page that a connection begins at. */
  async connect(provider: CrmProviderId, botId: string): Promise<URL> {
    const { location, status, text } = await this.begin(provider, botId)
    if (location === null) throw new Error(`Connecting answered ${status}: ${text}`)
    return new URL(location)
  }

  /** Comes back from a provider. */
  comeBack(callback: URL): Promise<CrmAnswer> {
    return this.get(`${callback.pathname}${callback.search}`)
  }

  /** The state of a bot's connection to a provider. */
  async connection(botId: string, provider: CrmProviderId): Promise<CrmConnectionSeen | null | undefined> {
    const { text } = await this.get(`/api/bots/${botId}/crm`)
    const { providers } = JSON.parse(text) as {
      readonly providers: ReadonlyArray<{ readonly provider: string; readonly connection: CrmConnectionSeen | null }>
    }
    return providers.find((each) => each.provider === provider)?.connection
  }

  async #send(path: string, init: RequestInit): Promise<CrmAnswer> {
    const cookie = [...this.#cookies].map((pair) => pair.join("=")).join("; ")
    const response = await fetch(`${this.#url}${path}`, {
      ...init,
      redirect: "manual",
      headers: { ...init.headers, cookie }
    })
    const cookies = response.headers.getSetCookie()
    for (const set of cookies) {
      const [name = "", value = ""] = (set.split(";")[0] ?? "").split(/=(.*)/)
      if (/max-age=0/i.test(set) || value === "") this.#cookies.delete(name)
      else this.#cookies.set(name, value)
    }
    return { status: response.status, location: response.headers.get("location"), cookies, text: await response.text() }
  }
}
