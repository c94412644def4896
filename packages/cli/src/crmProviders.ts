import { makeOAuthCrmProvider } from "@parley/adapters-crm"
import { CrmProviders } from "@parley/core/adapter"
import { Layer } from "effect"
import type { ParleyConfig } from "./config/readConfig.ts"

/** The configured CRM providers. The OAuth library is loaded at the first request for a provider. */
export const crmProvidersLayer = ({ crmProviders }: ParleyConfig): Layer.Layer<CrmProviders> =>
  Layer.sync(CrmProviders, () => new Map(crmProviders.map((options) => [options.id, makeOAuthCrmProvider(options)])))
