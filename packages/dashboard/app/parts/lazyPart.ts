import { type ComponentType, lazy } from "react"
import { loadPart } from "./loadPart.ts"

/** Makes a component whose code is loaded when it is first shown. */
export const lazyPart = <Props extends object>(load: () => Promise<ComponentType<Props>>) =>
  lazy(async () => ({ default: await loadPart(load) }))
