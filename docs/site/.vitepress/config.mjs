import { readdirSync, readFileSync } from "node:fs"
import { join, relative, sep } from "node:path"
import { addressOf, followLink, root, sitePages, textFiles } from "../../../tooling/docs/sitePages.ts"

const pages = sitePages()
const isPage = new Set(pages.map(({ path }) => path))

/** Where the sources can be read; links to them are left out where it is not known. */
const sourcesUrl = process.env.PARLEY_SOURCES_URL?.replace(/\/+$/, "")

const pathOf = (file) => relative(root, file).split(sep).join("/")

/** Links are written for readers of the repository: here they lead to the pages that files became. */
const linkPages = (md) => {
  md.core.ruler.after("inline", "parley-links", ({ env, tokens }) => {
    const from = pathOf(env.realPath ?? env.path)
    for (const block of tokens) {
      let dropped = 0
      for (const token of block.children ?? []) {
        if (token.type === "link_open") {
          const target = followLink(from, token.attrGet("href") ?? "")
          if (target.kind === "page") {
            token.attrSet("href", `/${target.address}${target.hash === "" ? "" : `#${target.hash}`}`)
          } else if (target.kind === "file" && sourcesUrl !== undefined) {
            token.attrSet("href", `${sourcesUrl}/${target.path}${target.hash === "" ? "" : `#${target.hash}`}`)
          } else if (target.kind === "file") {
            dropped += 1
            Object.assign(token, { type: "text", tag: "", attrs: null, content: "", nesting: 0 })
          }
        } else if (token.type === "link_close" && dropped > 0) {
          dropped -= 1
          Object.assign(token, { type: "text", tag: "", content: "", nesting: 0 })
        }
      }
    }
  })
}

/** Nothing in a text is an expression of the site's own. */
const keepBraces = (md) => {
  for (const name of ["text", "code_inline"]) {
    const render = md.renderer.rules[name]
    md.renderer.rules[name] = (...all) => render(...all).replaceAll("{{", "&#123;&#123;")
  }
}

/** The pages are above the folder in which vue is installed: what renders them on the server finds it from that folder. */
const vueOfSite = {
  name: "parley-vue-of-site",
  enforce: "pre",
  resolveId: (id, _importer, { ssr }) => (ssr && /^vue($|\/)/.test(id) ? { id, external: true } : undefined)
}

const titleOf = (path) => /^# (.+)$/m.exec(readFileSync(join(root, path), "utf8"))?.[1].replaceAll("`", "") ?? path

const item = (address, text) => {
  const page = pages.find((each) => each.address === address)
  return { link: `/${address}`, text: text ?? (page === undefined ? address : titleOf(page.path)) }
}

/** The pages below a folder of the site, but for those that are named; these come first. */
const below = (folder, first = [], text) => {
  const all = pages.map(({ address }) => address).filter((address) => new RegExp(`^${folder}/[^/]+$`).test(address))
  const rest = all.filter((address) => !first.includes(address))
  return [...first.filter((address) => all.includes(address)), ...rest].map((address) =>
    item(address, text?.(address.slice(folder.length + 1)))
  )
}

const withoutScope = (name) => name.replace(/^@parley\//, "")

const apiPages = () => {
  try {
    const names = readdirSync(join(root, "docs/reference/api")).map((name) => name.replace(/\.md$/, ""))
    return ["index", ...names.filter((name) => name !== "index").toSorted()]
  } catch {
    return []
  }
}

const begin = [
  item("start"),
  ...["express", "fastify", "hono", "next", "effect"].map((name) => item(`start/${name}`)),
  item("concepts/index")
]
const guides = below(
  "guides",
  [
    "minimal",
    "express-app",
    "fastify",
    "fetch-handler",
    "react-chat",
    "metering",
    "stripe-in-your-application",
    "documents-and-embedders",
    "back-ends",
    "openai-clients",
    "own-vendor",
    "own-parts",
    "two-servers"
  ].map((name) => `guides/${name}`)
)
const concepts = below(
  "concepts",
  ["credits", "holds", "periods", "chats", "documents", "sources", "bots", "webhooks"].map((name) => `concepts/${name}`)
).filter(({ link }) => link !== "/concepts/index")
const operating = [
  ...[
    "production",
    "docker",
    "systemd",
    "reverse-proxy",
    "postgres-providers",
    "scaling",
    "cells",
    "upgrades",
    "troubleshooting"
  ].map((name) => item(`deploy/${name}`)),
  item("billing"),
  item("crm"),
  item("security", "Security"),
  item("threats", "Threats"),
  item("security/asvs", "OWASP ASVS 5.0")
]
const reference = ["configuration", "commands", "http", "errors", "versions"].map((name) => item(`reference/${name}`))
const api = apiPages().map((name) => ({
  link: `/reference/api/${name}`,
  text: name === "index" ? "All packages" : withoutScope(titleOf(`docs/reference/api/${name}.md`))
}))
const packages = below("packages", ["packages/core", "packages/cli"])
const domains = below("packages/core")

/** @type {import("vitepress").UserConfig} */
export default {
  title: "Parley",
  description: "The back end of a paid AI assistant: streamed chat over your own documents, credits metered per reply.",
  lang: "en",
  srcDir: root,
  srcExclude: ["docs/site/**", "**/node_modules/**", "**/prepared/**", "README.md", "packages/bench/**"].concat(
    textFiles().filter((path) => !isPage.has(path))
  ),
  rewrites: (path) => (isPage.has(path) ? `${addressOf(path)}.md` : path),
  cacheDir: "./.vitepress/.cache",
  outDir: "./dist",
  cleanUrls: false,
  ignoreDeadLinks: "localhostLinks",
  lastUpdated: false,
  markdown: {
    theme: { light: "github-light-high-contrast", dark: "github-dark" },
    attrs: { disable: true },
    config: (md) => {
      md.use(linkPages)
      md.use(keepBraces)
    }
  },
  head: [
    ["link", { rel: "icon", href: "/icon.svg", type: "image/svg+xml" }],
    ["meta", { name: "theme-color", content: "#1d6b57" }]
  ],
  vite: {
    publicDir: join(root, "docs/site/public"),
    plugins: [vueOfSite]
  },
  themeConfig: {
    logo: "/icon.svg",
    outline: { level: [2, 3] },
    search: { provider: "local" },
    nav: [
      { text: "Start", link: "/start" },
      { text: "Guides", link: guides[0].link, activeMatch: "^/guides/" },
      { text: "Concepts", link: "/concepts/", activeMatch: "^/concepts/" },
      { text: "Reference", link: "/reference/configuration", activeMatch: "^/reference/" },
      { text: "Packages", link: "/packages/core", activeMatch: "^/packages/" }
    ],
    sidebar: [
      { text: "Begin", items: begin },
      { text: "Guides", items: guides },
      { text: "Concepts", items: concepts },
      { text: "Running it", items: operating },
      {
        text: "Reference",
        items: [
          ...reference,
          ...(api.length === 0 ? [] : [{ text: "Interface of the packages", collapsed: true, items: api }])
        ]
      },
      {
        text: "Packages",
        collapsed: true,
        items: packages.map(({ link, text }) => ({ link, text: withoutScope(text) }))
      },
      {
        text: "Inside",
        collapsed: true,
        items: [
          item("architecture"),
          item("contributing"),
          { text: "Domains of the core", collapsed: true, items: domains }
        ]
      }
    ]
  }
}
