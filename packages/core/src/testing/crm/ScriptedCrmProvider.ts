import { Effect, Redacted } from "effect"
import type { AuthorizationInput, CrmProvider, CrmProviderId, CrmTokens, ExchangeInput } from "../../crm/CrmProvider.ts"
import { CrmAnswerLost, type CrmFailed, CrmRefused, CrmUnavailable } from "../../crm/errors.ts"

export type CrmCall = "exchange" | "refresh" | "revoke"
export type CrmFault = "unavailable" | "lost" | "grant" | "client"

export interface ScriptedCrmOptions {
  readonly id?: CrmProviderId
  readonly usesPkce?: boolean
  readonly issuer?: string
  /** True if each approval belongs to an account of its own; by default all belong to the same account. */
  readonly accounts?: boolean
  readonly revokesApprovalAlone?: boolean
  /** True if a refresh uses up the refresh token and returns a new one. */
  readonly rotates?: boolean
  /**
   * The lifetime of access tokens in seconds; half an hour unless given. Tokens of an exchange may have another
   * lifetime.
   */
  readonly expiresInSeconds?: number
  readonly firstExpiresInSeconds?: number
  /** Runs while the provider works on a call, so that a test can stop it there. */
  readonly during?: (call: CrmCall) => Effect.Effect<void>
}

/** A provider in the memory of this process, which behaves like a real provider or as scripted. */
export interface ScriptedCrm {
  readonly provider: CrmProvider
  /** The received calls, in order. */
  readonly calls: ReadonlyArray<CrmCall>
  /** Approves, as a person does, on the page with this address; returns the query of the callback. */
  approve(url: URL): URLSearchParams
  /** Makes the next call fail in this way. If the answer is lost, the call was carried out. */
  failNext(fault: CrmFault): void
  /** Returns true if these tokens still give access to the account. */
  isLive(token: Redacted.Redacted<string>): boolean
  /** Returns the number of approvals with valid tokens. */
  liveGrants(): number
}

const faultOf = (operation: CrmCall, fault: CrmFault): CrmFailed => {
  const cause = new Error("as told")
  if (fault === "unavailable") return new CrmUnavailable({ operation, cause })
  if (fault === "lost") return new CrmAnswerLost({ operation, cause })
  return new CrmRefused({ operation, reason: fault, cause })
}

const s256 = async (verifier: string) => {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier))
  return btoa(String.fromCharCode(...new Uint8Array(digest)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "")
}

/** The approval to which a code or a refresh token belongs, with all its tokens. */
interface Grant {
  readonly redirectUri: string
  readonly challenge: string | null
  readonly tokens: Set<string>
  ended: boolean
}

class Provider implements ScriptedCrm {
  readonly calls: Array<CrmCall> = []
  readonly provider: CrmProvider
  readonly #options: ScriptedCrmOptions
  readonly #codes = new Map<string, Grant>()
  readonly #refreshTokens = new Map<string, Grant>()
  readonly #grants = new Set<Grant>()
  readonly #faults: Array<CrmFault> = []
  #count = 0

  constructor(options: ScriptedCrmOptions) {
    this.#options = options
    const { id = "provider_one", issuer, usesPkce = id === "provider_one" } = options
    this.provider = {
      id,
      issuer,
      usesPkce,
      revokesApprovalAlone: options.revokesApprovalAlone ?? false,
      name: id === "provider_one" ? "Provider One" : "Provider Two",
      authorizationUrl: (input) => Effect.promise(() => this.#authorizationUrl(input)),
      exchange: (input) => this.#answer("exchange", () => this.#exchange(input)),
      refresh: (token) => this.#answer("refresh", () => Promise.resolve(this.#refresh(Redacted.value(token)))),
      revoke: ({ accessToken, refreshToken }) =>
        this.#answer("revoke", () => {
          for (const token of [accessToken, refreshToken]) if (token !== undefined) this.#revoke(Redacted.value(token))
          return Promise.resolve("revoked" as const)
        })
    }
  }

  approve(url: URL): URLSearchParams {
    const code = this.#next("code")
    const redirectUri = url.searchParams.get("redirect_uri") ?? ""
    const grant = {
      redirectUri,
      challenge: url.searchParams.get("code_challenge"),
      tokens: new Set<string>(),
      ended: false
    }
    this.#codes.set(code, grant)
    this.#grants.add(grant)
    const callback = new URLSearchParams({ code, state: url.searchParams.get("state") ?? "" })
    if (this.#options.issuer !== undefined) callback.set("iss", this.#options.issuer)
    return callback
  }

  failNext(fault: CrmFault): void {
    this.#faults.push(fault)
  }

  isLive(token: Redacted.Redacted<string>): boolean {
    const text = Redacted.value(token)
    return [...this.#grants].some(({ ended, tokens }) => !ended && tokens.has(text))
  }

  liveGrants(): number {
    return [...this.#grants].filter(({ ended, tokens }) => !ended && tokens.size > 0).length
  }

  #next(kind: string): string {
    this.#count += 1
    return `${kind}-${this.#count}-${crypto.randomUUID()}`
  }

  async #authorizationUrl({ codeVerifier, redirectUri, state }: AuthorizationInput): Promise<URL> {
    const url = new URL("https://crm.example/authorize")
    url.search = new URLSearchParams({ response_type: "code", redirect_uri: redirectUri, state }).toString()
    if (codeVerifier !== undefined) {
      url.searchParams.set("code_challenge", await s256(codeVerifier))
      url.searchParams.set("code_challenge_method", "S256")
    }
    return url
  }

  #answer<A>(call: CrmCall, work: () => Promise<A>): Effect.Effect<A, CrmFailed> {
    return Effect.gen({ self: this }, function* () {
      this.calls.push(call)
      const fault = this.#faults.shift()
      yield* this.#options.during?.(call) ?? Effect.void
      if (fault !== undefined && fault !== "lost") return yield* faultOf(call, fault)
      const answer = yield* Effect.tryPromise({ try: work, catch: () => faultOf(call, "grant") })
      return fault === undefined ? answer : yield* faultOf(call, fault)
    })
  }

  async #exchange({ callback, codeVerifier, redirectUri }: ExchangeInput): Promise<CrmTokens> {
    const code = callback.get("code") ?? ""
    const grant = this.#codes.get(code)
    this.#codes.delete(code)
    const challenge = codeVerifier === undefined ? null : await s256(codeVerifier)
    if (grant === undefined || grant.redirectUri !== redirectUri || grant.challenge !== challenge) {
      throw new Error("no such code")
    }
    const { firstExpiresInSeconds } = this.#options
    return {
      ...this.#issue(grant, this.#next("refresh")),
      account: { id: this.#options.accounts === true ? this.#next("account") : "account-1", name: "Example Ltd" },
      ...(firstExpiresInSeconds === undefined ? {} : { expiresInSeconds: firstExpiresInSeconds })
    }
  }

  #refresh(token: string): CrmTokens {
    const grant = this.#refreshTokens.get(token)
    if (grant === undefined || grant.ended) throw new Error("no such refresh token")
    if (this.#options.rotates === false) return this.#issue(grant, undefined)
    this.#refreshTokens.delete(token)
    return this.#issue(grant, this.#next("refresh"))
  }

  #issue(grant: Grant, refreshToken: string | undefined): CrmTokens {
    const accessToken = this.#next("access")
    grant.tokens.add(accessToken)
    if (refreshToken !== undefined) {
      grant.tokens.add(refreshToken)
      this.#refreshTokens.set(refreshToken, grant)
    }
    return {
      accessToken: Redacted.make(accessToken),
      ...(refreshToken === undefined ? {} : { refreshToken: Redacted.make(refreshToken) }),
      tokenType: "bearer",
      expiresInSeconds: this.#options.expiresInSeconds ?? 1_800,
      scope: "contacts"
    }
  }

  #revoke(token: string): void {
    for (const grant of this.#grants) if (grant.tokens.has(token)) grant.ended = true
  }
}

/** A provider that holds its accounts in memory. */
export const scriptedCrm = (options: ScriptedCrmOptions = {}): ScriptedCrm => new Provider(options)
