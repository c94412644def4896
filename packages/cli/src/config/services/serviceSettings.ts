import type { ParleySettings } from "@parley/core"
import { problemsOfSettings, SETTING_VARIABLES } from "@parley/core/effect"
import type { EnvironmentReader } from "../EnvironmentReader.ts"
import { readPicture } from "./readPicture.ts"

type SettingVariable = (typeof SETTING_VARIABLES)[number]["variable"]

/**
 * Reads the settings of the core's services from the variables that their schemas name. Relative paths begin in
 * `folder`.
 */
export const serviceSettings = (read: EnvironmentReader, folder: string): ParleySettings => {
  const settings: Record<PropertyKey, unknown> = {}
  for (const { path, variable } of SETTING_VARIABLES) {
    const [part = "", name] = path
    const value = valueOf(read, variable, folder)
    const isRefused = "form" in variable && value !== undefined && isProblem(read, path, value, variable.name)
    const accepted = isRefused ? undefined : value
    settings[part] = name === undefined ? accepted : { ...(settings[part] as object | undefined), [name]: accepted }
  }
  return settings as ParleySettings
}

const valueOf = (read: EnvironmentReader, variable: SettingVariable, folder: string): unknown => {
  if ("choices" in variable) return read.list(variable.name, variable.choices)
  if ("words" in variable) return variable.words[read.choice(variable.name, Object.keys(variable.words)) ?? ""]
  if ("form" in variable) {
    return variable.form === "text" ? read.text(variable.name) : readPicture(read, variable.name, folder)
  }
  const count = read.integer(variable.name, variable.minimum, variable.maximum)
  return count === undefined ? undefined : count * variable.unit
}

/** Reports a problem if the schema of a setting refuses the text, and returns true then. */
const isProblem = (
  read: EnvironmentReader,
  [part = "", name = ""]: ReadonlyArray<PropertyKey>,
  value: unknown,
  variable: string
): boolean => {
  const [problem] = problemsOfSettings({ [part]: { [name]: value } })
  if (problem !== undefined) read.problem(variable, `expected ${problem.expected}`)
  return problem !== undefined
}
