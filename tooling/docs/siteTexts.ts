import { followLink, type SitePage, sitePages, textOf } from "./sitePages.ts"

/** The order of folders in the texts: the pages to read first come first. */
const FOLDERS = ["", "deploy", "guides", "concepts", "reference", "packages", "packages/core"]

const first = ["start", "concepts/index", "guides/minimal"]

const rank = ({ address }: SitePage): number => {
  const folder = address.split("/").slice(0, -1).join("/")
  const place = FOLDERS.indexOf(folder)
  return (place === -1 ? FOLDERS.length : place) * 2 + (first.includes(address) ? 0 : 1)
}

/** The pages except the start page, in reading order. */
const told = (): ReadonlyArray<SitePage> =>
  sitePages()
    .filter(({ address }) => address !== "index" && !address.startsWith("reference/api/"))
    .toSorted((a, b) => rank(a) - rank(b) || (a.address < b.address ? -1 : 1))

/** The text of a page with the code that it includes, for readers without the repository. */
export const wholeText = (path: string): string =>
  textOf(path)
    .replaceAll(/<!--[\s\S]*?-->\n*/g, "")
    .replaceAll(/^<<< @\/(\S+?)(?:#(\w+))?(?:\{[^}]*\})?$/gm, (_line, file: string, region: string | undefined) => {
      const source = region === undefined ? textOf(file) : regionOf(textOf(file), region)
      return [`\`${file}\`:\n`, "```" + (file.split(".").at(-1) ?? ""), source.trim(), "```"].join("\n")
    })
    .replaceAll(/\]\(([^)\s]+)\)/g, (link, href: string) => {
      const target = followLink(path, href)
      if (target.kind !== "page") return link
      return `](/${target.address}.html${target.hash === "" ? "" : `#${target.hash}`})`
    })
    .trim()

/** The part of a file between `// #region name` and its end. */
export const regionOf = (text: string, region: string): string => {
  const lines = text.split("\n")
  const start = lines.findIndex((line) => new RegExp(`^\\s*// #region ${region}$`).test(line))
  const end = lines.findIndex((line, index) => index > start && /^\s*\/\/ #endregion/.test(line))
  if (start === -1 || end === -1) throw new Error(`There is no region ${region}.`)
  const part = lines.slice(start + 1, end)
  const indent = Math.min(...part.filter((line) => line.trim() !== "").map((line) => line.search(/\S/)))
  return part.map((line) => line.slice(indent)).join("\n")
}

const titleOf = (path: string): string => /^# (.+)$/m.exec(textOf(path))?.[1]?.replaceAll("`", "") ?? path

/** The first sentence of a page, for a list of pages. */
const sentenceOf = (path: string): string => {
  const paragraph = textOf(path)
    .replace(/^---\n[\s\S]*?\n---\n/, "")
    .replaceAll(/<!--[\s\S]*?-->/g, "")
    .split(/\n{2,}/)
    .find((part) => /^[A-Z@`]/.test(part.trim()) && !part.startsWith("#"))
  const plain = (paragraph ?? "").replaceAll(/\s+/g, " ").replaceAll(/\[([^\]]+)\]\([^)]*\)/g, "$1")
  return /^.*?[.:](?= |$)/.exec(plain)?.[0].replace(/:$/, ".") ?? plain
}

const HEAD = `# Parley

> The back end of a paid AI assistant, as a library: streamed chat over a person's own documents, credits metered per reply, tiers, billing, bots for sites. TypeScript on Node, on Postgres or embedded.`

const SECTIONS: Readonly<Record<string, string>> = {
  "": "Begin and run",
  deploy: "Run in production",
  guides: "Guides",
  concepts: "Concepts",
  reference: "Reference",
  packages: "Packages",
  "packages/core": "Domains of the core"
}

/** The text of `/llms.txt`: a list of the pages, with a sentence for each. */
export const llmsText = (): string => {
  const groups = Map.groupBy(told(), ({ address }) => address.split("/").slice(0, -1).join("/"))
  const sections = [...groups].map(([folder, pages]) => {
    const lines = pages.map(({ address, path }) => `- [${titleOf(path)}](/${address}.html): ${sentenceOf(path)}`)
    return `## ${SECTIONS[folder] ?? folder}\n\n${lines.join("\n")}`
  })
  return `${[HEAD, "All of it in one file: [llms-full.txt](/llms-full.txt).", ...sections].join("\n\n")}\n`
}

/** The text of `/llms-full.txt`: all pages completely, except the pages about the packages' exports. */
export const llmsFullText = (): string =>
  `${[HEAD, ...told().map(({ address, path }) => `<!-- /${address}.html -->\n\n${wholeText(path)}`)].join("\n\n")}\n`
