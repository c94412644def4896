import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { root, textFiles, textOf } from "./sitePages.ts"

/** A block of code in a file of Markdown. */
export interface CodeBlock {
  readonly path: string
  /** Of its first line of code, from 1. */
  readonly line: number
  readonly language: string
  /** The words after the language, for example `run`. */
  readonly marks: ReadonlyArray<string>
  readonly text: string
  /** Hidden declarations that the block needs: a comment `<!-- given: ... -->` before it. */
  readonly given: string
  /** The expected output of a run: the content of the next block, marked `output`. */
  readonly output: string | undefined
}

const FENCE = /^(\s*)```(\w*)(.*)$/

const given = (before: string): string => /<!-- given:\s*((?:(?!-->)[\s\S])*?)\s*-->\s*$/.exec(before)?.[1] ?? ""

const blocksIn = (path: string): ReadonlyArray<CodeBlock> => {
  const lines = textOf(path).split("\n")
  const blocks: Array<CodeBlock & { readonly end: number }> = []
  for (let index = 0; index < lines.length; index++) {
    const [, indent = "", language, marks = ""] = FENCE.exec(lines[index] ?? "") ?? []
    if (language === undefined) continue
    const end = lines.findIndex((line, at) => at > index && line.trim() === "```")
    if (end === -1) throw new Error(`${path}:${index + 1}: the block has no end.`)
    blocks.push({
      path,
      line: index + 2,
      language,
      marks: marks.trim().split(/\s+/).filter(Boolean),
      text: lines
        .slice(index + 1, end)
        .map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line))
        .join("\n"),
      given: given(lines.slice(0, index).join("\n")),
      output: undefined,
      end
    })
    index = end
  }
  return blocks.map((block, index) => {
    const next = blocks[index + 1]
    return next?.marks.includes("output") === true ? { ...block, output: next.text } : block
  })
}

/** Every block of code in the documents, the READMEs and the pages of the domains. */
export const codeBlocks = (): ReadonlyArray<CodeBlock> =>
  textFiles()
    .filter((path) => !path.startsWith("docs/reference/"))
    .flatMap(blocksIn)

/** The blocks that are programs of TypeScript. */
export const programs = (blocks: ReadonlyArray<CodeBlock>): ReadonlyArray<CodeBlock> =>
  blocks.filter(({ language }) => language === "ts" || language === "tsx")

/** A block as a module with the same line numbers as in its file. */
export const moduleOf = ({ given, line, text }: CodeBlock): string => {
  const before = `${given}\nexport {}`
  return `${before}${"\n".repeat(line - before.split("\n").length)}${text}\n`
}

/** The name of a block's module: its file's, and the line that it begins on. */
export const moduleName = ({ language, line, path }: CodeBlock): string =>
  `${path.replaceAll("/", "__")}__${line}.${language}`

/**
 * Writes blocks as modules of a project of TypeScript, which is there while `use` runs: within the repository, so that their
 * imports find its packages. `use` takes the path of the project's configuration.
 */
export const withProject = async <A>(
  blocks: ReadonlyArray<CodeBlock>,
  use: (project: string) => Promise<A>
): Promise<A> => {
  mkdirSync(join(root, ".cache"), { recursive: true })
  const folder = mkdtempSync(join(root, ".cache/docs-"))
  try {
    for (const block of blocks) writeFileSync(join(folder, moduleName(block)), moduleOf(block))
    const project = join(folder, "tsconfig.json")
    const compilerOptions = { jsx: "react-jsx" }
    const files = blocks.map(moduleName)
    writeFileSync(project, JSON.stringify({ extends: join(root, "tsconfig.publicTypes.json"), compilerOptions, files }))
    writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }))
    return await use(project)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
