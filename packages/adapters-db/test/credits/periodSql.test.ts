import { assert, layer } from "@effect/vitest"
import { periodAt, periodStart } from "@parley/core/adapter"
import { Effect } from "effect"
import fc from "fast-check"
import { Database } from "../../src/database/Database.ts"
import { databases } from "../databases.ts"

const between = (from: string, to: string) => fc.integer({ min: Date.parse(from), max: Date.parse(to) })
/** Anchors on the days that short months do not have, leap days among them, and any others. */
const anchors = fc.oneof(
  between("1990-01-01T00:00:00Z", "2100-01-01T00:00:00Z"),
  fc
    .record({
      year: fc.integer({ min: 1996, max: 2104 }),
      month: fc.integer({ min: 0, max: 11 }),
      day: fc.integer({ min: 28, max: 31 }),
      time: fc.nat(86_399_999)
    })
    .map(({ year, month, day, time }) => Date.UTC(year, month, day) + time)
)
/** A moment after the anchor, often near the edge of a period. */
const moments = (anchor: number) =>
  fc.oneof(
    fc.nat(30 * 365 * 86_400_000).map((later) => anchor + later),
    fc
      .tuple(fc.integer({ min: 1, max: 360 }), fc.integer({ min: -2, max: 2 }))
      .map(([number, beside]) => periodStart(anchor, number) + beside),
    fc.constant(anchor)
  )
const cases = anchors.chain((anchor) => fc.tuple(fc.constant(anchor), moments(anchor)))

const iso = (time: number) => new Date(time).toISOString()

for (const { name, layer: database } of databases) {
  layer(database, { excludeTestServices: true, timeout: "120 seconds" })(`periods in SQL on ${name}`, (it) => {
    it.effect("are those of the core, for every anchor and in every session's time zone", () =>
      Effect.gen(function* () {
        const { asService, schema } = yield* Database
        const text = `SELECT p.number, ${schema}.period_start(g.anchor, p.number) AS start,
            ${schema}.period_start(g.anchor, p.number + 1) AS end
          FROM unnest($1::timestamptz[], $2::timestamptz[]) WITH ORDINALITY AS g(anchor, moment, place)
          CROSS JOIN LATERAL ${schema}.period_number(g.anchor, g.moment) AS p(number) ORDER BY g.place`
        const drawn = fc.sample(cases, 5_000)
        for (const zone of ["UTC", "America/New_York", "Pacific/Kiritimati"]) {
          const rows = yield* asService(({ query }) =>
            Effect.andThen(
              query(`SELECT set_config('TimeZone', '${zone}', true)`),
              query<{ number: number; start: Date; end: Date }>(text, [
                drawn.map(([anchor]) => iso(anchor)),
                drawn.map(([, moment]) => iso(moment))
              ])
            )
          )
          for (const [index, [anchor, moment]] of drawn.entries()) {
            const { number, start, end } = periodAt(anchor, moment)
            const row = rows[index]
            assert.deepStrictEqual(
              [row?.number, row?.start.toISOString(), row?.end.toISOString()],
              [number, iso(start), iso(end)],
              `anchor ${iso(anchor)} at ${iso(moment)}`
            )
          }
        }
      })
    )
  })
}
