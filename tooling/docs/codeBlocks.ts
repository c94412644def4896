import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { root, textFiles, textOf } from "./sitePages.ts"

/** A code block in a Markdown file. */
export interface CodeBlock {
  readonly path: string
  /** The number of its first line of code in the file, beginning with 1. */
  readonly line: number
  readonly language: string
  /** The words after the language, for example `run`. */
  readonly marks: ReadonlyArray<string>
  readonly text: string
  /**
   * Declarations that the block needs and readers do not see: from a comment `<!-- given: ... -->` before the block.
   */
  readonly given: string
  /** The expected output of the program: the content of the following block with the mark `output`. */
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

/** All code blocks in the documents, the READMEs and the pages of the domains. */
export const codeBlocks = (): ReadonlyArray<CodeBlock> =>
  textFiles()
    .filter((path) => !path.startsWith("docs/reference/"))
    .flatMap(blocksIn)

/** The blocks that are TypeScript programs. */
export const programs = (blocks: ReadonlyArray<CodeBlock>): ReadonlyArray<CodeBlock> =>
  blocks.filter(({ language }) => language === "ts" || language === "tsx")

/** Converts a block to a module whose line numbers equal those in the Markdown file. */
export const moduleOf = ({ given, line, text }: CodeBlock): string => {
  const before = `${given}\nexport {}`
  return `${before}${"\n".repeat(line - before.split("\n").length)}${text}\n`
}

/** The name of a block's module: the name of the file and the number of the block's first line. */
export const moduleName = ({ language, line, path }: CodeBlock): string =>
  `${path.replaceAll("/", "__")}__${line}.${language}`

/**
 * Writes blocks as modules of a TypeScript project, which exists while `use` runs. The project is within the
 * repository, so that the modules can import its packages. `use` gets the path of the project's configuration.
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
