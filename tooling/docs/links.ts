import { followLink, textFiles, textOf } from "./sitePages.ts"

/** The text without code blocks and with empty code spans, so that no code is taken for a link. */
const prose = (text: string): string =>
  text.replaceAll(/^(\s*)```[\s\S]*?^\s*```$/gm, "").replaceAll(/`[^`\n]*`/g, (span) => "`".padEnd(span.length, "x"))

/** The targets of the links in a file, as they are written. */
export const linksOf = (text: string): ReadonlyArray<string> => [
  ...[...prose(text).matchAll(/\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)/g)].map(([, href = ""]) => href),
  ...[...prose(text).matchAll(/^\[[^\]]+\]:\s+(\S+)/gm)].map(([, href = ""]) => href),
  ...[...text.matchAll(/^ {2,}link: (\S+)$/gm)].map(([, href = ""]) => href)
]

/** The anchor of a heading: its letters and digits in lower case, joined by dashes. */
export const slugOf = (heading: string): string =>
  heading
    .replaceAll(/\[([^\]]+)\]\([^)]*\)/g, "$1")
    .replaceAll(/[`*]/g, "")
    .toLowerCase()
    .trim()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(/\s/g, "-")

/** The anchors of the headings of a page. */
const headingsOf = (text: string): ReadonlySet<string> =>
  new Set(
    [...text.replaceAll(/^(\s*)```[\s\S]*?^\s*```$/gm, "").matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = ""]) =>
      slugOf(heading)
    )
  )

/** Converts an address of the site, `/concepts/holds`, back to a path of the repository. */
const pathOf = (from: string, href: string): string =>
  href.startsWith("/") && from.startsWith("docs/")
    ? `${"../".repeat(from.split("/").length - 1)}docs${href.replace(/\/(?=#|$)/, "/index").replace(/(?=#|$)/, ".md")}`
    : href

/** The links of a text that lead to nothing, each as a sentence. `from` is the path of the text's file. */
export const deadLinksIn = (from: string, text: string): ReadonlyArray<string> =>
  linksOf(text).flatMap((written) => {
    const target = followLink(from, pathOf(from, written))
    if (target.kind === "missing") return [`${from}: ${written} leads to nothing`]
    if (target.kind === "elsewhere" || target.hash === "" || !target.path.endsWith(".md")) return []
    if (target.path.startsWith("docs/reference/api/")) return []
    return headingsOf(textOf(target.path)).has(decodeURIComponent(target.hash))
      ? []
      : [`${from}: ${written} names a heading that ${target.path} does not have`]
  })

/** All links in the documents that lead to nothing, each as a sentence. */
export const deadLinks = (): ReadonlyArray<string> =>
  textFiles()
    .filter((from) => !from.startsWith("docs/reference/api/"))
    .flatMap((from) => deadLinksIn(from, textOf(from)))
