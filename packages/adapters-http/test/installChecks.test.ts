import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { expectProblem } from "./support/expectProblem.ts"
import { startServer, type TestServer } from "./support/startServer.ts"

const OWNER = "owner"

let server: TestServer
beforeAll(async () => {
  server = await startServer({ parley: { work: false } })
})
afterAll(() => server.close())

const makeBot = async (allowedSites: ReadonlyArray<string>) => {
  const { id, keys } = await server.parley.bots.create(OWNER, { displayName: "Ada", allowedSites })
  return { id, frame: `/widget/${keys[0]?.publicKey}` }
}
const load = async (frame: string, headers: Record<string, string>) => {
  const response = await server.fetch(frame, { headers })
  expect(response.status).toBe(200)
  await response.text()
}
const sitesOf = async (id: string, user = OWNER) => {
  const answer = await server.fetch(`/api/bots/${id}/sites`, { user })
  expect(answer.status).toBe(200)
  const { sites } = (await answer.json()) as {
    sites: ReadonlyArray<{ site: string; allowed: boolean; seenAt: string }>
  }
  return sites
}

describe("the owner of a bot", () => {
  test("sees which sites loaded the chat, and which tried to, without anything of their visitors", async () => {
    const { frame, id } = await makeBot(["https://shop.example", "https://*.example.org"])
    expect(await sitesOf(id)).toEqual([])
    await load(frame, { referer: "https://shop.example/cart?email=ann@example.com", "sec-fetch-dest": "iframe" })
    await load(frame, { referer: "https://www.example.org/" })
    await load(frame, { referer: "https://copy.example/stolen" })
    const sites = await sitesOf(id)
    expect(sites.map(({ allowed, site }) => [site, allowed]).toSorted()).toEqual([
      ["https://copy.example", false],
      ["https://shop.example", true],
      ["https://www.example.org", true]
    ])
    expect(Math.abs(Date.now() - Date.parse(sites[0]?.seenAt ?? ""))).toBeLessThan(60_000)
    // As soon as the owner allows it, and not only an hour later.
    await server.parley.bots.update(OWNER, id, { allowedSites: ["https://copy.example"] })
    await load(frame, { referer: "https://copy.example/stolen" })
    expect(await sitesOf(id)).toContainEqual(expect.objectContaining({ site: "https://copy.example", allowed: true }))
  })

  test("does not see links, the dashboard itself, or what is no address of a page", async () => {
    const { frame, id } = await makeBot([])
    for (const headers of [
      { referer: "https://search.example/", "sec-fetch-dest": "document" },
      { referer: `${server.url}/bots/${id}`, "sec-fetch-dest": "iframe" },
      { referer: "about:blank" },
      { referer: "file:///home/ann/page.html" },
      { referer: "nonsense" },
      {}
    ]) {
      await load(frame, headers)
    }
    expect(await sitesOf(id)).toEqual([])
  })

  test("alone sees them", async () => {
    const { id } = await makeBot([])
    await expectProblem(await server.fetch(`/api/bots/${id}/sites`, { user: "somebody" }), 404, "bot_not_found")
    await expectProblem(await server.fetch(`/api/bots/${id}/sites`), 401, "unauthorized")
  })
})
