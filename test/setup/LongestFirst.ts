import { statSync } from "node:fs"
import { BaseSequencer, type TestSpecification } from "vitest/node"

/** Projects with long files come first, so that the last files are short and no worker is idle. */
const FIRST = ["dashboard", "widget", "cli", "adapters-db", "adapters-documents"]
const LAST = ["architecture", "core"]

const placeOf = ({ project }: TestSpecification): number =>
  FIRST.includes(project.name) ? FIRST.indexOf(project.name) - FIRST.length : LAST.indexOf(project.name) + 1

/** A file of fewer bytes only names a suite, a race or random histories, that another file defines. */
const NAMES_A_SUITE = 700

const nameOnly = ({ moduleId }: TestSpecification): number => (statSync(moduleId).size < NAMES_A_SUITE ? 0 : 1)

/**
 * Keeps the files of a project together, so that they can share modules, and in vitest's order: by their duration, or
 * by their size in a first run, which says nothing of files that name a suite. Those come first, because they are long.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: ReadonlyArray<TestSpecification>): Promise<Array<TestSpecification>> {
    const sorted = await super.sort([...files])
    return sorted.toSorted((a, b) => placeOf(a) - placeOf(b) || nameOnly(a) - nameOnly(b))
  }
}
