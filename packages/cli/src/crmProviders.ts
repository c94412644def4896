import { makeOAuthCrmProvider } from "@parley/adapters-crm"
import { CrmProviders } from "@parley/core/adapter"
import { Layer } from "effect"
import type { ParleyConfig } from "./config/readConfig.ts"

/** The CRM providers that are set up. Each loads its protocol's library when it is first asked. */
export const crmProvidersLayer = ({ crmProviders }: ParleyConfig): Layer.Layer<CrmProviders> =>
  Layer.sync(CrmProviders, () => new Map(crmProviders.map((options) => [options.id, makeOAuthCrmProvider(options)])))
