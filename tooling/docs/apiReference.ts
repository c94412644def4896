import { existsSync } from "node:fs"
import { join } from "node:path"
import { entries, withDeclarations } from "../../test/publicTypes/entries.ts"
import { makeFollow } from "../../test/publicTypes/report.ts"
import type { Declared } from "../../test/publicTypes/Declarations.ts"
import { commentText } from "./markdown.ts"
import { root, textOf } from "./sitePages.ts"

/** A page about the exports of a package: its name in the address, and its text. */
export interface ApiPage {
  readonly name: string
  readonly text: string
}

interface Exported {
  readonly name: string
  readonly declared: Declared
  /** The specifier from which programs import the export. */
  readonly from: string
  /** The base of a class, if that base is not exported itself. */
  readonly base: Declared | undefined
}

/** Returns the specifier of an entry: the package's name and the key of its `exports` for the source file. */
const specifierOf = (source: string): string => {
  const [folder = "", file = ""] = source.split("/src/")
  const manifest = JSON.parse(textOf(`${folder}/package.json`)) as {
    readonly name: string
    readonly exports: Readonly<Record<string, { readonly "@parley/source"?: string } | string>>
  }
  const found = Object.entries(manifest.exports).find(
    ([, target]) => typeof target === "object" && target["@parley/source"] === `./src/${file}`
  )
  if (found === undefined) throw new Error(`${source} is in no exports of ${manifest.name}.`)
  return `${manifest.name}${found[0].slice(1)}`
}

/**
 * Converts a documentation comment to Markdown. Links in comments name parts of the code, so they become code spans.
 */
const proseOf = (says: string): string =>
  commentText(says)
    .replaceAll(/\{@link (\S+?)(?:\s+[^}]*)?\}/g, "`$1`")
    .replaceAll(/^@(\w+)/gm, "**$1**")
    .replaceAll(/<(?=[a-z/!])/gi, "&lt;")

const declarationOf = ({ base, declared }: Exported): string =>
  [...(base === undefined ? [] : [base.commented]), declared.commented]
    .join("\n")
    .replaceAll(/^export (?=declare|interface|type|class|const|function)/gm, "")
    .replaceAll(/^declare /gm, "")
    .replaceAll(/^(?: {4})+/gm, (indent) => indent.slice(indent.length / 2))

const section = (exported: Exported, shownFrom: string | undefined): string =>
  [
    `### ${exported.name}`,
    ...(exported.declared.says === "" ? [] : [proseOf(exported.declared.says)]),
    ...(shownFrom === undefined ? [] : [`From \`${exported.from}\`.`]),
    `\`\`\`ts\n${declarationOf(exported)}\n\`\`\``
  ].join("\n\n")

const kindOf = ({ declared: { text } }: Exported): string => {
  if (/^(abstract )?class \w+ extends \w+_base/m.test(text) && /readonly code\b|get code\(\)/.test(text))
    return "Errors"
  if (/^(abstract )?class /m.test(text)) return "Classes and services"
  if (/^function |^const \w+: (<|\()/m.test(text)) return "Functions"
  if (/^const /m.test(text)) return "Values"
  return "Types"
}

const KINDS = ["Functions", "Classes and services", "Values", "Types", "Errors"]

const sections = (all: ReadonlyArray<Exported>, main: string, suffix: string): ReadonlyArray<string> => {
  const groups = Map.groupBy(all, kindOf)
  return KINDS.flatMap((kind) => {
    const members = (groups.get(kind) ?? []).toSorted((a, b) => (a.name < b.name ? -1 : 1))
    return members.length === 0
      ? []
      : [`## ${kind}${suffix}`, ...members.map((each) => section(each, each.from === main ? undefined : each.from))]
  })
}

const page = (name: string, title: string, intro: string, all: ReadonlyArray<Exported>, main: string): ApiPage => {
  const own = all.filter(({ from }) => from === main)
  const others = all.filter(({ from }) => from !== main)
  const parts = [...sections(own, main, ""), ...sections(others, main, " of other entries")]
  return { name, text: `${[`# ${title}`, intro, ...parts].join("\n\n")}\n` }
}

const slug = (specifier: string): string => specifier.replace(/^@parley\//, "").replaceAll("/", "-")

/** The domain of the core to which a declaration belongs: the folder of its file. */
const domainOf = ({ declared: { file } }: Exported): string =>
  /packages\/core\/src\/([^/]+)\//.exec(file.replaceAll("\\", "/"))?.[1] ?? "whole"

const CORE = "@parley/core"
/**
 * The entries of the core whose exports are described on the pages of its domains. The first one is not named there.
 */
const FACES = [CORE, `${CORE}/effect`, `${CORE}/adapter`, `${CORE}/webhook`]

const exportedBy = (source: string, file: string): ReadonlyArray<Exported> => {
  const { baseOf, exportsOf } = makeFollow()
  const from = specifierOf(source)
  return [...exportsOf(file)].map(([name, declared]) => ({ name, declared, from, base: baseOf(declared, name) }))
}

const titles: Readonly<Record<string, string>> = { whole: "the whole", promise: "createParley" }

const namedDomain = (domain: string): string =>
  existsSync(join(root, `packages/core/src/${domain}/README.md`))
    ? `[${domain}](/packages/core/${domain})`
    : (titles[domain] ?? domain)

const corePages = (exported: ReadonlyArray<Exported>): ReadonlyArray<ApiPage> => {
  const shown = exported.filter(({ from }) => FACES.includes(from))
  return [...Map.groupBy(shown, domainOf)]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([domain, members]) =>
      page(
        `core-${domain}`,
        `${CORE}: ${titles[domain] ?? domain}`,
        `The exports of ${namedDomain(domain)}: of \`${CORE}\` unless an entry names another.`,
        members,
        CORE
      )
    )
}

const index = (pages: ReadonlyArray<ApiPage>): ApiPage => {
  const lines = pages.map(({ name, text }) => `- [${/^# (.+)$/m.exec(text)?.[1] ?? name}](${name}.md)`)
  const intro =
    "Every export of every package, with its documentation and its declaration. `@parley/core` is described by its domains; an application begins with [createParley](core-promise.md)."
  return { name: "index", text: `${["# Interface of the packages", intro, lines.join("\n")].join("\n\n")}\n` }
}

/**
 * All pages about the exports of the packages, from their documentation comments and declarations. Compiles the
 * packages once.
 */
export const apiPages = (): Promise<ReadonlyArray<ApiPage>> =>
  withDeclarations(({ declarationsOf }) => {
    const exported = entries.flatMap(({ source }) => exportedBy(source, declarationsOf(source)))
    const others = Map.groupBy(
      exported.filter(({ from }) => !FACES.includes(from)),
      ({ from }) => from
    )
    const pages = [
      ...corePages(exported),
      ...[...others].map(([from, members]) =>
        page(slug(from), from, `What \`${from}\` exports, of its declarations and their comments.`, members, from)
      )
    ]
    return [...pages, index(pages)]
  })
