import { BaseSequencer, type TestSpecification } from "vitest/node"

/** Projects with long files come first, so that the last files are short and no worker is idle. */
const FIRST = ["dashboard", "widget", "cli", "adapters-db", "adapters-documents"]
const LAST = ["architecture", "core"]

const placeOf = ({ project }: TestSpecification): number =>
  FIRST.includes(project.name) ? FIRST.indexOf(project.name) - FIRST.length : LAST.indexOf(project.name) + 1

/** Keeps the files of a project together, so that they can share modules, and in vitest's order. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: ReadonlyArray<TestSpecification>): Promise<Array<TestSpecification>> {
    const sorted = await super.sort([...files])
    return sorted.toSorted((a, b) => placeOf(a) - placeOf(b))
  }
}
