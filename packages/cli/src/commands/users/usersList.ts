import { Cursor, type ListedPerson } from "@parley/core/adapter"
import { type PeopleAsked, UserAccess } from "@parley/core/effect"
import { Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { checkMigrated } from "../../running/checkMigrated.ts"
import { CommandContext } from "../../running/CommandContext.ts"
import { jsonFlag, printResult, table } from "../../running/output.ts"
import { accessJson } from "./usersAccess.ts"

const input = {
  blocked: Flag.Boolean("blocked").pipe(Flag.withDescription("Only blocked people"), Flag.withDefault(false)),
  after: Flag.String("after").pipe(
    Flag.withDescription("The `next` of the previous page"),
    Flag.withSchema(Cursor),
    Flag.optional
  ),
  limit: Flag.Int("limit").pipe(
    Flag.withDescription("The most people, 1 to 1000 (100)"),
    Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000 }))),
    Flag.withDefault(100)
  ),
  json: jsonFlag
}

interface Asked {
  readonly blocked: boolean
  readonly after: Option.Option<string>
  readonly limit: number
  readonly json: boolean
}

const dataOf = ({ available, tier, userId, ...access }: ListedPerson) => ({
  user: userId,
  tier: tier ?? null,
  available: available ?? null,
  ...accessJson(access)
})

const lineOf = ({ available, blockedAt, tier, userId }: ListedPerson) => [
  userId,
  tier ?? "-",
  available ?? "-",
  blockedAt === undefined ? "" : `blocked since ${new Date(blockedAt).toISOString()}`
]

const list = ({ after, blocked, json, limit }: Asked, search: string | undefined) => {
  const asked: PeopleAsked = { search, blocked, limit, after: Option.getOrUndefined(after) }
  const work = Effect.gen(function* () {
    yield* checkMigrated
    const { next, people } = yield* UserAccess.use((users) => users.list(asked))
    const lines = table(["user", "tier", "available", ""], people.map(lineOf))
    const more = next === undefined ? [] : [`More: --after ${next}`]
    yield* printResult(json, { users: people.map(dataOf), next: next ?? null }, [...lines, ...more])
  })
  return CommandContext.use((context) => context.run(work))
}

/** `parley users list` */
export const usersListCommand = Command.make("list", input, (asked) => list(asked, undefined)).pipe(
  Command.withDescription("List people with their tier, credits and blocks, page by page"),
  Command.withExamples([
    { command: "parley users list --blocked", description: "All blocked people" },
    { command: "parley users list --limit 20", description: "The first 20 people" }
  ])
)

/** `parley users find <text>` */
export const usersFindCommand = Command.make(
  "find",
  {
    text: Argument.String("text").pipe(
      Argument.withDescription("Part of the id, in any case, or the whole id of the payment provider's customer")
    ),
    ...input
  },
  ({ text, ...asked }) => list(asked, text)
).pipe(
  Command.withDescription("Find people by part of their id, or by their customer at the payment provider"),
  Command.withExamples([
    { command: "parley users find ann@", description: "All people whose id contains ann@" },
    { command: "parley users find cus_123", description: "The person of a customer" }
  ])
)
