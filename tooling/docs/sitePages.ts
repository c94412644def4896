import { existsSync, globSync, readFileSync, statSync } from "node:fs"
import { dirname, join, posix } from "node:path"
import { fileURLToPath } from "node:url"

export const root = fileURLToPath(new URL("../..", import.meta.url))

/** A page of the site: where its text is in the repository, and its address on the site without slash and ending. */
export interface SitePage {
  readonly path: string
  readonly address: string
}

/** What becomes a page, by its path; the first pattern that matches says at which address. */
const patterns: ReadonlyArray<readonly [pattern: RegExp, address: string]> = [
  [/^docs\/(?!site\/)(.+)\.md$/, "$1"],
  [/^ARCHITECTURE\.md$/, "architecture"],
  [/^CONTRIBUTING\.md$/, "contributing"],
  [/^packages\/(?!bench\/)([^/]+)\/README\.md$/, "packages/$1"],
  [/^packages\/core\/src\/([^/]+)\/README\.md$/, "packages/core/$1"],
  [/^examples\/([^/]+)\/README\.md$/, "guides/$1"]
]

/** The address of a file's page; undefined where it has none. An example has a page of its own until a guide tells of it. */
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

/** Every file of Markdown that the site's pages may be made of or that people read beside it; those of the tools left out. */
export const textFiles = (): ReadonlyArray<string> =>
  globSync([...sources], { cwd: root, exclude: (name) => name === "node_modules" || name === "docs/site" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => !path.startsWith("docs/site/"))
    .toSorted()

/** Every page that is a file of its own. The pages of the interface of the packages are there once they were written. */
export const sitePages = (): ReadonlyArray<SitePage> =>
  textFiles().flatMap((path) => {
    const address = isPageItself(path) ? addressOf(path) : undefined
    return address === undefined ? [] : [{ path, address }]
  })

/** Where a link leads: to a page of the site, to a file that has none, to another place of the same page, or elsewhere. */
export type Target =
  | { readonly kind: "page"; readonly path: string; readonly address: string; readonly hash: string }
  | { readonly kind: "file"; readonly path: string; readonly hash: string }
  | { readonly kind: "elsewhere" }
  | { readonly kind: "missing"; readonly path: string }

const isFile = (path: string): boolean => statSync(join(root, path), { throwIfNoEntry: false })?.isFile() === true

/**
 * Follows a link as it stands in a file of the repository. Pages of the interface of the packages are written when the
 * site is built, so that a link below `docs/reference/api` counts as one to a page.
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
