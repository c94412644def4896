import { Layer } from "effect"
import { noSecrets } from "../secrets/noSecrets.ts"
import { SecretBox } from "../secrets/SecretBox.ts"
import { CrmProviders } from "./CrmProvider.ts"

/** Where bots can be connected to nothing: no provider is set up, and nothing is sealed. */
export const noCrmLayer: Layer.Layer<CrmProviders | SecretBox> = Layer.merge(
  Layer.succeed(CrmProviders, new Map()),
  Layer.succeed(SecretBox, noSecrets)
)
