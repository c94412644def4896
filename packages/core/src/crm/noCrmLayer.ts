import { Layer } from "effect"
import { noSecrets } from "../secrets/noSecrets.ts"
import { SecretBox } from "../secrets/SecretBox.ts"
import { CrmProviders } from "./CrmProvider.ts"

/** No CRM: no provider is configured, and nothing can be sealed. */
export const noCrmLayer: Layer.Layer<CrmProviders | SecretBox> = Layer.merge(
  Layer.succeed(CrmProviders, new Map()),
  Layer.succeed(SecretBox, noSecrets)
)
