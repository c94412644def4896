import { Context, Layer } from "effect"

/** Ports, by the names that developers use for them. */
export type PortRecord = Readonly<Record<string, Context.Key<unknown, unknown>>>

/** The services of the ports in a record, under the same names. */
export type ServicesOf<Ports extends PortRecord> = { readonly [Name in keyof Ports]: Ports[Name]["Service"] }

/** The ports in a record, as requirements of an Effect. */
export type IdentifiersOf<Ports extends PortRecord> = Ports[keyof Ports]["Identifier"]

/** Makes a layer that provides `services` for the ports of the same names. */
export const servicesLayer = <Ports extends PortRecord>(
  ports: Ports,
  services: ServicesOf<Ports>
): Layer.Layer<IdentifiersOf<Ports>> =>
  Layer.succeedContext(
    Context.makeUnsafe(new Map(Object.entries(ports).map(([name, port]) => [port.key, services[name as keyof Ports]])))
  )

/** Returns the services of the ports from `context`, under their names. */
export const servicesFrom = <Ports extends PortRecord>(
  ports: Ports,
  context: Context.Context<IdentifiersOf<Ports>>
): ServicesOf<Ports> =>
  Object.fromEntries(
    Object.entries(ports).map(([name, port]) => [name, Context.get(context, port)])
  ) as ServicesOf<Ports>
