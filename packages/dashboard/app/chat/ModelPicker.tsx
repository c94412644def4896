import { useQuery } from "@tanstack/react-query"
import { modelsQuery, type OfferedModel } from "../api/models.ts"
import { type Messages, useMessages } from "../messages/MessagesProvider.tsx"
import { MenuButton } from "../shell/MenuButton.tsx"
import { Icon } from "../theme/Icon.tsx"
import classes from "./Composer.module.css"
import type { Conversation } from "./Conversation.ts"
import { useFacts } from "./useConversation.ts"

const WIDTH = 340

/** Which model answers: names, prices, and what the plan allows. */
export const ModelPicker = ({ conversation }: { readonly conversation: Conversation }) => {
  const messages = useMessages()
  const { t } = messages
  const { modelId } = useFacts(conversation)
  const { data: models } = useQuery(modelsQuery)
  if (models === undefined) return null
  const usable = models.filter(({ allowed, available }) => allowed && available)
  const chosen = models.find(({ id }) => id === modelId) ?? usable[0] ?? models[0]
  if (chosen === undefined) return null
  return (
    <MenuButton
      className={classes.chip}
      width={WIDTH}
      position="top-start"
      label={t("chat.model", { name: chosen.name })}
      entries={models.map((model) => ({
        label: model.name,
        description: descriptionOf(model, messages),
        isChosen: model.id === chosen.id,
        isDisabled: !model.allowed || !model.available,
        onSelect: () => conversation.chooseModel(model.id)
      }))}
    >
      <span>{chosen.name}</span>
      <Icon name="chevronDown" size={15} />
    </MenuButton>
  )
}

const descriptionOf = (model: OfferedModel, { t, number }: Messages): string => {
  if (!model.available) return t("chat.model.notAvailable")
  const price = t("chat.model.price", {
    input: number(model.creditsPer1kInput),
    output: number(model.creditsPer1kOutput)
  })
  if (!model.allowed) return `${t("chat.model.notInPlan", { plan: planOf(model) })} · ${price}`
  return model.answeredBy === "offline" ? `${price} · ${t("chat.model.offline")}` : price
}

/** The smallest plan that includes the model. */
const planOf = ({ allowedTiers }: OfferedModel): string =>
  (allowedTiers[0] ?? "").slice(0, 1).toUpperCase() + (allowedTiers[0] ?? "").slice(1)
