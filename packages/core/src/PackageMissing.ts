import { Schema } from "effect"

/** The requested function needs an npm package that is not installed. */
export class PackageMissing extends Schema.TaggedError<PackageMissing>()("PackageMissing", {
  /** The name of the package in npm. */
  packageName: Schema.String
}) {
  readonly code = "package_missing"
  override get message() {
    return `The package ${this.packageName} is not installed. Run: npm install ${this.packageName}`
  }
}

const isMissing = (packageName: string, thrown: unknown): boolean => {
  if (typeof thrown !== "object" || thrown === null) return false
  const { code, message } = thrown as { readonly code?: unknown; readonly message?: unknown }
  return (
    (code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND") && String(message).includes(`'${packageName}'`)
  )
}

/**
 * Loads a package that users install only if they need it; `load` is the import. Rejects with `PackageMissing` if the
 * package is not installed; other errors of the import are passed on.
 */
export const loadPackage = async <A>(packageName: string, load: () => Promise<A>): Promise<A> => {
  try {
    return await load()
  } catch (thrown) {
    throw isMissing(packageName, thrown) ? new PackageMissing({ packageName }) : thrown
  }
}
