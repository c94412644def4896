import { BaseSequencer, type TestSpecification } from "vitest/node"

/** Projects whose files take long come first, so that what runs last is short and no worker waits for another. */
const FIRST = ["dashboard", "widget", "cli", "adapters-db", "adapters-documents"]
const LAST = ["architecture", "core"]

const placeOf = ({ project }: TestSpecification): number =>
  FIRST.includes(project.name) ? FIRST.indexOf(project.name) - FIRST.length : LAST.indexOf(project.name) + 1

/** The files of a project stay together, so that they can share modules, and in the order that vitest gives them. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: ReadonlyArray<TestSpecification>): Promise<Array<TestSpecification>> {
    const sorted = await super.sort([...files])
    return sorted.toSorted((a, b) => placeOf(a) - placeOf(b))
  }
}
