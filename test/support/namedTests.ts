import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../..", import.meta.url))

/** A test that a document names as its evidence: `file` “name”. */
export interface NamedTest {
  /** The path of the file in the repository. */
  readonly file: string
  /** The name as it stands in the file, with its placeholders. */
  readonly name: string
}

/** The tests that a text names. */
export const namedTests = (text: string): ReadonlyArray<NamedTest> =>
  [...text.matchAll(/`([\w/.-]+\.tsx?)`\s+“([^”]+)”/g)].map(([, file = "", name = ""]) => ({
    file,
    name: name.replace(/\s+/g, " ")
  }))

/** The quotations of a text that follow no file, so that no test would be looked for: a slip of the pen. */
export const looseNames = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/(`\S+`\s+)?“([^”]+)”/g)].flatMap(([, file, name = ""]) =>
    /`[\w/.-]+\.tsx?`/.test(file ?? "") ? [] : [name]
  )

/** `it("`, `it.effect("`, `it.effect.prop("`, `test.live("` and the like, with any quotation mark. */
const CALL = String.raw`\b(?:it|test)(?:\.\w+)*\(`
/** The table of `it.each(...)` or the condition of `it.skipIf(...)`: it contains no other test. */
const TABLE = String.raw`(?:(?!\b(?:it|test|describe)(?:\.\w+)*\()[^])*?\)\(`

/** True if a source has a test of this name, called by `it` or `test` in any of their forms. */
export const hasTest = (source: string, name: string): boolean => {
  const quoted = ['"', "'", "`"]
    .map((mark) => mark + RegExp.escape(name.replaceAll(mark, `\\${mark}`)) + mark)
    .join("|")
  return new RegExp(`${CALL}(?:${TABLE})?\\s*(?:${quoted})`).test(source)
}

/** What is wrong with a named test; undefined if its file has it. */
export const problemOf = ({ file, name }: NamedTest): string | undefined => {
  const path = join(root, file)
  if (!existsSync(path)) return `${file} does not exist`
  return hasTest(readFileSync(path, "utf8"), name) ? undefined : `${file} has no test “${name}”`
}

/** The targets of a document's links that are missing files of the repository. `path` is the document's own. */
export const missingFiles = (path: string, text: string): ReadonlyArray<string> =>
  [...text.matchAll(/\]\(([^)#]+)[^)]*\)/g)]
    .map(([, target = ""]) => target)
    .filter((target) => !/^[a-z]+:/.test(target) && !existsSync(join(root, dirname(path), target)))

/** The text of a file of the repository. */
export const textOf = (path: string): string => readFileSync(join(root, path), "utf8")
