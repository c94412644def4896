import { existsSync, globSync, readFileSync, statSync } from "node:fs"
import { dirname, join, posix } from "node:path"
import { fileURLToPath } from "node:url"

export const root = fileURLToPath(new URL("../..", import.meta.url))

/**
 * A page of the site: the path of its Markdown file in the repository, and its address on the site without leading
 * slash and extension.
 */
export interface SitePage {
  readonly path: string
  readonly address: string
}

/** The files that become pages. The first pattern that matches the path determines the address. */
const patterns: ReadonlyArray<readonly [pattern: RegExp, address: string]> = [
  [/^docs\/(?!site\/)(.+)\.md$/, "$1"],
  [/^ARCHITECTURE\.md$/, "architecture"],
  [/^CONTRIBUTING\.md$/, "contributing"],
  [/^SECURITY\.md$/, "security"],
  [/^packages\/(?!bench\/)([^/]+)\/README\.md$/, "packages/$1"],
  [/^packages\/core\/src\/([^/]+)\/README\.md$/, "packages/core/$1"],
  [/^examples\/([^/]+)\/README\.md$/, "guides/$1"]
]

/**
 * The address of a file's page; undefined if it has none. An example has a separate page unless a guide describes it.
 */
export const addressOf = (path: string): string | undefined => {
  if (path === "README.md") return "index"
  const found = patterns.find(([pattern]) => pattern.test(path))
  return found === undefined ? undefined : path.replace(found[0], found[1])
}

const isPageItself = (path: string): boolean =>
  addressOf(path) !== undefined &&
  path !== "README.md" &&
  !(path.startsWith("examples/") && existsSync(join(root, `docs/${addressOf(path)}.md`)))

const sources = [
  "*.md",
  "docs/**/*.md",
  "packages/*/README.md",
  "packages/core/src/*/README.md",
  "examples/*/README.md"
]

/** All Markdown files that become pages or that people read in the repository, except those of the tools. */
export const textFiles = (): ReadonlyArray<string> =>
  globSync([...sources], { cwd: root, exclude: (name) => name === "node_modules" || name === "docs/site" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => !path.startsWith("docs/site/"))
    .toSorted()

/** All pages with a file. The pages about the packages' exports have one only after they were generated. */
export const sitePages = (): ReadonlyArray<SitePage> =>
  textFiles().flatMap((path) => {
    const address = isPageItself(path) ? addressOf(path) : undefined
    return address === undefined ? [] : [{ path, address }]
  })

/** The target of a link: a page of the site, a file without a page, a heading of the same page, or another website. */
export type Target =
  | { readonly kind: "page"; readonly path: string; readonly address: string; readonly hash: string }
  | { readonly kind: "file"; readonly path: string; readonly hash: string }
  | { readonly kind: "elsewhere" }
  | { readonly kind: "missing"; readonly path: string }

const isFile = (path: string): boolean => statSync(join(root, path), { throwIfNoEntry: false })?.isFile() === true

/**
 * Returns the target of a link in a file of the repository. The pages about the packages' exports are generated when
 * the site is built, so every link below `docs/reference/api` counts as a link to a page.
 */
export const followLink = (from: string, href: string): Target => {
  if (/^[a-z][a-z0-9+.-]*:/i.test(href) || href.startsWith("//")) return { kind: "elsewhere" }
  const [target = "", hash = ""] = href.split("#", 2)
  const path = target === "" ? from : posix.normalize(posix.join(dirname(from), decodeURI(target))).replace(/\/$/, "")
  const file = isFile(path) ? path : isFile(`${path}/README.md`) ? `${path}/README.md` : undefined
  if (file === undefined && /^docs\/reference\/api\/[\w-]+\.md$/.test(path)) {
    return { kind: "page", path, address: path.replace(/^docs\/(.+)\.md$/, "$1"), hash }
  }
  if (file === undefined) return existsSync(join(root, path)) ? { kind: "file", path, hash } : { kind: "missing", path }
  const address = addressOf(file)
  return address === undefined ? { kind: "file", path: file, hash } : { kind: "page", path: file, address, hash }
}

/** The text of a file of the repository. */
export const textOf = (path: string): string => readFileSync(join(root, path), "utf8")
