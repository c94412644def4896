import { Redacted } from "effect"
import { expect, it } from "vitest"
import { readSettings } from "../../src/config/readConfig.ts"

const GLOBAL = "postgres://parley:hunter2@127.0.0.1/global"
const OTHER = "postgres://parley:hunter2@127.0.0.1/other"

const read = (cells: unknown, more: Readonly<Record<string, string>> = { DATABASE_URL: GLOBAL }) =>
  readSettings({ ...more, PARLEY_CELLS: typeof cells === "string" ? cells : JSON.stringify(cells) }, "/folder")

const cellsOf = ({ config: { database } }: ReturnType<typeof read>) =>
  database._tag === "Embedded" ? undefined : database.cells

it("cells have names and connection strings, and the one of DATABASE_URL is the global database", () => {
  const settings = read(
    { "eu-1": GLOBAL, "eu-2": { url: OTHER, directUrl: `${OTHER}?direct`, replicaUrl: `${OTHER}?replica` } },
    { DATABASE_URL: GLOBAL, DATABASE_DIRECT_URL: `${GLOBAL}?direct`, DATABASE_REPLICA_URL: `${GLOBAL}?replica` }
  )
  expect(settings.problems).toEqual([])
  const found = cellsOf(settings)?.map(({ directUrl, isGlobal, name, replicaUrl, url }) => ({
    name,
    url: Redacted.value(url),
    direct: directUrl && Redacted.value(directUrl),
    replica: replicaUrl && Redacted.value(replicaUrl),
    isGlobal
  }))
  expect(found).toEqual([
    { name: "eu-1", url: GLOBAL, direct: `${GLOBAL}?direct`, replica: `${GLOBAL}?replica`, isGlobal: true },
    { name: "eu-2", url: OTHER, direct: `${OTHER}?direct`, replica: `${OTHER}?replica`, isGlobal: false }
  ])
  expect(JSON.stringify(settings)).not.toContain("hunter2")
  expect(cellsOf(readSettings({ DATABASE_URL: GLOBAL }, "/folder"))).toBeUndefined()
})

it.each([
  ["{", /^PARLEY_CELLS: expected a JSON object/],
  [{}, /^PARLEY_CELLS: expected a JSON object/],
  [[GLOBAL], /^PARLEY_CELLS: expected a JSON object/],
  [{ "eu-1": 7 }, /^PARLEY_CELLS: expected a JSON object/],
  [{ EU: OTHER }, /^PARLEY_CELLS: expected names of small letters.*"EU"/],
  [{ global: OTHER }, /^PARLEY_CELLS: expected names of small letters.*"global"/],
  [{ "eu-1": "mysql://hunter2" }, /^PARLEY_CELLS: expected a URL that begins with postgres.* for eu-1/],
  [{ "eu-1": { url: OTHER, replicaUrl: "mysql://hunter2" } }, /^PARLEY_CELLS: expected a URL that begins with .* eu-1/],
  [{ "eu-1": OTHER, "eu-2": OTHER }, /^PARLEY_CELLS: expected another database for eu-2/]
])("cells that cannot be used are a problem without their values: %j", (cells, problem) => {
  const { problems } = read(cells)
  expect(problems).toEqual([expect.stringMatching(problem)])
  expect(problems.join()).not.toContain("hunter2")
})

it("cells need a global database", () => {
  expect(read({ "eu-1": OTHER }, {}).problems).toEqual([
    expect.stringMatching(/^DATABASE_URL: expected the connection string of the global database/)
  ])
})

it("a cell over a network without TLS is reported as DATABASE_URL is", () => {
  const { config } = read({ "eu-1": "postgres://parley@db.example.com/other" })
  expect(config.database).toMatchObject({ withoutTls: ["PARLEY_CELLS"], unverified: ["PARLEY_CELLS"] })
})
