import type { Project } from "@parley/client"
import { Button, Group, Input, Text, Textarea, TextInput, Title } from "@mantine/core"
import { useDocuments } from "@parley/react"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { Link } from "react-router"
import { PAGE_PATHS } from "../../../src/pagePaths.ts"
import { parley } from "../../api/parley.ts"
import { projectsQuery } from "../../api/projects.ts"
import { DocumentChoices } from "../../documents/choice/DocumentChoices.tsx"
import { useProjectMessages } from "../../projects/useProjectMessages.ts"
import { ProblemNotice } from "../../shell/ProblemNotice.tsx"
import classes from "./ProjectsPage.module.css"

type Values = Pick<Project, "documentIds" | "instructions" | "name">

/** The form with a project's name and the instructions and documents that every reply in it reads. */
export const ProjectForm = ({ project }: { readonly project: Project }) => {
  const { t } = useProjectMessages()
  const queryClient = useQueryClient()
  const [changed, setChanged] = useState<Partial<Values>>({})
  const { documentIds, instructions, name } = { ...project, ...changed }
  const isSavable = Object.keys(changed).length > 0 && name.trim() !== ""
  const save = useMutation({
    mutationFn: () => parley.call("updateProject", { path: { id: project.id }, body: changed }),
    onSuccess: (stored) => {
      queryClient.setQueryData(projectsQuery.queryKey, (all) =>
        all?.map((each) => (each.id === stored.id ? stored : each))
      )
      setChanged({})
    }
  })
  const change = (next: Partial<Values>) => {
    save.reset()
    setChanged({ ...changed, ...next })
  }
  return (
    <form
      className={classes.section}
      onSubmit={(event) => {
        event.preventDefault()
        save.mutate()
      }}
    >
      <Title order={2} size="h4">
        {t("projects.settings")}
      </Title>
      <TextInput
        label={t("projects.name")}
        maxLength={100}
        value={name}
        onChange={({ currentTarget: { value } }) => change({ name: value })}
      />
      <Textarea
        mt="sm"
        label={t("projects.instructions")}
        description={t("projects.instructions.text")}
        rows={5}
        maxLength={4_000}
        value={instructions}
        onChange={({ currentTarget: { value } }) => change({ instructions: value })}
      />
      <Documents chosen={documentIds} onChange={(chosen) => change({ documentIds: chosen })} />
      {save.error !== null && <ProblemNotice error={save.error} onDismiss={save.reset} />}
      <Group justify="flex-end" mt="sm">
        <Text size="sm" c="dimmed" role="status">
          {save.isSuccess && t("projects.saved")}
        </Text>
        <Button type="submit" loading={save.isPending} disabled={!isSavable}>
          {t("projects.save")}
        </Button>
      </Group>
    </form>
  )
}

interface DocumentsProps {
  readonly chosen: ReadonlyArray<string>
  readonly onChange: (chosen: ReadonlyArray<string>) => void
}

const Documents = ({ chosen, onChange }: DocumentsProps) => {
  const { t } = useProjectMessages()
  const { documents = [] } = useDocuments()
  return (
    <fieldset className={classes.documents}>
      <Input.Label component="legend">{t("projects.documents.title")}</Input.Label>
      <Input.Description>{t("projects.documents.text")}</Input.Description>
      {documents.length === 0 ? (
        <p className={classes.about}>
          <Link to={PAGE_PATHS.documents}>{t("projects.documents.upload")}</Link>
        </p>
      ) : (
        <DocumentChoices documents={documents} chosen={chosen} onChange={onChange} />
      )}
    </fieldset>
  )
}
