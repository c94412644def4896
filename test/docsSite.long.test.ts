import { execFile } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { promisify } from "node:util"
import { beforeAll, describe, expect, it } from "vitest"
import { root, sitePages, textOf } from "../tooling/docs/sitePages.ts"

/** The search engine of the site. */
interface SearchEngine {
  readonly loadJSON: (
    index: string,
    fields: object
  ) => {
    readonly search: (
      words: string,
      options: object
    ) => ReadonlyArray<{ readonly title: string; readonly titles: ReadonlyArray<string> }>
  }
}

const built = join(root, "docs/site/dist")
const page = (address: string): string => readFileSync(join(built, `${address}.html`), "utf8")

describe("npm run docs", () => {
  beforeAll(() => promisify(execFile)("npm", ["run", "docs"], { cwd: root, maxBuffer: 64 * 1024 ** 2 }), 600_000)

  it("makes a page of every text, and of every entry of a package", () => {
    const addresses = sitePages().map(({ address }) => address)
    expect(addresses).toContain("reference/api/core-promise")
    expect(addresses.filter((address) => !existsSync(join(built, `${address}.html`)))).toEqual([])
  })

  it("shows programs as they are, links that lead within the site, and nothing as an expression of its own", () => {
    const guide = page("guides/metering").replaceAll(/<[^>]+>/g, "")
    expect(guide).toContain("parley.credits.meter(order, paintAndTell)")
    expect(page("guides/metering")).toContain('href="/concepts/holds.html"')
    expect(page("packages/adapters-db")).toContain("{{schema}}")
  })

  it.each([
    ["docker", "Docker, compose and Kubernetes"],
    ["supabase", "Supabase"],
    ["prometheus", "Monitoring"],
    ["next.js", "Start with Next.js"]
  ])("finds %s in the search of the site: %s", async (words, title) => {
    const chunks = join(built, "assets/chunks")
    const chunk = readdirSync(chunks).find((name) => name.startsWith("@localSearchIndexroot")) ?? ""
    const { default: index } = (await import(pathToFileURL(join(chunks, chunk)).href)) as { readonly default: string }
    const { default: MiniSearch } = (await import(
      pathToFileURL(join(root, "docs/site/node_modules/minisearch/dist/es/index.js")).href
    )) as { readonly default: SearchEngine }
    const fields = { fields: ["title", "titles", "text"], storeFields: ["title", "titles"] }
    const found = MiniSearch.loadJSON(index, fields).search(words, { prefix: true, fuzzy: 0.2 })
    const titles = found.slice(0, 5).map(({ title: own, titles: above }) => [...above, own].join(" > "))
    expect(titles.join("\n")).toContain(title)
  })

  it("lists its pages for programs", () => {
    expect(readFileSync(join(built, "llms.txt"), "utf8")).toContain("](/guides/metering.html): ")
    expect(readFileSync(join(built, "llms-full.txt"), "utf8")).toContain("parley.credits.meter(order, paintAndTell)")
  })

  it("is installed by a lock that is whole on every platform, and quiet on every Node", () => {
    const { packages } = JSON.parse(textOf("docs/site/package-lock.json")) as {
      readonly packages: Readonly<
        Record<
          string,
          { readonly engines?: object; readonly resolved?: string; readonly optionalDependencies?: object }
        >
      >
    }
    const entries = Object.entries(packages).filter(([place]) => place !== "")
    expect(entries.filter(([, entry]) => "engines" in entry || "resolved" in entry)).toEqual([])
    const optional = entries.flatMap(([, { optionalDependencies }]) => Object.keys(optionalDependencies ?? {}))
    expect(optional.filter((name) => packages[`node_modules/${name}`] === undefined)).toEqual([])
  })
})
