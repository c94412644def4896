import { Schema } from "effect"
import { UserId } from "../identity/UserId.ts"
import { InvalidInput } from "./errors.ts"
import type { Parley } from "./Parley.ts"

const MAX_KEY = 1_000
const MAX_ID = 1_000
const MAX_PAGE = 1_000

const isUserId = Schema.is(UserId)

const isName = (most: number) => (value: unknown) =>
  typeof value === "string" && value !== "" && value.length <= most && value.isWellFormed() && !value.includes("\0")

const isFrom = (minimum: number, maximum: number) => (value: unknown) =>
  Number.isSafeInteger(value) && (value as number) >= minimum && (value as number) <= maximum

type Rule = readonly [(value: unknown) => boolean, string]

const PERSON: Rule = [isUserId, "a person's id: 1 to 255 characters, without NUL"]
const ID: Rule = [isName(MAX_ID), `an id: 1 to ${MAX_ID} characters, without NUL`]

const PLACE: Rule = [isFrom(0, Number.MAX_SAFE_INTEGER), "a whole number from 0"]

/** What an argument or a field of these names may be, wherever it is given. What a storage would make of anything else differs. */
const RULES: Readonly<Record<string, Rule>> = {
  userId: PERSON,
  sender: PERSON,
  owner: PERSON,
  person: PERSON,
  botOwner: PERSON,
  payer: PERSON,
  documentsOwner: PERSON,
  bot: ID,
  visitor: ID,
  botId: ID,
  chatId: ID,
  customerId: ID,
  documentId: ID,
  messageId: ID,
  publicKey: ID,
  before: ID,
  key: [isName(MAX_KEY), `a key: 1 to ${MAX_KEY} characters, without NUL`],
  limit: [isFrom(1, MAX_PAGE), `a whole number from 1 to ${MAX_PAGE}`],
  offset: PLACE,
  from: PLACE,
  to: PLACE
}

/** Who is named by an object with such fields as well, or by that alone. */
const OWNERS: ReadonlySet<string> = new Set(["sender", "owner", "conversationOwner"])

const ruleOf = (name: string): Rule | undefined => (Object.hasOwn(RULES, name) ? RULES[name] : undefined)

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

/** What is wrong with an argument: an object is judged by its fields that are given, anything else by the rule of its name. */
const problemOf = (name: string, given: unknown): InvalidInput | undefined => {
  const rule = ruleOf(name)
  if (!isObject(given) || (rule !== undefined && !OWNERS.has(name))) {
    const [isRight, expected = ""] = rule ?? []
    return isRight === undefined || isRight(given) ? undefined : new InvalidInput({ field: name, expected })
  }
  for (const [field, value] of Object.entries(given)) {
    if (value === undefined || (isObject(value) && !OWNERS.has(field) && ruleOf(field) === undefined)) continue
    const problem = problemOf(field, value)
    if (problem !== undefined) return problem
  }
  return undefined
}

type Call = (...given: ReadonlyArray<never>) => Promise<unknown>
type Group = "billing" | "bots" | "chat" | "credits" | "crm" | "documents" | "sessions"
type ParametersOf<Calls> = { readonly [Name in keyof Calls]: ReadonlyArray<string> }

/** What each call takes, by place, in the words of the rules. A call that is added does not compile without its row. */
export const CALL_PARAMETERS: { readonly [Name in Group]: ParametersOf<Parley[Name]> } = {
  chat: {
    send: ["sender"],
    join: ["owner", "chatId"],
    stop: ["owner", "chatId"],
    list: ["input"],
    get: ["owner", "chatId", "page"],
    remove: ["owner", "chatId"],
    rename: ["userId", "chatId"],
    keepDocuments: ["userId", "chatId"]
  },
  documents: {
    upload: ["input"],
    vectorize: ["userId", "documentId"],
    list: ["userId"],
    get: ["userId", "documentId"],
    excerpt: ["userId", "documentId", "part"],
    file: ["userId", "documentId", "part"],
    remove: ["userId", "documentId"]
  },
  bots: {
    create: ["owner"],
    update: ["owner", "botId"],
    list: ["owner"],
    get: ["owner", "botId"],
    remove: ["owner", "botId"],
    addKey: ["owner", "botId"],
    retireKey: ["owner", "botId", "publicKey"]
  },
  crm: {
    connect: ["input"],
    callback: ["input"],
    list: ["owner", "botId"],
    disconnect: ["owner", "botId"],
    accessToken: ["name"]
  },
  credits: {
    balance: ["userId"],
    history: ["input"],
    receipt: ["userId", "messageId"],
    meter: ["bound"],
    reserve: ["bound"],
    renew: ["name"],
    settle: ["name"],
    release: ["name"],
    grant: ["input"],
    refund: ["input"],
    adjust: ["input"],
    changeTier: ["input"],
    reset: [],
    verify: []
  },
  sessions: { signOut: ["input"], isSignedOut: [] },
  billing: {
    portal: ["input"],
    generateCheckoutLink: ["input"],
    offers: [],
    subscription: ["userId"],
    invoices: ["input"],
    receive: []
  }
}

/**
 * The calls, each of which rejects with `InvalidInput` where an id, a key or the bound of a page can name nothing: by the
 * same rules whatever stores them, before anything is asked of it.
 */
export const checkedCalls = <Calls extends { readonly [Name in keyof Calls]: Call }>(
  calls: Calls,
  parameters: ParametersOf<Calls>
): Calls => {
  const checked = Object.entries<Call>(calls).map(([name, call]) => {
    const names = parameters[name as keyof Calls]
    const checkedCall: Call = (...given) => {
      for (const [place, parameter] of names.entries()) {
        const problem = problemOf(parameter, given[place])
        if (problem !== undefined) return Promise.reject(problem)
      }
      return call(...given)
    }
    return [name, checkedCall]
  })
  return Object.fromEntries(checked) as Calls
}
