import { type AccessState, type ActionAsked, UserAccess } from "@parley/core/effect"
import type { StorageFailed } from "@parley/core/adapter"
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { checkMigrated } from "../../running/checkMigrated.ts"
import { CommandContext } from "../../running/CommandContext.ts"
import { dryRunFlag, jsonFlag, printResult } from "../../running/output.ts"
import { byFlag, reasonFlag, userArgument } from "../flags.ts"

interface AccessAction {
  readonly name: string
  readonly description: string
  readonly example: string
  readonly change: (
    users: UserAccess["Service"],
    user: string,
    asked: ActionAsked
  ) => Effect.Effect<AccessState, StorageFailed>
  readonly done: (user: string) => string
  readonly planned: (user: string) => string
}

const isoOf = (moment: number | undefined) => (moment === undefined ? null : new Date(moment).toISOString())

/** The access of a person in the form of `--json`. */
export const accessJson = ({ blockedAt, notBefore }: AccessState) => ({
  blocked: blockedAt !== undefined,
  blockedAt: isoOf(blockedAt),
  notBefore: isoOf(notBefore)
})

const input = { user: userArgument, reason: Flag.optional(reasonFlag), by: byFlag, dryRun: dryRunFlag, json: jsonFlag }

const accessCommand = ({ change, description, done, example, name, planned }: AccessAction) =>
  Command.make(
    name,
    input,
    Effect.fnUntraced(function* ({ by, dryRun, json, reason, user }) {
      const work = Effect.gen(function* () {
        yield* checkMigrated
        const users = yield* UserAccess
        const asked = { by, reason: Option.getOrUndefined(reason) }
        const state = yield* dryRun ? users.access(user) : change(users, user, asked)
        yield* printResult(json, { user, dryRun, ...accessJson(state) }, [dryRun ? planned(user) : done(user)])
      })
      yield* CommandContext.use((context) => context.run(work))
    })
  ).pipe(
    Command.withDescription(description),
    Command.withExamples([{ command: `parley users ${name} user-1`, description: example }])
  )

/** `parley users block <user>` */
export const usersBlockCommand = accessCommand({
  name: "block",
  description: "Refuse all requests of a person and all messages to the person's bots, and end running replies",
  example: "Refused by every server within two seconds; visitors of the person's bots get the decline",
  change: (users, user, asked) => users.block(user, asked),
  done: (user) => `${user} is blocked. Every server refuses the person within two seconds.`,
  planned: (user) => `Would block ${user}.`
})

/** `parley users unblock <user>` */
export const usersUnblockCommand = accessCommand({
  name: "unblock",
  description: "Lift the block of a person; sessions that have not expired count again",
  example: "Lift the block",
  change: (users, user, asked) => users.unblock(user, asked),
  done: (user) => `${user} is not blocked. Every server admits the person within two seconds.`,
  planned: (user) => `Would lift the block of ${user}.`
})

/** `parley users sign-out <user>` */
export const usersSignOutCommand = accessCommand({
  name: "sign-out",
  description: "End all sessions of a person, in every browser; running replies continue",
  example: "Refuse all tokens that were issued before now; the person can sign in again",
  change: (users, user, asked) => users.signOutEverywhere(user, asked),
  done: (user) => `All sessions of ${user} have ended. Every server refuses them within two seconds.`,
  planned: (user) => `Would end all sessions of ${user}.`
})
