import type { Model } from "@parley/client"
import { type Messages, useMessages } from "../../messages/MessagesProvider.tsx"
import { isStandIn, useModelName } from "../../messages/useModelName.ts"
import { MenuButton } from "../../shell/menu/MenuButton.tsx"
import { Icon } from "../../theme/Icon.tsx"
import classes from "./Composer.module.css"
import type { Conversation } from "../Conversation.ts"
import { useChosenModel, useRunnableModels } from "./useChosenModel.ts"

const WIDTH = 340

/**
 * The choice of a model among those that this server can run, with names, prices, and the models of the person's plan.
 */
export const ModelPicker = ({ conversation }: { readonly conversation: Conversation }) => {
  const messages = useMessages()
  const { t } = messages
  const modelName = useModelName()
  const models = useRunnableModels()
  const chosen = useChosenModel(conversation)
  if (models === undefined || chosen === undefined) return null
  return (
    <MenuButton
      className={classes.chip}
      width={WIDTH}
      position="top-start"
      label={t("chat.model", { name: modelName(chosen.id) })}
      entries={models.map((model) => ({
        label: modelName(model.id),
        description: descriptionOf(model, messages),
        isChosen: model.id === chosen.id,
        isDisabled: !model.allowed,
        onSelect: () => conversation.chooseModel(model.id)
      }))}
    >
      <span>{modelName(chosen.id)}</span>
      <Icon name="chevronDown" size={15} />
    </MenuButton>
  )
}

const descriptionOf = (model: Model, { t, number }: Messages): string => {
  const price = t("chat.model.price", {
    unit: 1_000,
    input: number(model.creditsPer1kInput),
    output: number(model.creditsPer1kOutput)
  })
  if (!model.allowed) return `${t("chat.model.notInPlan", { plan: planOf(model) })} · ${price}`
  return isStandIn(model) ? `${price} · ${t("chat.model.standIn")}` : price
}

/** The smallest plan that includes the model. */
const planOf = ({ allowedTiers }: Model): string =>
  (allowedTiers[0] ?? "").slice(0, 1).toUpperCase() + (allowedTiers[0] ?? "").slice(1)
