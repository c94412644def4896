import type { Bot } from "@parley/core"
import type { BotName } from "@parley/core/adapter"
import { Effect } from "effect"
import { askGlobal, following } from "./askGlobal.ts"
import { byOwner, withUnit } from "./byOwner.ts"
import type { Unit } from "./CurrentUnit.ts"
import { type Call, type Method, type Routes, type Work } from "./Routes.ts"

/**
 * A key is in the directory before the bot's cell has it, and leaves the directory after it has left the cell. If a process
 * ends in between, the directory has a key that names no bot: the cell decides.
 */
const removed = (routes: Routes, unit: Unit, operation: string, name: BotName, keys?: ReadonlyArray<string>): Work => {
  const { botKeys } = routes.shared
  const removing = keys === undefined ? botKeys.removeOf(name) : botKeys.remove(keys)
  return following(routes, unit, askGlobal(routes, operation, removing))
}

/** Runs a call that adds keys to a bot. */
const adding = (
  routes: Routes,
  call: Call,
  args: ReadonlyArray<unknown>,
  bot: BotName,
  keys: ReadonlyArray<string>
): Work =>
  withUnit(routes, bot.owner, (unit) =>
    Effect.gen(function* () {
      yield* askGlobal(routes, call.name, routes.shared.botKeys.add(bot, keys))
      const added = yield* call.run(unit.place, args)
      if (added !== true && added !== "Added") yield* removed(routes, unit, call.name, bot, keys)
      return added
    })
  )

export const insertBot =
  (routes: Routes, call: Call): Method =>
  (...args) => {
    const { id: botId, keys, owner } = args[0] as Bot
    return adding(
      routes,
      call,
      args,
      { owner, botId },
      keys.map(({ publicKey }) => publicKey)
    )
  }

export const addBotKey =
  (routes: Routes, call: Call): Method =>
  (...args) => {
    const [name, { publicKey }] = args as unknown as readonly [BotName, { readonly publicKey: string }]
    return adding(routes, call, args, name, [publicKey])
  }

/** Runs a call that removes a key, or a bot with all of its keys. */
const removing = (
  routes: Routes,
  call: Call,
  keys: (args: ReadonlyArray<unknown>) => ReadonlyArray<string> | undefined
) => {
  const remove: Method = (...args) => {
    const name = args[0] as BotName
    return withUnit(routes, name.owner, (unit) =>
      Effect.tap(call.run(unit.place, args), (done) =>
        done === true || done === "Retired" ? removed(routes, unit, call.name, name, keys(args)) : Effect.void
      )
    )
  }
  return remove
}

export const retireBotKey = (routes: Routes, call: Call): Method => removing(routes, call, (args) => [String(args[1])])

export const removeBot = (routes: Routes, call: Call): Method => removing(routes, call, () => undefined)

/** The bot with a key: one look-up in the global database, and none for a key that was found before. */
export const findBotByKey =
  (routes: Routes, call: Call): Method =>
  (...args) =>
    Effect.flatMap(askGlobal(routes, call.name, routes.shared.botKeys.ownerOf(String(args[0]))), (owner): Work =>
      owner === undefined ? Effect.succeed(undefined) : byOwner(routes, call, () => owner)(...args)
    )
